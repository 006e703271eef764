import OpTraceModel

extension DoctorRule {
  static let queueSelfWait = DoctorRule(
    "queue-self-wait", .error, .stuck,
    Guide(
      """
      Every operation that executes in a queue waits for one that needs a slot of the same queue. The classic: a serial \
      queue whose operation calls `waitUntilFinished()` on a later operation of that queue, or \
      `waitUntilAllOperationsAreFinished()` on the queue itself. A thread that waits keeps its slot.
      """,
      wrong: """
        let database = OperationQueue()
        database.maxConcurrentOperationCount = 1
        database.addOperation {
          let row = LoadRow()
          database.addOperation(row)
          row.waitUntilFinished()       // holds the only slot that LoadRow could run in
          show(row.result)
        }
        """,
      right: """
        let row = LoadRow()
        let show = BlockOperation { display(row.result) }
        show.addDependency(row)         // waits without a slot
        database.addOperations([row, show], waitUntilFinished: false)
        """)
  ) { context in
    context.blockage.deadlocks.filter { context.kind(of: $0) == .ownSlots }.map { deadlock in
      let members = context.operations(of: deadlock)
      let waiting = members.filter(\.isStarted)
      let queue = waiting.compactMap(\.queue).first
      let place = context.trace.queues.firstIndex { $0.id == queue } ?? 0
      let limit = context.trace.queues.indices.contains(place) ? context.trace.queues[place].limit : 1
      let name = queue.map { context.name($0) } ?? "a queue"
      let waiter = waiting.first.map { context.name($0.id) } ?? "an operation"
      var finding = context.finding(
        "queue-self-wait", deadlock,
        title: limit == 1
          ? "\(waiter) waits inside \(name) for work that needs its own slot"
          : "all \(limit) slots of \(name) are held by operations that wait for work of the same queue",
        explanation: limit == 1
          ? "\(name.uppercasedFirst) runs one operation at a time. \(waiter) is that one, and it blocks until work is over that can only "
            + "run when the slot is free. Neither will ever go on."
          : "\(name.uppercasedFirst) runs \(limit) operations at a time. Each of them blocks until work is over that can only run when "
            + "a slot is free. None will ever go on.",
        fix: "Do not wait inside of an operation: split \(waiter), and let the part after the wait depend on what it "
          + "waits for (addDependency), or put that into another queue.")
      if let queue { finding.queues = [queue] + finding.queues.filter { $0 != queue } }
      return finding
    }
  }
}
