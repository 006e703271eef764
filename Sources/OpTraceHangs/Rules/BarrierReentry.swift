import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let barrierReentry = Trouble("barrier-reentry", .stuck)
}

extension DoctorRule {
  static let barrierReentry = DoctorRule(
    .barrierReentry, .error,
    Guide(
      """
      A call that adds an operation to a queue was entered and never returned, while a barrier was pending in that \
      queue. This is a bug of Foundation on Linux: with a barrier pending, it asks an operation that is cancelled or \
      always ready to start while it holds the queue's own lock, and then waits for that lock again. After that nobody \
      can use the queue.
      """,
      wrong: """
        queue.addBarrierBlock { index.save() }
        upload.cancel()
        queue.addOperation(upload)          // never returns on Linux
        """,
      right: """
        queue.addBarrierBlock { index.save() }
        if !upload.isCancelled { queue.addOperation(upload) }
        """)
  ) { context in
    let waiting = context.suspects.filter { $0.kind == .beingAdded }
    return waiting.compactMap { context.reentry($0) }
  }
}

extension DoctorContext {
  /// The finding for a call that adds and does not return; nil: no barrier was pending.
  func reentry(_ suspect: Suspect) -> Finding? {
    let operation = trace.operations[suspect.index]
    guard let adding = operation.addingSince, let id = operation.queue, let enqueued = operation.enqueued else {
      return nil
    }
    let members = trace.operations.filter { $0.queue == id && $0.finished == nil && $0.id != operation.id }
    let barriers = members.filter { $0.isBarrier && ($0.enqueued?.time ?? .max) <= enqueued.time }
    guard let barrier = barriers.last ?? (operation.isBarrier ? operation : nil) else { return nil }
    let name = name(operation.id)
    let queue = self.name(id)
    var finding = Finding(
      .barrierReentry, .error, ending: .unknown, title: "the call that adds \(name) to \(queue) never returned",
      explanation:
        "The barrier \(self.name(barrier.id)) was pending in \(queue). Foundation on Linux then asks the added "
        + "operation to start while it holds the queue's lock\(operation.cancelRequested == nil ? "" : ", since it was cancelled"), "
        + "and waits for that lock again. Nobody can use the queue any more.",
      fix: operation.cancelRequested == nil
        ? "Add \(name) before the barrier, or keep its isReady false until super.isReady is true."
        : "Do not add an operation that is already cancelled: check isCancelled first, or add it before the barrier.")
    finding.operations = [operation.id] + (barrier.id == operation.id ? [] : [barrier.id])
    finding.queues = [id]
    finding.behind = members.count { $0.id != barrier.id }
    if let pending = barrier.enqueued {
      finding.evidence.append(.init(at: pending, "the barrier \(self.name(barrier.id)) was enqueued and has not run"))
    }
    if let cancelled = operation.cancelRequested {
      finding.evidence.append(.init(at: cancelled, "\(name) was cancelled"))
    }
    finding.evidence.append(.init(at: adding, "the call that adds \(name) has not returned \(since(adding.time))"))
    let waiting = trace.waits.filter { $0.ended == nil && $0.inside == nil && $0.target == .queue(id) }
    addWaitingThreads(waiting.map(\.thread), to: &finding)
    return settled(finding, since: adding.time)
  }
}
