import OpTraceModel

extension DoctorRule {
  static let dependencyCycle = DoctorRule(
    "dependency-cycle", .error, .stuck,
    Guide(
      """
      Operations depend on each other in a cycle, so none of them can ever start. Foundation does not look for cycles: \
      each `addDependency` makes sense by itself, also when the operations are in different queues.
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
        "dependency-cycle", deadlock,
        title: itself
          ? "\(first) depends on itself"
          : "\(DoctorContext.count(count, "operation")) depend on each other in a cycle",
        explanation: itself
          ? "An operation starts when all that it depends on is finished, and it cannot be finished before it starts. "
            + "On Linux the call of addDependency never returns."
          : "An operation starts when all that it depends on is finished. Each of these waits for the next, and the last "
            + "for the first, so none of them will ever start.",
        fix: context.fix(of: deadlock))
    }
  }
}

extension DoctorContext {
  fileprivate func fix(of deadlock: Blockage.Deadlock) -> String {
    // The edge that came last closed the cycle.
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
    guard let last else { return "Take one of these dependencies away." }
    // Those from before the enqueueing carry its time, and so tell nothing of their order.
    let isInOrder = operation(last.waiter)?.enqueued.map { last.added > $0.time + TraceBuilder.tolerance } ?? false
    guard isInOrder || last.waiter == last.on else {
      return "Take one of these dependencies away: see which of them the work does not need."
    }
    if last.waiter == last.on { return "Take the dependency of \(name(last.on)) on itself away." }
    return "Take one of these dependencies away. The one of \(name(last.waiter)) on \(name(last.on)) closed the cycle."
  }
}
