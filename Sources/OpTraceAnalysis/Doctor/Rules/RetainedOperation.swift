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
        last = save                 // keeps every save there ever was
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
    guard context.forgetsNothing, let activity = context.activity else { return [] }
    let least = max(Retained.leastTime, (context.end - activity.lowerBound) / 2)
    let kept = context.retained(least)
    let groups = DoctorContext.groups(kept, by: { DoctorContext.Pattern(context.trace.operations[$0.place]) })
      .filter { $0.count >= Retained.leastCount }
    guard !groups.isEmpty else { return [] }
    let keepers = Dictionary(kept.map { ($0.place, $0.keeper) }, uniquingKeysWith: { first, _ in first })
    return groups.map { context.retained($0.sorted { ($1.time, $0.place) < ($0.time, $1.place) }, keepers) }
  }
}

private struct Retained {
  static let leastTime: Nanoseconds = 100_000_000
  static let leastCount = 5

  /// In `trace.operations`, as is the keeper.
  var place: Int
  /// The one that depends on it and kept it longest, and for how long when both were finished.
  var keeper: Int
  var time: Nanoseconds
}

extension DoctorContext {
  /// O(operations + dependencies).
  fileprivate func retained(_ least: Nanoseconds) -> [Retained] {
    var best: [Int: (keeper: Int, time: Nanoseconds)] = [:]
    for index in trace.operations.indices where !trace.operations[index].dependencies.isEmpty {
      let id = trace.operations[index].id
      guard let finished = trace.operations[index].finished?.time else { continue }
      let keptUntil = trace.operations[index].released?.time ?? end
      guard keptUntil - finished >= least else { continue }
      for edge in trace.operations[index].dependencies where edge.on != id {
        guard let other = trace.index(of: edge.on), let since = trace.operations[other].finished?.time else { continue }
        let until = min(edge.removed ?? end, keptUntil, trace.operations[other].released?.time ?? end)
        let time = until - max(since, finished)
        guard time >= least, trace.operations[other].coverage == .full else { continue }
        if time > best[other]?.time ?? 0 { best[other] = (index, time) }
      }
    }
    return best.map { Retained(place: $0, keeper: $1.keeper, time: $1.time) }.sorted { $0.place < $1.place }
  }

  fileprivate func retained(_ kept: [Retained], _ keepers: [Int: Int]) -> Finding {
    let operations = kept.map { trace.operations[$0.place] }
    // From one to who keeps it, to who keeps that one; a cycle ends where it began.
    var last = kept[0].place
    var seen: Set<Int> = [last]
    while let next = keepers[last], seen.insert(next).inserted { last = next }
    let time = DurationText.text(kept[0].time)
    // Of the one that keeps, which may be of another class than what it keeps.
    let className = trace.operations[kept[0].keeper].className
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
          at: trace.operations[one.place].finished,
          "\(name(one.place)) was finished; \(name(one.keeper)), which depends on it, kept it for "
            + "\(DurationText.text(one.time)) more"))
    }
    return proven(finding)
  }
}
