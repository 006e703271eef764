import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let retainedOperation = Trouble("retained-operation", .misuse)
}

extension DoctorRule {
  /// Proof: two finished operations that were not released, one a dependency of the other: an operation retains its
  /// dependencies even after all of them are over. Reported if five or more of a class and queue were retained for half
  /// of the trace and at least 100 ms, which is the sign of a growing chain.
  static let retainedOperation = DoctorRule(
    .retainedOperation, .note,
    Guide(
      """
      An operation retains the operations that it depended on, finished or not, for as long as it lives. If each new \
      operation depends on the one before, the newest keeps all earlier ones in memory, with what their blocks \
      capture; and releasing a long chain at once can overflow the stack.
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
    let groups = DoctorContext.groups(kept, by: { DoctorContext.Pattern(context.trace.operations[$0.index]) })
      .filter { $0.count >= Retained.leastCount }
    guard !groups.isEmpty else { return [] }
    let dependents = Dictionary(kept.map { ($0.index, $0.dependent) }, uniquingKeysWith: { first, _ in first })
    return groups.map { context.retained($0.sorted { ($1.time, $0.index) < ($0.time, $1.index) }, dependents) }
  }
}

private struct Retained {
  static let leastTime: Nanoseconds = 100_000_000
  static let leastCount = 5

  /// An index in `trace.operations`, as is `dependent`.
  var index: Int
  /// The dependent that kept it longest.
  var dependent: Int
  var time: Nanoseconds
}

extension DoctorContext {
  /// O(operations + dependencies).
  fileprivate func retained(_ least: Nanoseconds) -> [Retained] {
    var best: [Int: (dependent: Int, time: Nanoseconds)] = [:]
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
    return best.map { Retained(index: $0, dependent: $1.dependent, time: $1.time) }.sorted { $0.index < $1.index }
  }

  fileprivate func retained(_ kept: [Retained], _ dependents: [Int: Int]) -> Finding {
    let operations = kept.map { trace.operations[$0.index] }
    // Go from each operation to the one that retains it; stop if a cycle closes.
    var last = kept[0].index
    var seen: Set<Int> = [last]
    while let next = dependents[last], seen.insert(next).inserted { last = next }
    let time = DurationText.text(kept[0].time)
    // Name the class of the retainer, which may differ from that of the retained operation.
    let className = trace.operations[kept[0].dependent].className
    var finding = Finding(
      .retainedOperation, .note, ending: .itWorks,
      title: "\(those(operations)) stayed in memory for up to \(time) after they were finished, retained by their "
        + "dependents",
      explanation:
        "An operation retains its dependencies for as long as it lives, even when all of them are finished. The last "
        + "one that retains these is \(name(last)).",
      fix: "Remove the dependencies of a \(className) when it is finished (removeDependency), or release \(name(last))."
    )
    finding.operations = operations.map(\.id)
    finding.queues = queues(of: operations)
    for one in kept.prefix(3) {
      finding.evidence.append(
        .init(
          at: trace.operations[one.index].finished,
          "\(name(one.index)) was finished; its dependent \(name(one.dependent)) retained it for another "
            + "\(DurationText.text(one.time))"))
    }
    return proven(finding)
  }
}
