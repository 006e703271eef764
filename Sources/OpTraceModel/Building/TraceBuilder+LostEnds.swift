import OpTraceFormat

extension TraceBuilder {
  /// Marks work whose end the ring may have overwritten: since the time from which everything is there, nothing was
  /// seen of it, and the ring did not carry it on. Its end is not known, so it does not count as open. O(operations +
  /// blocks + tasks).
  mutating func settleLostEnds() {
    guard let ring else { return }
    let complete = ring.completeSince
    func isLost(_ id: WorkID, _ last: Nanoseconds?) -> Bool {
      !ring.carried.contains(id.rawValue) && last ?? .min < complete
    }
    for row in trace.operations.indices where trace.operations[row].finished == nil {
      let operation = trace.operations[row]
      guard isLost(operation.id, operation.lastSign ?? operation.enqueued?.time) else { continue }
      trace.operations[row].isEndLost = true
      if operation.coverage == .full { trace.operations[row].coverage = .partial }
    }
    for row in trace.blocks.indices where trace.blocks[row].over == nil {
      let last = trace.blocks[row].lastSign
      if isLost(trace.blocks[row].id, last) { trace.blocks[row].endLost = last ?? complete }
    }
    for row in trace.tasks.indices where trace.tasks[row].over == nil {
      let last = trace.tasks[row].lastSign
      if isLost(trace.tasks[row].id, last) { trace.tasks[row].endLost = last ?? complete }
    }
  }
}

extension Trace {
  /// How many operations, blocks and tasks have lost their end to the ring. O(operations + blocks + tasks).
  var lostEnds: Int {
    operations.count { $0.isEndLost } + blocks.count { $0.endLost != nil } + tasks.count { $0.endLost != nil }
  }
}
