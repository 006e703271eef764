import OpTraceModel

extension DoctorRule {
  static let removedDependencyStuck = DoctorRule(
    "removed-dependency-stuck", .error, .stuck,
    Guide(
      """
      A dependency was taken away before it was finished, and the operation never turned ready. That is a fault of \
      Foundation on Linux: `removeDependency` forgets to count down what the operation waits for. `dependencies` is \
      empty, and yet it waits for ever.
      """,
      wrong: """
        upload.addDependency(login)
        queue.addOperation(upload)
        if session.isOpen { upload.removeDependency(login) }
        """,
      right: """
        if !session.isOpen { upload.addDependency(login) }    // decide first
        queue.addOperation(upload)
        """)
  ) { context in
    let (errors, _) = context.judged(context.suspects.filter { $0.kind == .removedDependency })
    return errors.map { suspect, root in
      let operation = context.trace.operations[suspect.place]
      let name = context.name(operation.id)
      let removed = operation.dependencies.filter { dependency in
        guard let time = dependency.removed else { return false }
        return (context.operation(dependency.on)?.finished?.time ?? .max) > time
      }
      let others = removed.map(\.on)
      var finding = Finding(
        "removed-dependency-stuck", .error,
        title: "\(name) waits for a dependency that was taken away",
        explanation:
          "Its dependency on \(context.list(others)) was removed before that was finished. Foundation on Linux "
          + "goes on counting it, so isReady of \(name) stays false for ever, though its dependencies are empty.",
        fix: "Do not call removeDependency on Linux while the other operation is unfinished: decide before you add the "
          + "dependency, or make a new operation in place of \(name), and cancel this one.")
      finding.operations = [operation.id] + others
      finding.queues = context.queues(of: [operation])
      for dependency in removed.prefix(5) {
        guard let time = dependency.removed else { continue }
        finding.evidence.append(
          .init(time: time, "the dependency of \(name) on \(context.name(dependency.on)) was removed, unfinished"))
      }
      finding.evidence.append(
        .init(
          time: suspect.since,
          "nothing stood in its way any more; it has not been ready \(context.since(suspect.since))"))
      context.addHeld(root, to: &finding)
      return context.proven(finding)
    }
  }
}
