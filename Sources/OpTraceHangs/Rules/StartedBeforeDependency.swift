import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let startedBeforeDependency = Trouble("started-before-dependency", .misuse)
}

extension DoctorRule {
  /// Proof: a queue started an operation while the code of a dependency that it had since its enqueueing still ran.
  /// Neither operation was cancelled, and the dependency was not removed.
  ///
  /// The end of the dependency's code counts, not its finish: if a class does not announce its finish, it is noticed
  /// too late.
  static let startedBeforeDependency = DoctorRule(
    .startedBeforeDependency, .error,
    Guide(
      """
      A queue started an operation before its dependency was finished. A queue goes by `isReady`: an override that \
      does not ask `super.isReady` returns true too early. Without the dependency's result the operation works on \
      nothing, or on something half done.
      """,
      wrong: """
        override var isReady: Bool { window != nil }
        """,
      right: """
        override var isReady: Bool { super.isReady && window != nil }
        """)
  ) { context in
    guard context.forgetsNothing else { return [] }
    let found = context.trace.operations.indices.compactMap(context.earlyStart)
    return DoctorContext.groups(found, by: { DoctorContext.Pattern($0.operation) }).map {
      context.startedEarly($0.sorted { $0.lead > $1.lead })
    }
  }
}

private struct EarlyStart {
  var operation: OperationRecord
  var started: Stamp
  var dependency: OperationRecord
  /// How long the dependency still ran after the start.
  var lead: Nanoseconds
}

extension DoctorContext {
  fileprivate func earlyStart(_ index: Int) -> EarlyStart? {
    guard !trace.operations[index].dependencies.isEmpty, trace.operations[index].cancelRequested == nil,
      let enqueued = trace.operations[index].enqueued, let started = trace.operations[index].started,
      trace.operations[index].coverage == .full, enqueued.time <= started.time,
      // Foundation's own isReady asks the dependencies, so they had reported that they are finished.
      trace.operations[index].overridesReady || trace.operations[index].ready == nil
    else { return nil }
    for edge in trace.operations[index].dependencies where edge.added <= enqueued.time {
      guard let other = trace.index(of: edge.on), other != index,
        trace.operations[other].executionEnded.map({ $0.time > started.time }) ?? true
      else { continue }
      if let removed = edge.removed, !Self.isBefore(started.time, removed) { continue }
      let dependency = trace.operations[other]
      guard dependency.coverage == .full, dependency.cancelRequested == nil, works(dependency, after: started.time)
      else { continue }
      let ended = dependency.executionEnded?.time ?? end
      return EarlyStart(
        operation: trace.operations[index], started: started, dependency: dependency, lead: ended - started.time)
    }
    return nil
  }

  fileprivate func startedEarly(_ cases: [EarlyStart]) -> Finding {
    let first = cases[0]
    let operations = cases.map(\.operation)
    let className = first.operation.className
    let isOne = cases.count == 1
    var finding = Finding(
      .startedBeforeDependency, .error, ending: .itWorks,
      title: isOne
        ? "\(name(first.operation.id)) started before its dependency \(name(first.dependency.id)) was finished"
        : "\(those(operations)) started before their dependencies were finished",
      explanation:
        "A queue starts an operation when isReady is true. For \(className) it was true while a dependency still "
        + "ran, most likely because an override of isReady does not ask super.",
      fix:
        "Begin isReady of \(className) with super.isReady &&, and do not start a \(className) that is in a queue by hand."
    )
    finding.operations = operations.map(\.id) + (isOne ? [first.dependency.id] : [])
    finding.queues = queues(of: operations)
    for one in cases.prefix(3) {
      let dependency = name(one.dependency.id)
      if let ready = one.operation.ready {
        finding.evidence.append(.init(at: ready, "\(name(one.operation.id)) became ready"))
      }
      finding.evidence.append(.init(at: one.started, "\(name(one.operation.id)) was started"))
      finding.evidence.append(
        one.dependency.executionEnded.map { .init(at: $0, "its dependency \(dependency) ended only now") }
          ?? .init(time: end, "its dependency \(dependency) still runs"))
    }
    return proven(finding)
  }
}
