import OpTraceModel

extension DoctorRule {
  static let readinessOverride = DoctorRule(
    "readiness-override", .error, .stuck,
    Guide(
      """
      All that an operation depends on is finished, its queue has a free slot, and it never said that it is ready. Its \
      class overrides `isReady`, and that still says false, or turned true without a notification: a queue asks when it \
      is told to, not again and again.
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
    return errors.map { suspect, root in
      let operation = context.trace.operations[suspect.place]
      let name = context.name(operation.id)
      var finding = Finding(
        "readiness-override", .error, title: "\(name) could run, and never said that it is ready",
        explanation: "Nothing stands in its way: \(context.obstacles(gone: operation)). But isReady of "
          + "\(operation.className) still says false, or turned true without a notification.",
        fix: "In \(operation.className), let isReady say super.isReady where it can, and announce each change: "
          + "willChangeValue(forKey: \"isReady\"), didChangeValue(forKey: \"isReady\").")
      finding.operations = [operation.id]
      finding.queues = context.queues(of: [operation])
      if let enqueued = operation.enqueued {
        finding.evidence.append(.init(at: enqueued, "\(name) was enqueued"))
      }
      finding.evidence.append(
        .init(time: suspect.since, "the last obstacle was gone; it has not been ready \(context.since(suspect.since))"))
      context.addHeld(root, to: &finding)
      return context.proven(finding)
    }
  }
}

extension DoctorContext {
  /// Why an operation could start, in words.
  func obstacles(gone operation: OperationRecord) -> String {
    let count = operation.dependencies.count { $0.removed == nil }
    let queue = operation.queue.map(name) ?? "its queue"
    return (count == 0 ? "it depends on nothing" : "all that it depends on (\(count)) is finished")
      + ", and \(queue) has a free slot"
  }
}
