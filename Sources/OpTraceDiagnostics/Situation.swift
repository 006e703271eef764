import OpTraceModel

/// What is pending in a trace: unfinished work, and threads that wait. Two stalls with the same situation are one.
struct Situation: Hashable {
  private var operations: [OperationID: OperationState] = [:]
  private var waits: [ThreadID: WaitRecord.Target] = [:]
  private var suspended: Set<QueueID> = []

  /// - Parameter watcher: the system's number of a thread whose doings do not count: a report must not cause another.
  init(_ trace: Trace, without watcher: UInt32) {
    let own = Set(trace.threads.filter { $0.systemID == watcher }.map(\.id))
    for operation in trace.operations where operation.isUnfinished {
      // One that was only made is not pending: nobody has asked for it yet.
      guard operation.queue != nil || operation.started != nil || operation.executionBegan != nil else { continue }
      if let by = operation.enqueued?.thread ?? operation.started?.thread, own.contains(by) { continue }
      operations[operation.id] = operation.state
    }
    for wait in trace.waits where wait.ended == nil && !own.contains(wait.thread) { waits[wait.thread] = wait.target }
    for queue in trace.queues where queue.isSuspended { suspended.insert(queue.id) }
  }

  /// Nothing is pending: the process is idle.
  var isIdle: Bool { operations.isEmpty && waits.isEmpty }
}
