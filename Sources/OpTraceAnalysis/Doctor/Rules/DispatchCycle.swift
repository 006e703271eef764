import OpTraceModel

extension DoctorRule {
  static let dispatchCycle = DoctorRule(
    "dispatch-cycle", .error, .stuck,
    Guide(
      """
      A cycle of waiting goes through a serial dispatch queue: what runs in it waits, by `sync`, for a semaphore or for an \
      operation, for something that needs the queue itself, straight or by way of other queues, operations and threads. \
      Seen where blocks are recorded (`record --dispatch`).
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
      guard case .turn(let place) = graph.nodes[step.from] else { continue }
      queues.append(name(trace.dispatchQueues[place]))
    }
    let waits = deadlock.cycle.first { $0.reason == .sync }
    let who = waits.map { name(ofNode: $0.from) } ?? "what runs there"
    let place = waits.flatMap { step -> CodeLocation? in
      guard case .block(let place) = graph.nodes[step.to] else { return nil }
      return trace.stacks.codeLocation(trace.blocks[place].submittedAt)
    }
    let first = queues.first ?? "a dispatch queue"
    return finding(
      "dispatch-cycle", deadlock,
      title: queues.count > 1
        ? "\(Self.list(queues)) wait for each other" : "what runs in \(first) waits for \(first) itself",
      explanation: queues.count > 1
        ? "What runs in each of these serial queues waits for the next one's turn, and the last for the first one's. None of "
          + "them will ever go on."
        : "\(first.uppercasedFirst) is serial: nothing else gets its turn before what runs there is over, and that waits for "
          + "something that needs the turn. Neither will ever go on.",
      fix:
        "Do not wait inside of \(first): hand over with async where \(who) waits\(Self.phrase(place)), or let one queue "
        + "be the target of the other, so that one order rules them both.")
  }
}
