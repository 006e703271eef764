import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let readinessOverride = Trouble("readiness-override", .stuck)
}

extension DoctorRule {
  static let readinessOverride = DoctorRule(
    .readinessOverride, .error,
    Guide(
      """
      All dependencies of an operation are finished and its queue has a free slot, but it never became ready. Its \
      class overrides `isReady`, and that is still false, or became true without a notification: a queue asks only \
      after a notification, not again and again.
      """,
      wrong: """
        var isOnline = false                  // somebody sets it later
        override var isReady: Bool { super.isReady && isOnline }
        """,
      right: """
        var isOnline = false {
          willSet { willChangeValue(forKey: "isReady") }
          didSet { didChangeValue(forKey: "isReady") }
        }
        override var isReady: Bool { super.isReady && isOnline }
        """)
  ) { context in
    let (errors, _) = context.judged(context.suspects.filter { $0.kind == .notReady })
    return errors.compactMap { suspect, root in
      let operation = context.trace.operations[suspect.index]
      // The lost records may be those that say that it became ready.
      guard !context.isAnyMissing(since: operation.enqueued?.time ?? .min) else { return nil }
      let name = context.name(operation.id)
      var finding = Finding(
        .readinessOverride, .error, ending: .operationItself, title: "\(name) could run but never became ready",
        explanation: "Nothing blocks it: \(context.obstacles(gone: operation)). But isReady of "
          + "\(operation.className) is still false, or became true without a notification.",
        fix: "In \(operation.className), return super.isReady where possible, and announce each change of isReady: "
          + "willChangeValue(forKey: \"isReady\"), didChangeValue(forKey: \"isReady\").")
      finding.operations = [operation.id]
      finding.queues = context.queues(of: [operation])
      if let enqueued = operation.enqueued {
        finding.evidence.append(.init(at: enqueued, "\(name) was enqueued"))
      }
      finding.evidence.append(
        .init(
          time: suspect.since, "nothing blocked it any more; it has not become ready \(context.since(suspect.since))"))
      context.addHeld(root, to: &finding)
      return context.undoable(finding, since: suspect.since)
    }
  }
}

extension DoctorContext {
  /// Why an operation could start, in words.
  func obstacles(gone operation: OperationRecord) -> String {
    let count = operation.dependencies.count { $0.removed == nil }
    let queue = operation.queue.map(name) ?? "its queue"
    return (count == 0 ? "it has no dependencies" : "its \(Self.dependencies(count)) finished")
      + ", and \(queue) has a free slot"
  }

  private static func dependencies(_ count: Int) -> String {
    count == 1 ? "dependency is" : "\(count) dependencies are"
  }
}
