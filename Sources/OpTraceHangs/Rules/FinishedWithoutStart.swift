import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let finishedWithoutStart = Trouble("finished-without-start", .misuse)
}

extension DoctorRule {
  /// Proof: enqueued and then finished, without a start in between. Operations that were never added to a queue may
  /// finish at any time. A cancelled operation is still started by its queue, and Foundation finishes it there.
  static let finishedWithoutStart = DoctorRule(
    .finishedWithoutStart, .error,
    Guide(
      """
      An operation in a queue was finished before its queue had started it. Usually its `cancel()` finishes it. A \
      cancelled operation has to wait for its start, which comes soon, since its dependencies no longer count. \
      Foundation on Linux crashes when the queue gets to the operation; Apple's logs a warning.
      """,
      wrong: """
        override func cancel() {
          super.cancel()
          state = .finished           // its queue has not started it
        }
        """,
      right: """
        override func cancel() {
          super.cancel()
          if isExecuting { request.cancel() }   // its callback ends it
        }
        override func start() {
          guard !isCancelled else { state = .finished; return }
          state = .executing
          request.resume()
        }
        """)
  ) { context in
    guard context.forgetsNothing else { return [] }
    let operations = context.trace.operations
    let found = operations.indices.filter { operations[$0].executionBegan == nil && operations[$0].finishedUnstarted }
      .map { operations[$0] }
    return DoctorContext.groups(found, by: DoctorContext.Pattern.init).map(context.finishedWithoutStart)
  }
}

extension OperationRecord {
  /// Excludes barriers, which stand for blocks: a barrier that was dropped never starts.
  fileprivate var finishedUnstarted: Bool {
    guard coverage == .full, !isBarrier, executionBegan == nil, let enqueued, let finished,
      DoctorContext.isBefore(enqueued, finished)
    else { return false }
    return started.map { DoctorContext.isBefore(finished, $0) && $0 != finished } ?? true
  }
}

extension DoctorContext {
  fileprivate func finishedWithoutStart(_ operations: [OperationRecord]) -> Finding {
    let byCancel = operations.contains { $0.cancelRequested != nil }
    let what = operations.count == 1 ? "was" : "were"
    var finding = Finding(
      .finishedWithoutStart, .error, ending: .itWorks,
      title:
        "\(those(operations)) \(what) finished before the queue had started \(operations.count == 1 ? "it" : "them")",
      explanation: "Only a started operation may finish. Foundation on Linux crashes when the queue gets to such an "
        + "operation, or drops it; Apple's logs a warning.",
      fix: byCancel
        ? "Do not finish a \(operations[0].className) in cancel() before it executes: its queue still starts it, and start() "
          + "finishes it at once if isCancelled is true."
        : "Call finish() (or set isFinished) of a \(operations[0].className) only after start() was called.")
    finding.operations = operations.map(\.id)
    finding.queues = queues(of: operations)
    for operation in operations.prefix(3) {
      finding.evidence.append(.init(at: operation.enqueued, "\(name(operation.id)) was enqueued"))
      if let cancel = operation.cancelRequested {
        finding.evidence.append(.init(at: cancel, "\(name(operation.id)) was cancelled"))
      }
      let start = operation.started == nil ? "it was never started" : "its start came later"
      finding.evidence.append(.init(at: operation.finished, "\(name(operation.id)) was finished; \(start)"))
    }
    return proven(finding)
  }
}
