import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let dependentReleased = Trouble("dependent-released", .misuse)
}

extension DoctorRule {
  /// Proof: the object was released while one of its remaining dependencies was running and was going to finish. On
  /// Linux an operation knows its dependents only by address, and reads each of them when it finishes. Cancelled
  /// dependents count: `cancel()` ends an operation's wait but does not remove its address. If it was cancelled before
  /// the dependency was added, no address is stored.
  static let dependentReleased = DoctorRule(
    .dependentReleased, .error,
    Guide(
      """
      An operation was released before an operation that it depended on was finished. Foundation on Linux keeps the \
      address of each dependent without retaining it, and reads it at the finish: freed memory. It mostly happens to \
      cancelled operations: they do not wait for their dependencies, and their queue releases them.
      """,
      wrong: """
        show.addDependency(download)
        queue.addOperation(show)
        show.cancel()               // released at once; download reads it
        """,
      right: """
        show.cancel()
        show.removeDependency(download)     // or keep show until then
        """)
  ) { context in
    guard context.forgetsNothing else { return [] }
    let found = context.trace.operations.indices.compactMap(context.releasedDependent)
    return DoctorContext.groups(found, by: { DoctorContext.Pattern($0.operation) }).map(context.dependentReleased)
  }
}

private struct ReleasedDependent {
  var operation: OperationRecord
  var released: Stamp
  var dependency: OperationRecord
}

extension DoctorContext {
  fileprivate func releasedDependent(_ index: Int) -> ReleasedDependent? {
    guard let released = trace.operations[index].released, !trace.operations[index].dependencies.isEmpty else {
      return nil
    }
    // A quick check: nearly always all dependencies had ended long before.
    let isLate = trace.operations[index].dependencies.contains { edge in
      let ended = trace.index(of: edge.on).flatMap { trace.operations[$0].executionEnded }
      return ended.map { $0.time > released.time } ?? true
    }
    guard isLate else { return nil }
    let operation = trace.operations[index]
    guard operation.coverage == .full else { return nil }
    for edge in operation.dependencies where edge.on != operation.id {
      if let removed = edge.removed, !Self.isBefore(released.time, removed) { continue }
      if let cancel = operation.cancelRequested, cancel.time <= edge.added { continue }
      guard let dependency = self.operation(edge.on), dependency.coverage == .full,
        isToFinish(dependency, after: released)
      else { continue }
      return ReleasedDependent(operation: operation, released: released, dependency: dependency)
    }
    return nil
  }

  /// Whether it was unfinished then, and has finished since or still will.
  private func isToFinish(_ dependency: OperationRecord, after released: Stamp) -> Bool {
    if works(dependency, after: released.time) { return true }
    // It was cancelled, and started only to be finished.
    guard dependency.executionBegan == nil, dependency.finished != nil, let started = dependency.started else {
      return false
    }
    return Self.isBefore(released.time, started.time)
  }

  fileprivate func dependentReleased(_ cases: [ReleasedDependent]) -> Finding {
    let first = cases[0]
    let operations = cases.map(\.operation)
    let dependency = name(first.dependency.id)
    let isOne = cases.count == 1
    let isCancelled = operations.contains { $0.cancelRequested != nil }
    var finding = Finding(
      .dependentReleased, .error, ending: .itWorks,
      title: "\(those(operations)) \(isOne ? "was released before its" : "were released before their") dependency "
        + "\(dependency) was finished",
      explanation: "An operation knows its dependents by address only (Foundation on Linux) and reads them when it "
        + "finishes: \(dependency) reads freed memory, and the program may crash.",
      fix:
        "Keep a reference to \(isOne ? name(operations[0].id) : "each \(operations[0].className)") until \(dependency) "
        + "is finished, or call removeDependency" + (isCancelled ? " after cancel()." : " before releasing it."))
    finding.operations = operations.map(\.id) + [first.dependency.id]
    finding.queues = queues(of: operations)
    for one in cases.prefix(3) {
      if let cancel = one.operation.cancelRequested {
        finding.evidence.append(.init(at: cancel, "\(name(one.operation.id)) was cancelled"))
      }
      finding.evidence.append(
        .init(
          at: one.released,
          "\(name(one.operation.id)) was released; \(name(one.dependency.id)) was not finished"))
    }
    finding.evidence.append(
      first.dependency.finished.map { .init(at: $0, "\(dependency) was finished, and read freed memory") }
        ?? .init(time: end, "\(dependency) will read freed memory when it finishes"))
    return proven(finding)
  }
}
