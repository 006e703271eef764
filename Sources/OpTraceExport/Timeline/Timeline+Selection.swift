import OpTraceModel

extension Timeline {
  /// Marks what is left out. Queues that are not asked for are left out as a whole, the process itself never is.
  mutating func select(_ selection: TimelineSelection, _ trace: Trace) {
    guard !selection.isAll else { return }
    trace.operations.withUnsafeBufferPointer { operations in
      func isShown(_ operation: OperationIndex, _ begin: Nanoseconds, _ end: Nanoseconds, isOpen: Bool) -> Bool {
        let index = Int(operation)
        if selection.always.contains(operations[index].id) { return true }
        return selection.contains(begin, end, isOpen: isOpen) && selection.contains(operations[index])
      }
      for place in executions.indices {
        let one = executions[place]
        guard !isShown(one.operation, one.begin, one.end, isOpen: one.isOpen) else { continue }
        executions[place].track = Self.hidden
        counts.hidden += 1
      }
      for place in waits.indices {
        let one = waits[place]
        guard !isShown(one.operation, one.begin, one.end, isOpen: one.isOpen) else { continue }
        waits[place].track = Self.hidden
        counts.hidden += 1
      }
    }
    guard let queues = selection.queues else { return }
    for group in groups.indices.dropFirst() {
      groups[group].isShown = groups[group].queue.map { queues.contains($0.id) } ?? false
    }
    // Those of operations that are shown all the same.
    for id in selection.always {
      guard let index = trace.index(of: id) else { continue }
      groups[group(of: trace.operations[index].queue)].isShown = true
    }
  }
}
