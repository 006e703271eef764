import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let queueSelfWait = Trouble("queue-self-wait", .stuck)
}

extension DoctorRule {
  static let queueSelfWait = DoctorRule(
    .queueSelfWait, .error,
    Guide(
      """
      Every operation that executes in a queue waits for one that needs a slot of the same queue. The classic case: an \
      operation of a serial queue calls `waitUntilFinished()` on a later operation of that queue, or \
      `waitUntilAllOperationsAreFinished()` on the queue itself. A blocked operation keeps its slot.
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
      let index = context.trace.queues.firstIndex { $0.id == queue } ?? 0
      let limit = context.trace.queues.indices.contains(index) ? context.trace.queues[index].limit : 1
      let name = queue.map { context.name($0) } ?? "a queue"
      let waiter = waiting.first.map { context.name($0.id) } ?? "an operation"
      var finding = context.finding(
        .queueSelfWait, deadlock,
        title: limit == 1
          ? "\(waiter) holds the only slot of \(name) and waits for work that needs it"
          : "all \(limit) slots of \(name) are held by operations that wait for work in the same queue",
        explanation: limit == 1
          ? "\(name.uppercasedFirst) runs one operation at a time. \(waiter) is that operation, and it waits for work that "
            + "can run only when the slot is free. Neither can continue."
          : "\(name.uppercasedFirst) runs \(limit) operations at a time. Each of them waits for work that can run only "
            + "when a slot is free. None can continue.",
        fix:
          "Do not wait inside an operation: split \(waiter), and make the part after the wait depend on what it waits "
          + "for (addDependency); or submit that work to another queue.")
      if let queue { finding.queues = [queue] + finding.queues.filter { $0 != queue } }
      return finding
    }
  }
}
