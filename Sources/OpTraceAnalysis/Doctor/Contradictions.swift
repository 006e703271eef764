import OpTraceModel

/// What cannot have been: it shows that records are missing which nobody counted.
///
/// Only what Foundation rules out, whatever a program does wrong: a mistake of the program must not look like a gap in
/// the trace. Where nothing contradicts itself, records may still be missing.
extension DoctorContext {
  /// The first one, in words; nil: none. O(operations + dependencies + waits).
  func contradiction() -> String? {
    let overfull = overfullQueue()
    if let overfull { return "more operations of \(name(overfull)) execute than its limit ever allowed" }
    let sleeping = sleepingThreads()
    for place in trace.operations.indices where trace.operations[place].coverage == .full {
      let operation = trace.operations[place]
      if let text = lifeContradiction(operation) ?? dependencyContradiction(operation) {
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
    if hasRun, operation.started == nil { return "ran, and was not started" }
    if operation.executionEnded != nil, operation.executionBegan == nil { return "ended, and did not begin" }
    // A queue keeps what it holds.
    let isOver = operation.finished != nil || operation.finishSeen != nil
    if operation.released != nil, operation.enqueued != nil, !isOver { return "was released by a queue that holds it" }
    return nil
  }

  /// Foundation starts nothing before that; a class that decides for itself when it is ready may.
  private func dependencyContradiction(_ operation: OperationRecord) -> String? {
    guard let started = operation.started, let enqueued = operation.enqueued, operation.cancelRequested == nil,
      !operation.overridesReady
    else { return nil }
    for dependency in operation.dependencies where dependency.added <= enqueued.time {
      if let removed = dependency.removed, removed <= started.time { continue }
      guard let other = self.operation(dependency.on), other.coverage == .full, other.cancelRequested == nil,
        other.finished == nil, other.finishSeen == nil
      else { continue }
      return "was started, and \(name(other.id)), on which it depends, was not finished"
    }
    return nil
  }

  /// A wait that ended before what it waited for.
  private func waitContradiction() -> String? {
    // When the last wait for a queue that has ended began.
    var emptied: [QueueID: Nanoseconds] = [:]
    for wait in trace.waits where wait.ended != nil {
      switch wait.target {
      case .operation(let id):
        guard let target = operation(id), target.coverage == .full, target.finished == nil, target.finishSeen == nil
        else { continue }
        return "a wait for \(name(id)) is over, and \(name(id)) is not"
      case .queue(let id): emptied[id] = max(emptied[id] ?? .min, wait.began)
      case .object: continue
      }
    }
    guard !emptied.isEmpty else { return nil }
    for operation in trace.operations where operation.coverage == .full && !operation.isBarrier {
      guard operation.finished == nil, operation.finishSeen == nil, let enqueued = operation.enqueued,
        let queue = operation.queue, let began = emptied[queue], isAfter(began, enqueued.time)
      else { continue }
      return "a wait until \(name(queue)) is empty is over, and \(name(operation.id)) is still in it"
    }
    return nil
  }

  /// Threads that are blocked at the end, and since when.
  private func sleepingThreads() -> [ThreadID: Nanoseconds] {
    var result: [ThreadID: Nanoseconds] = [:]
    for wait in trace.waits where wait.ended == nil {
      // What dispatch queues are handed runs on the thread that waits.
      if case .object = wait.target { continue }
      result[wait.thread] = min(result[wait.thread] ?? .max, wait.began)
    }
    return result
  }

  /// A thread of the pool that a queue gave the next operation has come back from the one before.
  private func threadContradiction() -> String? {
    func isFromQueue(_ operation: OperationRecord) -> Bool {
      operation.queue != nil && operation.coverage == .full && operation.startCount == 1
    }
    var last: [ThreadID: Nanoseconds] = [:]
    for operation in trace.operations where operation.finished != nil && isFromQueue(operation) {
      guard let started = operation.started, thread(started.thread)?.isMain == false else { continue }
      last[started.thread] = max(last[started.thread] ?? .min, started.time)
    }
    for operation in trace.operations where operation.finished == nil && isFromQueue(operation) {
      guard let started = operation.started, operation.startReturned == nil, let next = last[started.thread],
        isAfter(next, started.time)
      else { continue }
      return "\(name(started.thread)) started another operation inside of \(name(operation.id))"
    }
    return nil
  }

  private func overfullQueue() -> QueueID? {
    var executing: [QueueID: Int] = [:]
    for operation in trace.operations where operation.finished == nil && operation.coverage == .full {
      if let queue = operation.queue, operation.started != nil, !operation.isBarrier {
        executing[queue, default: 0] += 1
      }
    }
    return trace.queues.first { queue in
      var limits = [queue.initialLimit]
      for change in queue.changes {
        if case .limit(let limit) = change.kind { limits.append(limit) }
      }
      guard let most = limits.max(), limits.allSatisfy({ $0 >= 0 }) else { return false }
      return executing[queue.id] ?? 0 > most
    }?.id
  }
}
