import OpTraceModel

extension DoctorRule {
  /// Proof: the finish was reported more than once. For operations that were cancelled it is a note: their `cancel()`
  /// and the answer that comes all the same may both finish them, and the second is ignored. What was started twice
  /// belongs to `double-start`.
  static let doubleFinish = DoctorRule(
    "double-finish", .warning, .misuse,
    Guide(
      """
      An operation was told twice to finish: two paths believe that they end it, such as the timeout and the answer. \
      OpTrace's types ignore the second; hand-written ones may announce it again, and what the second path brings \
      (a result, an error) comes too late for everybody who waited.
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
      "double-finish", isHarmless ? .note : .warning,
      title: "\(those(operations)) \(operations.count == 1 ? "was" : "were") finished more than once",
      explanation: "Two paths of a \(className) end it. The first decides; what the second one brings is lost."
        + (isHarmless ? " All of them were cancelled, where this does little harm." : ""),
      fix: "Let one path of \(className) call finish(), and the others only lead there: a timeout or cancel() cancels "
        + "the request, whose answer finishes.")
    finding.operations = operations.map(\.id)
    finding.queues = queues(of: operations)
    for operation in operations.prefix(5) {
      finding.evidence.append(
        .init(
          at: operation.finished,
          "\(name(operation.id)) was finished; that was reported \(operation.finishCount) times in all"))
    }
    return proven(finding)
  }
}
