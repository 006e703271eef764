import OpTraceModel

extension DoctorRule {
  /// Proof: finished and not released, and a dependency of another finished operation that was not released either (an operation keeps
  /// its dependencies, also when all is over). Said of five or more of a class and queue that have been over for half of
  /// the trace and at least 100 ms: that is how a chain that grows shows itself.
  static let retainedOperation = DoctorRule(
    "retained-operation", .note, .misuse,
    Guide(
      """
      An operation keeps the operations that it depended on, finished or not, for as long as it lives itself. Where each \
      new one depends on the one before, the newest keeps all that ever were, with what their blocks hold; and a long \
      chain that is released at once can overflow the stack.
      """,
      wrong: """
        let save = Save(document)
        if let last { save.addDependency(last) }
        last = save                       // keeps every save since the program began
        queue.addOperation(save)
        """,
      right: """
        let save = Save(document)
        if let last, !last.isFinished { save.addDependency(last) }
        save.completionBlock = { [unowned save] in
          for done in save.dependencies { save.removeDependency(done) }
        }
        last = save
        queue.addOperation(save)
        """)
  ) { context in
    guard context.forgetsNothing, let activity = context.trace.activity else { return [] }
    let age = max(Retained.leastAge, (context.end - activity.lowerBound) / 2)
    let keepers = context.keepers()
    let kept = context.trace.operations.filter { operation in
      guard operation.coverage == .full, keepers[operation.id] != nil, let finished = operation.finished else {
        return false
      }
      return context.end - finished.time >= age
    }
    return DoctorContext.groups(kept, by: DoctorContext.Pattern.init).filter { $0.count >= Retained.leastCount }.map {
      context.retained($0, keepers)
    }
  }
}

private enum Retained {
  static let leastAge: Nanoseconds = 100_000_000
  static let leastCount = 5
}

extension DoctorContext {
  /// Who keeps a finished operation by depending on it: the last of them.
  fileprivate func keepers() -> [OperationID: OperationID] {
    var result: [OperationID: OperationID] = [:]
    for operation in trace.operations where operation.finished != nil && operation.released == nil {
      for edge in operation.dependencies where edge.removed == nil && edge.on != operation.id {
        if let kept = self.operation(edge.on), kept.finished != nil, kept.released == nil {
          result[edge.on] = operation.id
        }
      }
    }
    return result
  }

  fileprivate func retained(_ operations: [OperationRecord], _ keepers: [OperationID: OperationID]) -> Finding {
    let kept = operations.sorted { ($0.finished?.time ?? 0, $0.id) < ($1.finished?.time ?? 0, $1.id) }
    // From one to who keeps it, to who keeps that one; a circle ends where it began.
    var last = kept[0].id
    var seen: Set<OperationID> = [last]
    while let next = keepers[last], seen.insert(next).inserted { last = next }
    let age = DurationText.text(max(0, end - (kept[0].finished?.time ?? end)))
    let className = kept[0].className
    var finding = Finding(
      "retained-operation", .note,
      title: "\(those(kept)) are finished and still in memory, kept by later ones that depend on them",
      explanation:
        "An operation keeps its dependencies for as long as it lives. The first of these finished \(age) ago, "
        + "and the last that keeps them is \(name(last)).",
      fix: "Remove the dependencies of a \(className) when it is finished (removeDependency), or do not hold on to "
        + "\(name(last)).")
    finding.operations = kept.map(\.id)
    finding.queues = queues(of: kept)
    for operation in kept.prefix(3) {
      let keeper = keepers[operation.id].map(name) ?? "another operation"
      finding.evidence.append(
        .init(
          at: operation.finished, "\(name(operation.id)) was finished and not released; \(keeper) depends on it"))
    }
    return proven(finding)
  }
}
