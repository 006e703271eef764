import OpTraceModel

extension Timeline {
  /// Marks what is left out. Queues that are not asked for are left out as a whole, the process itself never is.
  mutating func select(_ selection: TimelineSelection, _ trace: Trace) {
    guard !selection.isAll else { return }
    func isChosen(_ work: WorkIndex, _ begin: Nanoseconds, _ end: Nanoseconds, isOpen: Bool) -> Bool {
      selection.contains(begin, end, isOpen: isOpen) && selection.contains(workAt: Int(work), in: trace)
        || selection.isAlwaysShown(workAt: Int(work), in: trace)
    }
    /// Work of which a run is drawn, if its submissions are.
    var drawn: Set<WorkIndex> = []
    for place in executions.indices where executions[place].kind == .run {
      let one = executions[place]
      if isChosen(one.work, one.begin, one.end, isOpen: one.isOpen) {
        if Int(one.work) >= trace.operations.count { drawn.insert(one.work) }
        continue
      }
      executions[place].track = Self.hidden
      counts.hidden += 1
    }
    for place in executions.indices where executions[place].kind == .submission {
      if !drawn.contains(executions[place].work) { executions[place].track = Self.hidden }
    }
    for place in waits.indices {
      let one = waits[place]
      guard !isChosen(one.work, one.begin, one.end, isOpen: one.isOpen) else { continue }
      waits[place].track = Self.hidden
      counts.hidden += 1
    }
    guard let queues = selection.queues else { return }
    for group in groups.indices.dropFirst() {
      groups[group].isShown = groups[group].scheduler.map(queues.contains) ?? false
    }
    // Those of work that is shown all the same.
    for id in selection.always {
      guard let index = trace.workIndex(of: id) else { continue }
      groups[group(of: trace.work(at: index).scheduler)].isShown = true
    }
  }
}
