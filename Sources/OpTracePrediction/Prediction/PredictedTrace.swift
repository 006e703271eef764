package import OpTraceModel

extension MachineOutcome {
  /// The simulated run as a trace, so that all that explains or draws traces does so with this one. Operations keep their
  /// numbers; threads are the machine's. O(n).
  package func trace(like recorded: Trace, _ workload: Workload) -> Trace {
    var trace = recorded
    trace.waits = []
    trace.blocks = []
    trace.tasks = []
    trace.spans = []
    trace.marks = []
    trace.look = nil
    trace.threads = pools.enumerated().map { place, pool in
      ThreadRecord(
        id: ThreadID(UInt32(place + 1)), systemID: UInt32(place + 1),
        name: pool < 0 ? "own thread" : pool == 0 ? "main" : "pool", isMain: pool == 0)
    }
    for place in trace.queues.indices where workload.queues.indices.contains(place) {
      trace.queues[place].initialLimit = workload.queues[place].limit ?? -1
      trace.queues[place].changes = []
    }
    var end = Nanoseconds.min
    for place in trace.operations.indices {
      let thread = ThreadID(UInt32(max(0, self.thread[place]) + 1))
      func stamp(_ time: Nanoseconds) -> Stamp? {
        guard time != Self.never else { return nil }
        end = Swift.max(end, time)
        return Stamp(time, thread)
      }
      let isAsynchronous =
        recorded.operations[place].executionEnded?.thread != recorded.operations[place].finished?.thread
      trace.operations[place].enqueued = stamp(enqueued[place])
      trace.operations[place].ready = stamp(ready[place])
      trace.operations[place].started = stamp(began[place])
      trace.operations[place].executionBegan = stamp(began[place])
      trace.operations[place].executionEnded = isAsynchronous ? nil : stamp(finished[place])
      trace.operations[place].startReturned = nil
      trace.operations[place].finished = stamp(finished[place])
      trace.operations[place].cancelRequested = nil
      trace.operations[place].released = nil
      trace.operations[place].addingSince = nil
      trace.operations[place].blocks = []
      trace.operations[place].priority = workload.jobs[place].priority
      trace.operations[place].queue = workload.jobs[place].queue.map { workload.queues[Int($0)].id }
    }
    // Dependencies that are gone.
    let edges = Set(workload.edges)
    for place in trace.operations.indices where !trace.operations[place].dependencies.isEmpty {
      trace.operations[place].dependencies.removeAll {
        guard let other = recorded.index(of: $0.on) else { return true }
        return !edges.contains(.init(from: Int32(clamping: other), to: Int32(clamping: place)))
      }
    }
    if end != .min { (trace.end, trace.lastEvent) = (end, end) }
    return trace
  }
}
