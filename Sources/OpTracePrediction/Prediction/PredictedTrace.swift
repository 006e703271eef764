package import OpTraceModel

extension MachineOutcome {
  /// The simulated run as a trace, so that all that explains or draws traces does so with this one. Operations keep their
  /// numbers; threads are the machine's. What was measured of the recorded run is not in it. O(n).
  package func trace(like recorded: Trace, _ workload: Workload) -> Trace {
    var trace = Trace(header: recorded.header)
    trace.queues = recorded.queues
    trace.operations = recorded.operations
    trace.stacks = recorded.stacks
    trace.loss = recorded.loss
    trace.eventCount = recorded.eventCount
    (trace.end, trace.lastEvent) = (recorded.end, recorded.lastEvent)
    trace.threads = pools.enumerated().map { index, pool in
      ThreadRecord(
        id: ThreadID(UInt32(index + 1)), systemID: UInt32(index + 1),
        name: pool < 0 ? "own thread" : pool == 0 ? "main" : "pool", isMain: pool == 0)
    }
    for index in trace.queues.indices where workload.queues.indices.contains(index) {
      trace.queues[index].initialLimit = workload.queues[index].limit ?? -1
      trace.queues[index].changes = []
    }
    var end = Nanoseconds.min
    for index in trace.operations.indices {
      let thread = ThreadID(UInt32(max(0, self.thread[index]) + 1))
      func stamp(_ time: Nanoseconds) -> Stamp? {
        guard time != Self.never else { return nil }
        end = Swift.max(end, time)
        return Stamp(time, thread)
      }
      let isAsynchronous =
        recorded.operations[index].executionEnded?.thread != recorded.operations[index].finished?.thread
      var operation = recorded.operations[index].asCreated
      operation.error = recorded.operations[index].error
      operation.enqueued = stamp(enqueued[index])
      operation.ready = stamp(ready[index])
      operation.started = stamp(began[index])
      operation.executionBegan = stamp(began[index])
      operation.executionEnded = isAsynchronous ? nil : stamp(finished[index])
      operation.finished = stamp(finished[index])
      operation.lastSign = (operation.finished ?? operation.started ?? operation.ready)?.time
      operation.startCount = operation.started == nil ? 0 : 1
      operation.enqueueCount = operation.enqueued == nil ? 0 : 1
      operation.finishCount = operation.finished == nil ? 0 : 1
      operation.priority = workload.jobs[index].priority
      operation.queue = workload.jobs[index].queue.map { workload.queues[Int($0)].id }
      trace.operations[index] = operation
    }
    // Dependencies that are gone.
    let edges = Set(workload.edges)
    for index in trace.operations.indices where !trace.operations[index].dependencies.isEmpty {
      trace.operations[index].dependencies.removeAll {
        guard let other = recorded.index(of: $0.on) else { return true }
        return !edges.contains(.init(from: Int32(clamping: other), to: Int32(clamping: index)))
      }
    }
    if end != .min { (trace.end, trace.lastEvent) = (end, end) }
    return trace
  }
}
