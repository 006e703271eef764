import OpTraceModel

extension DoctorRule {
  /// Proof: a queue started an operation, and the code of a dependency that it had when it was enqueued ran on after
  /// that. Neither was cancelled, and the dependency was not removed.
  ///
  /// The end of the dependency's code counts, and not its finish: a class that keeps its finish to itself is seen to be
  /// finished too late.
  static let startedBeforeDependency = DoctorRule(
    "started-before-dependency", .error, .misuse,
    Guide(
      """
      A queue started an operation although one that it depends on was not finished. A queue goes by `isReady`: an \
      override that does not ask `super.isReady` says yes too early. Without the dependency's result the operation \
      works on nothing, or on something half done.
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
  /// How much longer the dependency worked.
  var lead: Nanoseconds
}

extension DoctorContext {
  fileprivate func earlyStart(_ place: Int) -> EarlyStart? {
    guard !trace.operations[place].dependencies.isEmpty, trace.operations[place].cancelRequested == nil,
      let enqueued = trace.operations[place].enqueued, let started = trace.operations[place].started,
      trace.operations[place].coverage == .full, enqueued.time <= started.time,
      // Foundation's own isReady asks the dependencies: what it let pass had said that it is finished.
      trace.operations[place].overridesReady || trace.operations[place].ready == nil
    else { return nil }
    for edge in trace.operations[place].dependencies where edge.added <= enqueued.time {
      guard let other = trace.index(of: edge.on), other != place,
        trace.operations[other].executionEnded.map({ $0.time > started.time }) ?? true
      else { continue }
      if let removed = edge.removed, !Self.isBefore(started.time, removed) { continue }
      let dependency = trace.operations[other]
      guard dependency.coverage == .full, dependency.cancelRequested == nil, works(dependency, after: started.time)
      else { continue }
      let ended = dependency.executionEnded?.time ?? end
      return EarlyStart(
        operation: trace.operations[place], started: started, dependency: dependency, lead: ended - started.time)
    }
    return nil
  }

  fileprivate func startedEarly(_ cases: [EarlyStart]) -> Finding {
    let first = cases[0]
    let operations = cases.map(\.operation)
    let className = first.operation.className
    let isOne = cases.count == 1
    var finding = Finding(
      "started-before-dependency", .error,
      title: isOne
        ? "\(name(first.operation.id)) started before \(name(first.dependency.id)), which it depends on, was finished"
        : "\(those(operations)) started before what they depend on was finished",
      explanation: "A queue starts what says that it is ready. \(className) said so while a dependency was at work: "
        + "mostly an override of isReady that does not ask super.",
      fix: "Let isReady of \(className) begin with super.isReady &&, and start no \(className) of a queue by hand.")
    finding.operations = operations.map(\.id) + (isOne ? [first.dependency.id] : [])
    finding.queues = queues(of: operations)
    for one in cases.prefix(3) {
      let dependency = name(one.dependency.id)
      if let ready = one.operation.ready {
        finding.evidence.append(.init(at: ready, "\(name(one.operation.id)) said that it is ready"))
      }
      finding.evidence.append(.init(at: one.started, "\(name(one.operation.id)) was started"))
      finding.evidence.append(
        one.dependency.executionEnded.map { .init(at: $0, "\(dependency), which it depends on, ended only now") }
          ?? .init(time: end, "\(dependency), which it depends on, still runs"))
    }
    return proven(finding)
  }
}
