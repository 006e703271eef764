import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let doubleFinish = Trouble("double-finish", .misuse)
}

extension DoctorRule {
  /// Proof: the finish was reported more than once. A note for cancelled operations: both `cancel()` and the reply that
  /// still arrives may finish them, and the second finish is ignored. Operations that were started twice belong to
  /// `double-start`.
  static let doubleFinish = DoctorRule(
    .doubleFinish, .warning,
    Guide(
      """
      An operation was finished twice: two code paths end it, such as a timeout and a reply. OpTrace's types ignore \
      the second finish. Hand-written classes may announce it again, and the second path's result or error comes too \
      late for everyone who waited.
      """,
      wrong: """
        override func execute() {
          timer = schedule(after: 10) { self.finish(with: Timeout()) }
          request.resume { self.finish(with: $0.error) }
        }
        """,
      right: """
        override func execute() {
          // Cancelled, the request calls back with an error.
          timer = schedule(after: 10) { self.request.cancel() }
          request.resume {
            self.timer.invalidate()
            self.finish(with: $0.error)
          }
        }
        """)
  ) { context in
    let found = context.trace.operations.filter { $0.finishCount > 1 && $0.startCount <= 1 }
    return DoctorContext.groups(found, by: DoctorContext.Pattern.init).map(context.doubleFinish)
  }
}

extension DoctorContext {
  fileprivate func doubleFinish(_ operations: [OperationRecord]) -> Finding {
    let isHarmless = operations.allSatisfy { $0.cancelRequested != nil }
    let className = operations[0].className
    var finding = Finding(
      .doubleFinish, isHarmless ? .note : .warning, ending: .itWorks,
      title: "\(those(operations)) \(operations.count == 1 ? "was" : "were") finished more than once",
      explanation: "Two code paths of a \(className) finish it. The first one counts; the result of the second is lost."
        + (isHarmless ? " All of them were cancelled, so this does little harm." : ""),
      fix: "Call finish() on one path of \(className) only. A timeout or cancel() should cancel the request, and the "
        + "request's callback finishes the operation.")
    finding.operations = operations.map(\.id)
    finding.queues = queues(of: operations)
    for operation in operations.prefix(5) {
      finding.evidence.append(
        .init(
          at: operation.finished,
          "\(name(operation.id)) was finished \(operation.finishCount) times in total"))
    }
    return proven(finding)
  }
}
