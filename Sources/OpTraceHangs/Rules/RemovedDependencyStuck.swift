import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let removedDependencyStuck = Trouble("removed-dependency-stuck", .stuck)
}

extension DoctorRule {
  static let removedDependencyStuck = DoctorRule(
    .removedDependencyStuck, .error,
    Guide(
      """
      A dependency was removed before it was finished, and the operation never became ready. This is a bug of \
      Foundation on Linux: `removeDependency` does not lower the count of what the operation waits for. `dependencies` \
      is empty, but the operation waits forever.
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
      let operation = context.trace.operations[suspect.index]
      let name = context.name(operation.id)
      let removed = operation.dependencies.filter { dependency in
        guard let time = dependency.removed else { return false }
        return (context.operation(dependency.on)?.finished?.time ?? .max) > time
      }
      let others = removed.map(\.on)
      var finding = Finding(
        .removedDependencyStuck, .error, ending: .operationItself,
        title: "\(name) waits for a dependency that was removed",
        explanation:
          "Its dependency on \(context.list(others)) was removed before that was finished. Foundation on Linux "
          + "still counts it, so isReady of \(name) stays false although its dependencies are empty.",
        fix: "Do not call removeDependency on Linux while the other operation is unfinished: decide before you add the "
          + "dependency, or cancel \(name) and create a new operation.")
      finding.operations = [operation.id] + others
      finding.queues = context.queues(of: [operation])
      for dependency in removed.prefix(5) {
        guard let time = dependency.removed else { continue }
        finding.evidence.append(
          .init(
            time: time, "the dependency of \(name) on \(context.name(dependency.on)) was removed before it was finished"
          ))
      }
      finding.evidence.append(
        .init(
          time: suspect.since,
          "nothing blocked it any more; it has not become ready \(context.since(suspect.since))"))
      context.addHeld(root, to: &finding)
      return context.undoable(finding, since: suspect.since)
    }
  }
}
