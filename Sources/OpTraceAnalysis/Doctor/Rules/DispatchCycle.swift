import OpTraceModel

extension DoctorRule {
  static let dispatchCycle = DoctorRule(
    "dispatch-cycle", .error, .stuck,
    Guide(
      """
      A cycle of waits goes through a serial dispatch queue: work in the queue waits, in `sync`, for a semaphore or \
      for an operation, for something that needs the queue itself, directly or through other queues, operations and \
      threads. Needs a trace with blocks (`record --dispatch`).
      """,
      wrong: """
        accounts.async {
          journal.sync { write(entry) }     // while a block of journal ...
        }
        journal.async {
          accounts.sync { read(balance) }   // ... waits for accounts
        }
        """,
      right: """
        accounts.async {
          let entry = makeEntry()
          journal.async { write(entry) }    // hands over, and does not wait
        }
        """)
  ) { context in
    context.blockage.deadlocks.filter { context.kind(of: $0) == .dispatch }.map { context.dispatchCycle($0) }
  }
}

extension DoctorContext {
  fileprivate func dispatchCycle(_ deadlock: Blockage.Deadlock) -> Finding {
    let graph = blockage.graph
    var queues: [String] = []
    for step in deadlock.cycle {
      guard case .turn(let index) = graph.nodes[step.from] else { continue }
      queues.append(name(trace.dispatchQueues[index]))
    }
    let waits = deadlock.cycle.first { $0.reason == .sync }
    let who = waits.map { name(ofNode: $0.from) } ?? "the work"
    let location = waits.flatMap { step -> CodeLocation? in
      guard case .block(let index) = graph.nodes[step.to] else { return nil }
      return trace.stacks.codeLocation(trace.blocks[index].submittedAt)
    }
    let first = queues.first ?? "a dispatch queue"
    return finding(
      "dispatch-cycle", deadlock,
      title: queues.count > 1
        ? "\(Self.list(queues)) wait for each other" : "work in \(first) waits for \(first) itself",
      explanation: queues.count > 1
        ? "Work in each of these serial queues waits for its turn in the next one, and the last for the first. None of them "
          + "can continue."
        : "\(first.uppercasedFirst) is serial: nothing else runs there before the current work is over, and that waits for "
          + "something that needs the queue. Neither can continue.",
      fix:
        "Do not wait inside \(first): use async where \(who) waits\(Self.phrase(location)), or make one queue the target "
        + "of the other, so that they share one order.")
  }
}
