import OpTraceKernel
import OpTraceModel

/// Finds impossible states: they show that records are missing that nobody counted.
///
/// Checks only what Foundation rules out whatever a program does wrong, so that a mistake of the program does not pass
/// for a gap in the trace. (An operation that is started by hand may run before its dependencies are over, or beyond
/// its queue's limit.) Even without a contradiction, records may be missing.
extension DoctorContext {
  /// The first contradiction, in words; nil: there is none. O(operations + dependencies + waits).
  package func contradiction() -> String? {
    let sleeping = sleepingThreads()
    for index in trace.operations.indices where trace.operations[index].coverage == .full {
      let operation = trace.operations[index]
      if let text = lifeContradiction(operation) {
        return "\(name(operation.id)) \(text)"
      }
      for stamp in [operation.enqueued, operation.started, operation.executionEnded, operation.startReturned] {
        guard let stamp, let since = sleeping[stamp.thread], isAfter(stamp.time, since) else { continue }
        return "\(name(stamp.thread)) did something for \(name(operation.id)) while it was waiting"
      }
    }
    return waitContradiction() ?? threadContradiction()
  }

  private func isAfter(_ time: Nanoseconds, _ earlier: Nanoseconds) -> Bool {
    time > earlier + TraceBuilder.tolerance
  }

  private func lifeContradiction(_ operation: OperationRecord) -> String? {
    let hasRun = operation.executionBegan != nil || operation.startReturned != nil || !operation.blocks.isEmpty
    if hasRun, operation.started == nil { return "ran but was not started" }
    if operation.executionEnded != nil, operation.executionBegan == nil { return "ended but did not begin" }
    if operation.startReturned != nil, operation.executionBegan != nil, operation.executionEnded == nil,
      !operation.isAsynchronous
    {
      return "returned before its code ended"
    }
    // A queue does not release an operation before it is over.
    let isOver = operation.finished != nil || operation.finishSeen != nil
    if operation.released != nil, operation.enqueued != nil, !isOver { return "was released by a queue that holds it" }
    return nil
  }

  /// Finds a wait that ended before what it waited for did.
  private func waitContradiction() -> String? {
    // For each queue: when the last wait for it that is over began.
    var emptied: [QueueID: Nanoseconds] = [:]
    for wait in trace.waits where wait.ended != nil {
      switch wait.target {
      case .operation(let id):
        guard let target = operation(id), target.coverage == .full, target.finished == nil, target.finishSeen == nil
        else { continue }
        return "a wait for \(name(id)) is over, but \(name(id)) is not finished"
      case .queue(let id): emptied[id] = max(emptied[id] ?? .min, wait.began)
      case .object: continue
      }
    }
    guard !emptied.isEmpty else { return nil }
    for operation in trace.operations where operation.coverage == .full && !operation.isBarrier {
      guard operation.finished == nil, operation.finishSeen == nil, let enqueued = operation.enqueued,
        let queue = operation.queue, let began = emptied[queue], isAfter(began, enqueued.time)
      else { continue }
      return "a wait until \(name(queue)) is empty is over, but \(name(operation.id)) is still in it"
    }
    return nil
  }

  /// Threads that are blocked at the end, and since when.
  private func sleepingThreads() -> [ThreadID: Nanoseconds] {
    var result: [ThreadID: Nanoseconds] = [:]
    for wait in trace.waits where wait.ended == nil {
      // Skipped: while a thread waits for a dispatch queue, it may run blocks of that queue itself.
      if case .object = wait.target { continue }
      result[wait.thread] = min(result[wait.thread] ?? .max, wait.began)
    }
    return result
  }

  /// If a pool thread got its next operation from a queue, `start()` of the previous one must have returned.
  private func threadContradiction() -> String? {
    func isFromQueue(_ operation: OperationRecord) -> Bool {
      operation.queue != nil && operation.coverage == .full && operation.startCount == 1
    }
    var last: [ThreadID: Nanoseconds] = [:]
    for operation in trace.operations where operation.finished != nil && isFromQueue(operation) {
      guard let started = operation.started, thread(started.thread)?.isMain == false else { continue }
      last[started.thread] = max(last[started.thread] ?? .min, started.time)
    }
    for operation in trace.operations where operation.startReturned == nil && isFromQueue(operation) {
      guard let started = operation.started, let next = last[started.thread],
        isAfter(next, started.time)
      else { continue }
      return "\(name(started.thread)) started another operation inside \(name(operation.id))"
    }
    return nil
  }
}
