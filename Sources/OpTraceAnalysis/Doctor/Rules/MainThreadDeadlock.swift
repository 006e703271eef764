import OpTraceModel

extension DoctorRule {
  static let mainThreadDeadlock = DoctorRule(
    "main-thread-deadlock", .error, .stuck,
    Guide(
      """
      The main thread waits for work that needs the main thread: an operation of `OperationQueue.main`, or code that \
      another operation hands over with `DispatchQueue.main.sync`. The main queue runs only when the main thread has \
      nothing else to do.
      """,
      wrong: """
        let show = BlockOperation { label.text = image.name }
        show.addDependency(load)
        OperationQueue.main.addOperation(show)
        queue.addOperation(load)
        show.waitUntilFinished()        // on the main thread
        """,
      right: """
        let show = BlockOperation { label.text = image.name }
        show.addDependency(load)
        OperationQueue.main.addOperation(show)
        queue.addOperation(load)        // and back to the run loop
        """)
  ) { context in
    context.blockage.deadlocks.filter { context.kind(of: $0) == .mainThread }.map { deadlock in
      let needy = deadlock.edges.first { $0.reason == .mainThread }.flatMap { edge -> OperationID? in
        guard case .operation(let place) = context.blockage.graph.nodes[edge.from] else { return nil }
        return context.trace.operations[place].id
      }
      let who = (needy ?? context.operations(of: deadlock).first?.id).map { context.name($0) } ?? "an operation"
      return context.finding(
        "main-thread-deadlock", deadlock,
        title: "the main thread waits for \(who), which needs the main thread",
        explanation: needy == nil
          ? "\(who) hands work to the main thread and waits for it, while the main thread waits for \(who) itself."
          : "Operations of OperationQueue.main run on the main thread, when it has nothing else to do. It is blocked in a "
            + "wait that ends only after \(who) has run, so neither will ever go on.",
        fix: "Do not wait on the main thread. Put what comes after the wait into an operation that depends on "
          + "\(who), or run the main thread's run loop (dispatchMain(), RunLoop.main.run()) in place of the wait.")
    }
  }
}
