import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let dispatchCycle = Trouble("dispatch-cycle", .stuck)
}

extension DoctorRule {
  static let dispatchCycle = DoctorRule(
    .dispatchCycle, .error,
    Guide(
      """
      A cycle of waits goes through a serial dispatch queue: work in the queue waits, in `sync`, for a semaphore or \
      for an operation, for something that needs the queue itself, directly or through other queues, operations and \
      threads. In a concurrent queue, a `sync` inside of a `sync` waits behind a barrier that came between them. Needs a \
      trace with blocks (`record --dispatch`).
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
      switch (graph.nodes[step.from], step.reason, graph.nodes[step.to]) {
      case (.turn(let index), _, _): queues.append(name(trace.dispatchQueues[index]))
      case (.block(let index), .turn, .block):
        if let queue = trace.blocks[index].queue.flatMap({ id in trace.dispatchQueues.first { $0.id == id } }) {
          queues.append(name(queue))
        }
      default: continue
      }
    }
    // A reader and a barrier of the same queue.
    if Set(queues).count == 1 { queues = [queues[0]] }
    // Between blocks, only barriers make one wait for another.
    let turns = deadlock.cycle.compactMap { step -> (later: BlockRecord, earlier: BlockRecord)? in
      guard step.reason == .turn, case .block(let later) = graph.nodes[step.from],
        case .block(let earlier) = graph.nodes[step.to]
      else { return nil }
      return (trace.blocks[later], trace.blocks[earlier])
    }
    let hasBarrier = !turns.isEmpty
    // The block at the end of the wait has not begun, so it is a barrier that waits for a running block, and later
    // blocks wait for it.
    let isBehindBarrier = turns.contains { !$0.later.isBarrier && $0.earlier.isBarrier && $0.earlier.began == nil }
    let waits = deadlock.cycle.first { $0.reason == .sync }
    let who = waits.map { name(ofNode: $0.from) } ?? "the work"
    let location = waits.flatMap { step -> CodeLocation? in
      guard case .block(let index) = graph.nodes[step.to] else { return nil }
      return self.location(ofSubmitting: trace.blocks[index])
    }
    let first = queues.first ?? "a dispatch queue"
    return finding(
      .dispatchCycle, deadlock,
      title: queues.count > 1
        ? "\(Self.list(queues)) wait for each other" : "work in \(first) waits for \(first) itself",
      explanation: queues.count > 1
        ? "Work in each of these \(hasBarrier ? "queues is a barrier or serial, and" : "serial queues") waits for its turn in the "
          + "next one, and the last for the first. None of them can continue."
        : isBehindBarrier
          ? "In \(first) a barrier waits until the work that runs is over, and what comes after the barrier waits for it: the `sync` inside of "
            + "that work, too. Neither can continue."
          : "\(first.uppercasedFirst) \(hasBarrier ? "runs a barrier" : "is serial"): nothing else runs there before the current "
            + "work is over, and that waits for something that needs the queue. Neither can continue.",
      fix: isBehindBarrier
        ? "Do not call sync on \(first) from work that runs in it, as \(who) does\(Self.phrase(location)): read there what it needs."
        : "Do not wait inside \(first): use async where \(who) waits\(Self.phrase(location)), or make one queue the target "
          + "of the other, so that they share one order.")
  }
}
