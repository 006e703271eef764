import OpTraceModel

extension DoctorRule {
  /// Proof: two finished operations that were not released, one of them a dependency of the other: an operation keeps
  /// its dependencies, also when all is over. Said of five or more of a class and queue that were kept so for half of
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
    let least = max(Retained.leastTime, (context.end - activity.lowerBound) / 2)
    let kept = context.retained().filter { $0.time >= least }
    let keepers = Dictionary(kept.map { ($0.operation.id, $0.keeper) }, uniquingKeysWith: { first, _ in first })
    return DoctorContext.groups(kept, by: { DoctorContext.Pattern($0.operation) })
      .filter { $0.count >= Retained.leastCount }
      .map { context.retained($0.sorted { ($1.time, $0.operation.id) < ($0.time, $1.operation.id) }, keepers) }
  }
}

private struct Retained {
  static let leastTime: Nanoseconds = 100_000_000
  static let leastCount = 5

  var operation: OperationRecord
  /// The one that depends on it and kept it longest, and for how long when both were finished.
  var keeper: OperationID
  var time: Nanoseconds
}

extension DoctorContext {
  fileprivate func retained() -> [Retained] {
    var places: [OperationID: Int] = [:]
    var result: [Retained] = []
    for keeper in trace.operations {
      guard let finished = keeper.finished?.time else { continue }
      for edge in keeper.dependencies where edge.on != keeper.id {
        guard let kept = self.operation(edge.on), kept.coverage == .full, let since = kept.finished?.time else {
          continue
        }
        let until = min(edge.removed ?? end, keeper.released?.time ?? end, kept.released?.time ?? end)
        let time = until - max(since, finished)
        guard time > 0 else { continue }
        if let place = places[kept.id] {
          if time > result[place].time { result[place] = Retained(operation: kept, keeper: keeper.id, time: time) }
        } else {
          places[kept.id] = result.count
          result.append(Retained(operation: kept, keeper: keeper.id, time: time))
        }
      }
    }
    return result
  }

  fileprivate func retained(_ kept: [Retained], _ keepers: [OperationID: OperationID]) -> Finding {
    let operations = kept.map(\.operation)
    // From one to who keeps it, to who keeps that one; a circle ends where it began.
    var last = operations[0].id
    var seen: Set<OperationID> = [last]
    while let next = keepers[last], seen.insert(next).inserted { last = next }
    let time = DurationText.text(kept[0].time)
    let className = operations[0].className
    var finding = Finding(
      "retained-operation", .note,
      title: "\(those(operations)) stayed in memory for up to \(time) after they were finished, kept by those that "
        + "depend on them",
      explanation:
        "An operation keeps its dependencies for as long as it lives, also when all of them are finished. The "
        + "last that keeps these is \(name(last)).",
      fix: "Remove the dependencies of a \(className) when it is finished (removeDependency), or do not hold on to "
        + "\(name(last)).")
    finding.operations = operations.map(\.id)
    finding.queues = queues(of: operations)
    for one in kept.prefix(3) {
      finding.evidence.append(
        .init(
          at: one.operation.finished,
          "\(name(one.operation.id)) was finished; \(name(one.keeper)), which depends on it, kept it for "
            + "\(DurationText.text(one.time)) more"))
    }
    return proven(finding)
  }
}
