import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let barrierOnIdleQueue = Trouble("barrier-on-idle-queue", .misuse)
}

extension DoctorRule {
  /// Proof of harm, not merely of an idle queue. Either the queue was suspended from before the barrier was added until
  /// after it began; or the thread that had added it waited for the queue to be empty, and that wait ended while the
  /// barrier ran.
  ///
  /// A suspension is recorded before it takes effect, so it counts only if the same thread added the barrier after it,
  /// or if it had lasted 100 ms.
  static let barrierOnIdleQueue = DoctorRule(
    .barrierOnIdleQueue, .warning,
    Guide(
      """
      On Linux a barrier that is added to an empty queue does not become an operation: its block goes straight to a \
      dispatch queue. So it ignores that the queue is suspended, does not run on `underlyingQueue`, and \
      `waitUntilAllOperationsAreFinished()` does not wait for it.
      """,
      wrong: """
        database.isSuspended = true
        database.addBarrierBlock { compact() }   // empty: runs at once
        """,
      right: """
        database.isSuspended = true
        let compacting = BlockOperation { compact() }
        for before in database.operations {
          compacting.addDependency(before)
        }
        database.addOperation(compacting)
        """)
  ) { context in
    guard context.forgetsNothing else { return [] }
    let barriers = context.trace.operations.filter { $0.isBarrier && $0.coverage == .full && $0.executionBegan != nil }
    guard !barriers.isEmpty else { return [] }
    let found = context.ignored(by: barriers)
    return DoctorContext.groups(found, by: \.operation.queue).map(context.barrierOnIdleQueue)
  }
}

private struct IdleBarrier {
  var operation: OperationRecord
  var evidence: [Finding.Evidence]
}

extension DoctorContext {
  fileprivate func ignored(by barriers: [OperationRecord]) -> [IdleBarrier] {
    var waits: [QueueID: [WaitRecord]] = [:]
    for wait in trace.waits {
      if case .queue(let id) = wait.target, wait.ended != nil { waits[id, default: []].append(wait) }
    }
    return barriers.compactMap { barrier in
      guard let queue = barrier.queue.flatMap(queue), !queue.isMain, let enqueued = barrier.enqueued,
        let started = barrier.started
      else { return nil }
      if let suspended = queue.suspension(at: enqueued, lastingBeyond: started.time) {
        return IdleBarrier(
          operation: barrier,
          evidence: [
            .init(at: suspended, "\(name(queue.id)) was suspended"),
            .init(at: enqueued, "\(name(barrier.id)) was added to it"),
            .init(at: started, "\(name(barrier.id)) began anyway"),
          ])
      }
      let over = barrier.finished?.time ?? end
      let missed = waits[queue.id]?.first {
        guard let ended = $0.ended else { return false }
        return $0.thread == enqueued.thread && $0.began >= enqueued.time && Self.isBefore(ended, over)
      }
      guard let missed, let ended = missed.ended else { return nil }
      return IdleBarrier(
        operation: barrier,
        evidence: [
          .init(at: enqueued, "\(name(barrier.id)) was added to \(name(queue.id))"),
          .init(at: Stamp(missed.began, missed.thread), "the same thread waited for the queue to be empty"),
          .init(at: Stamp(ended, missed.thread), "that wait ended"),
          .init(time: over, "\(name(barrier.id)) \(barrier.finished == nil ? "still runs" : "was finished only now")"),
        ])
    }
  }

  fileprivate func barrierOnIdleQueue(_ cases: [IdleBarrier]) -> Finding {
    let operations = cases.map(\.operation)
    let queue = operations[0].queue.map(name) ?? "a queue"
    var finding = Finding(
      .barrierOnIdleQueue, .warning, ending: .itWorks,
      title: "\(Self.count(cases.count, "barrier")) bypassed \(queue), which was empty when "
        + "\(cases.count == 1 ? "it was" : "they were") added",
      explanation:
        "Foundation on Linux sends a barrier that is added to an empty queue straight to a dispatch queue: it ignores "
        + "isSuspended and underlyingQueue, and a wait for the queue does not include it.",
      fix:
        "Instead of the barrier, add an operation to \(queue) that depends on the queue's operations, and make later "
        + "ones depend on it.")
    finding.operations = operations.map(\.id)
    finding.queues = queues(of: operations)
    finding.evidence = Array(cases.flatMap(\.evidence).prefix(Self.mostEvidence))
    return proven(finding)
  }
}

extension QueueRecord {
  fileprivate static let takesEffect: Nanoseconds = 100_000_000

  /// When a suspension began that was certainly in effect at `enqueued` and lasted beyond `later`.
  fileprivate func suspension(at enqueued: Stamp, lastingBeyond later: Nanoseconds) -> Stamp? {
    var since: Stamp? = initiallySuspended ? Stamp(created, enqueued.thread) : nil
    for change in changes where change.kind == .suspended || change.kind == .resumed {
      if change.time > enqueued.time {
        // A resumption is recorded before it takes effect.
        if change.kind == .resumed { return DoctorContext.isBefore(later, change.time) ? since : nil }
      } else if change.kind == .resumed {
        since = nil
      } else if change.thread == enqueued.thread || enqueued.time - change.time > Self.takesEffect {
        since = since ?? Stamp(change.time, change.thread)
      }
    }
    return since
  }
}
