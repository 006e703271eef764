import OpTraceModel

extension DoctorRule {
  static let lockCycle = DoctorRule(
    "lock-cycle", .error, .stuck,
    Guide(
      """
      A cycle of waiting goes through a lock (a mutex, a reader-writer lock, Swift's `Mutex`): two threads take two locks \
      in two orders, one locks what it has locked already, or one waits for an operation while it has a lock that the \
      operation wants. Seen when the recorder looked at the threads, as nothing moved: in which lock each sleeps, and who \
      has it.
      """,
      wrong: """
        func transfer(from a: Account, to b: Account) {
          a.lock.lock()
          b.lock.lock()                 // another thread transfers from b to a
          defer { b.lock.unlock(); a.lock.unlock() }
          b.balance += a.take()
        }
        """,
      right: """
        func transfer(from a: Account, to b: Account) {
          let (first, second) = a.id < b.id ? (a, b) : (b, a)
          first.lock.lock()             // everybody in the same order
          second.lock.lock()
          defer { second.lock.unlock(); first.lock.unlock() }
          b.balance += a.take()
        }
        """)
  ) { context in
    context.blockage.deadlocks.filter { context.kind(of: $0) == .lock && !context.isOfFoundation($0) }
      .map { context.lockCycle($0) }
  }
}

extension DoctorContext {
  fileprivate func lockCycle(_ deadlock: Blockage.Deadlock) -> Finding {
    let chain = chain(of: deadlock)
    let waiters = deadlock.cycle.filter { step in
      if case .lock = blockage.graph.nodes[step.from] { false } else { true }
    }
    let isOfLocksAlone = waiters.allSatisfy { if case .lock = $0.reason { true } else { false } }
    let lock = chain.first { $0.kind == .lock }?.name ?? "a lock"
    let first = waiters.first.map { name(ofNode: $0.from) } ?? "a thread"
    let place = waiters.first.flatMap { self.place(of: $0.reason) }
    let title: String
    let explanation: String
    let fix: String
    switch (waiters.count, isOfLocksAlone) {
    case (1, _):
      title = "\(first) waits for \(lock) that it has itself"
      explanation =
        "Who has a lock that is not recursive, and locks it again, waits until it lets go of it: that never comes."
      fix =
        "Do not lock it again where it is locked\(Self.phrase(place)): call what expects it to be locked, or take an "
        + "NSRecursiveLock."
    case (_, true):
      title = "\(members(chain)) wait for each other's locks"
      explanation =
        "Each has a lock and sleeps until it gets that of the next, and the last until it gets that of the first. None "
        + "of them will ever let go."
      fix = "Take these locks in the same order everywhere, or hold one of them at a time."
    case (_, false):
      let waiting = waiters.first { if case .wait = $0.reason { true } else { false } }
      title = "\(members(chain)) block each other in a cycle through \(lock)"
      explanation =
        "Who has the lock waits for work that needs it. The lock is let go of only after the wait, and the wait ends only "
        + "after that."
      fix =
        "Do not wait while you have a lock: let go of it before \(waiting.map { name(ofNode: $0.from) } ?? first) waits"
        + "\(Self.phrase(waiting.flatMap { self.place(of: $0.reason) }))."
    }
    var finding = finding("lock-cycle", deadlock, title: title, explanation: explanation, fix: fix)
    // What is ready finds no thread of the pool while it sleeps in the locks.
    if isEveryThreadHeldUp { finding.behind += suspects.count { $0.kind == .notStarted } }
    for step in deadlock.edges {
      guard case .lock(let thread) = step.reason, let seen = standings[thread], isContended(seen) else { continue }
      return unproven(finding, because: "\(name(thread)) was at work shortly before, and it may be a moment's state")
    }
    return finding
  }

  /// Whether it is a lock of Foundation's own that a call takes twice, of which another rule tells: one that adds to a queue
  /// with a barrier pending, one that makes an operation depend on itself.
  fileprivate func isOfFoundation(_ deadlock: Blockage.Deadlock) -> Bool {
    let threads = deadlock.cycle.compactMap { step in if case .lock(let thread) = step.reason { thread } else { nil } }
    guard deadlock.cycle.count == 2, let thread = threads.first else { return false }
    if suspects.contains(where: { trace.operations[$0.place].addingSince?.thread == thread && reentry($0) != nil }) {
      return true
    }
    return blockage.deadlocks.contains { other in
      guard kind(of: other) == .dependencies, other.nodes.count == 1, let operation = operations(of: other).first else {
        return false
      }
      let added = operation.dependencies.last { $0.on == operation.id && $0.removed == nil }?.added
      return added ?? .min >= self.thread(thread)?.lastSign ?? .min
    }
  }

  /// A cycle through locks blocks all operations that have a thread of the pool: what is ready waits for these.
  var isEveryThreadHeldUp: Bool {
    guard blockage.deadlocks.contains(where: { kind(of: $0) == .lock }) else { return false }
    let graph = blockage.graph
    return graph.nodes.indices.allSatisfy { node in
      guard case .operation(let place) = graph.nodes[node] else { return true }
      let operation = trace.operations[place]
      return !operation.isStarted || operation.startReturned != nil || blockage.isBlocked[node]
    }
  }

  /// Threads are looked at one after another: those that pass locks to and fro all the time may seem to hold each other.
  /// Who was still until all had been seen does not. Where that is not told: they use the processor, and those that are
  /// stuck do not.
  private func isContended(_ seen: SeenThread) -> Bool {
    guard !seen.isStill else { return false }
    let (used, time) = (seen.cpuSince ?? seen.cpu, seen.cpuSince == nil ? standings.time ?? 0 : seen.since ?? 0)
    return used > max(1, time) / 20
  }

  /// `2 operations`, `an operation and the main thread`.
  private func members(_ chain: [ChainMember]) -> String {
    let operations = chain.count { $0.kind == .operation }
    let threads = chain.filter { $0.kind == .thread }
    var parts: [String] = []
    if operations > 0 { parts.append(operations == 1 ? "an operation" : Self.count(operations, "operation")) }
    for (kind, word) in [(ChainMember.Kind.block, "block"), (.task, "task")] {
      let count = chain.count { $0.kind == kind }
      if count > 0 { parts.append(count == 1 ? "a \(word)" : Self.count(count, word)) }
    }
    if threads.count == 1 { parts.append(threads[0].name ?? "a thread") }
    if threads.count > 1 { parts.append(Self.count(threads.count, "thread")) }
    return Self.list(parts)
  }
}
