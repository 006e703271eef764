package import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  package static let dependencyCycle = Trouble("dependency-cycle", .stuck)
}

extension DoctorRule {
  package static let dependencyCycle = DoctorRule(
    .dependencyCycle, .error,
    Guide(
      """
      Operations depend on each other in a cycle, so none of them can ever start. Foundation does not check for \
      cycles: each `addDependency` looks right by itself, even if the operations are in different queues.
      """,
      wrong: """
        token.addDependency(session)    // a token needs a session …
        session.addDependency(token)    // … and a session needs a token
        queue.addOperations([token, session], waitUntilFinished: false)
        """,
      right: """
        session.addDependency(token)    // one direction only
        queue.addOperations([token, session], waitUntilFinished: false)
        """)
  ) { context in
    context.blockage.deadlocks.filter { context.kind(of: $0) == .dependencies }.map { deadlock in
      let count = deadlock.cycle.count
      let first = context.operations(of: deadlock).first.map { context.name($0.id) } ?? "an operation"
      let itself = count == 1
      return context.finding(
        .dependencyCycle, deadlock,
        title: itself
          ? "\(first) depends on itself"
          : "\(DoctorContext.count(count, "operation")) depend on each other in a cycle",
        explanation: itself
          ? "An operation starts when all its dependencies are finished, and it cannot finish before it starts. On Linux the "
            + "call of addDependency never returns."
          : "An operation starts when all its dependencies are finished. Each of these waits for the next, and the last for "
            + "the first, so none of them can start.",
        fix: context.fix(of: deadlock))
    }
  }
}

extension DoctorContext {
  /// The dependency of the cycle that was added last: it closed the cycle. `isInOrder`: it is known to be the last.
  func lastDependency(
    of deadlock: Blockage.Deadlock
  ) -> (waiter: OperationID, on: OperationID, isInOrder: Bool)? {
    var last: (added: Nanoseconds, waiter: OperationID, on: OperationID)?
    for step in deadlock.cycle {
      guard case .operation(let waiter) = blockage.graph.nodes[step.from],
        case .operation(let other) = blockage.graph.nodes[step.to]
      else { continue }
      let record = trace.operations[waiter]
      let id = trace.operations[other].id
      guard let edge = record.dependencies.first(where: { $0.on == id && $0.removed == nil }) else { continue }
      if edge.added >= last?.added ?? .min { last = (edge.added, record.id, id) }
    }
    guard let last else { return nil }
    // Edges that are older than the enqueueing have its time, so their order is not known.
    let isInOrder = operation(last.waiter)?.enqueued.map { last.added > $0.time + TraceBuilder.tolerance } ?? false
    return (last.waiter, last.on, isInOrder)
  }

  fileprivate func fix(of deadlock: Blockage.Deadlock) -> String {
    guard let last = lastDependency(of: deadlock) else { return "Remove one of these dependencies." }
    if last.waiter == last.on { return "Remove the dependency of \(name(last.on)) on itself." }
    guard last.isInOrder else {
      return "Remove one of these dependencies: the one that the work does not need."
    }
    return "Remove one of these dependencies. The one of \(name(last.waiter)) on \(name(last.on)) closed the cycle."
  }
}
