import OpTraceFormat
import OpTraceModel

extension DoctorRule {
  static let lockCycle = DoctorRule(
    "lock-cycle", .error, .stuck,
    Guide(
      """
      A cycle of waits goes through a lock (a mutex, a reader-writer lock, Swift's `Mutex`): two threads take two \
      locks in opposite order, a thread locks what it already holds, or a thread holds a lock while it waits for an \
      operation that needs the lock. The initialiser of a global or a static property is a lock, too: Swift runs it \
      once, and who uses the property meanwhile waits. Seen in the recorder's snapshot of the threads, taken when nothing moves: which \
      lock each thread waits for, and which thread holds it.
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
    let seen = waiters.compactMap { step -> SeenThread? in
      if case .lock(let thread) = step.reason { seenThreads[thread] } else { nil }
    }
    let isOfInitialisers = !seen.isEmpty && seen.allSatisfy { $0.reason == .once }
    let names = seen.compactMap(initialised)
    let holder = isOfInitialisers ? nil : suspendedHolder(waiters)
    let lock =
      isOfInitialisers ? seen.first.map(obstacle) ?? "a lock" : chain.first { $0.kind == .lock }?.name ?? "a lock"
    let first = waiters.first.map { name(ofNode: $0.from) } ?? "a thread"
    let location = waiters.first.flatMap { self.location(of: $0.reason) }
    let title: String
    let explanation: String
    let fix: String
    switch (waiters.count, isOfLocksAlone) {
    case (1, _) where isOfInitialisers:
      title = "\(first) waits for \(lock), which it runs itself"
      explanation =
        "Swift runs the initialiser of a global or a static property once, when it is first used. This one uses its own "
        + "property, and so waits for itself to be over."
      fix =
        "Do not use \(names.first ?? "the property")\(Self.phrase(location)) before it has its value: pass on what is being "
        + "made instead."
    case (_, true) where isOfInitialisers:
      title =
        "\(members(chain)) wait for each other's initialisers"
        + (names.isEmpty ? "" : ": those of \(Self.list(names))")
      explanation =
        "Swift runs the initialiser of a global or a static property once, when it is first used; who uses it meanwhile "
        + "waits. Each of these runs one, and waits for the one that the next runs."
      fix =
        "Do not use one of these properties in the initialiser of the other: pass the value on, or make both in one place "
        + "before the work begins."
    case (1, _) where holder != nil:
      title =
        "\(first) waits for \(lock) that its thread holds: \(holder.map { name($0.id) } ?? "a task") was suspended there before"
      explanation =
        "A lock belongs to a thread. A task that is suspended while it has one leaves the thread, and the next task there waits for "
        + "what its own thread holds."
      fix =
        "Do not hold a lock across an await\(Self.phrase(holder.flatMap { self.location(of: $0) })): take what is needed, unlock it, and "
        + "await then. An actor keeps its state without a lock."
    case (1, _) where seen.first.map(isInHandler) == true:
      title = "a signal handler on \(first) waits for \(lock) that the same thread held when the signal came"
      explanation =
        "A signal handler runs on a thread that does something else. What that has locked it unlocks only after the handler, which "
        + "never ends."
      fix =
        "Take no lock in a signal handler\(Self.phrase(location)): it may only set a flag or write to a pipe. Or get the signal on a "
        + "queue (DispatchSource.makeSignalSource)."
    case (1, _):
      title = "\(first) waits for \(lock) that it holds itself"
      explanation =
        "A thread that locks a non-recursive lock twice waits for itself to unlock it, which never happens."
      fix =
        "Do not lock it twice\(Self.phrase(location)): call a function that expects it to be locked, or use an "
        + "NSRecursiveLock."
    case (_, true):
      title = "\(members(chain)) wait for each other's locks"
      explanation =
        "Each holds a lock and waits for the lock of the next, and the last for the lock of the first. None of them can "
        + "continue."
      fix = "Take these locks in the same order everywhere, or hold only one of them at a time."
    case (_, false):
      let waiting = waitOfHolder(deadlock)
      title = "\(members(chain)) block each other in a cycle through \(lock)"
      explanation =
        "The holder of the lock waits for work that needs the lock. It unlocks only after the wait, and the wait ends "
        + "only after the unlock."
      fix =
        "Do not wait while holding a lock: unlock it before \(waiting.map { name(ofNode: $0.from) } ?? first) waits"
        + "\(Self.phrase(waiting.flatMap { self.location(of: $0) }))."
    }
    var finding = finding("lock-cycle", deadlock, title: title, explanation: explanation, fix: fix)
    if let holder {
      return unproven(
        finding, because: "\(name(holder.id)) may go on elsewhere and unlock it, or \(first) has locked it twice")
    }
    // While all threads wait for these locks, ready operations find no free pool thread.
    if isEveryThreadHeldUp { finding.behind += suspects.count { $0.kind == .notStarted } }
    for step in deadlock.edges {
      guard case .lock(let thread) = step.reason, let seen = seenThreads[thread], isContended(seen) else { continue }
      return unproven(finding, because: "\(name(thread)) ran shortly before, so this state may not last")
    }
    return finding
  }

  /// Whether the thread is in a signal handler. The kernel lets it return to a piece of the C library that has a name
  /// only where that library has all its symbols.
  private func isInHandler(_ seen: SeenThread) -> Bool {
    let frames = trace.stacks.stack(seen.at)
    return zip(frames, frames.dropFirst()).contains { handler, back in
      guard trace.stacks.isOwn(handler), trace.stacks.codeName(of: back)?.hasPrefix("libc.") == true else {
        return false
      }
      let name = trace.stacks.function(of: back)?.shortName
      return name == nil || name == "__restore_rt" || name == "__kernel_rt_sigreturn"
    }
  }

  /// What a holder of a lock waits for, unless that is another lock.
  private func waitOfHolder(_ deadlock: Blockage.Deadlock) -> Blockage.Step? {
    let waits = deadlock.cycle.lazy.compactMap { step in
      if case .holder = step.reason { deadlock.cycle.first { $0.from == step.to } } else { nil }
    }
    return waits.first { if case .lock = $0.reason { false } else { true } }
  }

  private func location(of step: Blockage.Step) -> CodeLocation? {
    guard step.reason == .sync, case .block(let index) = blockage.graph.nodes[step.to] else {
      return location(of: step.reason)
    }
    return location(ofSubmitting: trace.blocks[index])
  }

  /// A suspended task that ran on the thread that waits for its own lock: the task may have taken the lock. Nil: there
  /// is none, or the cycle has several threads. A task without a function of the program, such as one of a test
  /// framework, takes none of its locks.
  private func suspendedHolder(_ waiters: [Blockage.Step]) -> TaskRecord? {
    guard waiters.count == 1, case .lock(let thread) = waiters[0].reason else { return nil }
    return trace.tasks.last { task in
      task.over == nil && task.runs.last.map { $0.thread == thread && $0.ended != nil } == true
        && task.suspension?.at.map { trace.stacks.ownFrame($0) == nil } != true
    }
  }

  /// Whether a call takes one of Foundation's own locks twice. Other rules report these cases: adding to a queue while
  /// a barrier is pending, and making an operation depend on itself.
  fileprivate func isOfFoundation(_ deadlock: Blockage.Deadlock) -> Bool {
    let threads = deadlock.cycle.compactMap { step in if case .lock(let thread) = step.reason { thread } else { nil } }
    guard deadlock.cycle.count == 2, let thread = threads.first else { return false }
    if suspects.contains(where: { trace.operations[$0.index].addingSince?.thread == thread && reentry($0) != nil }) {
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

  /// Whether a cycle through locks blocks every operation that holds a pool thread, so that ready operations wait for
  /// them.
  var isEveryThreadHeldUp: Bool {
    guard blockage.deadlocks.contains(where: { kind(of: $0) == .lock }) else { return false }
    let graph = blockage.graph
    return graph.nodes.indices.allSatisfy { node in
      guard case .operation(let index) = graph.nodes[node] else { return true }
      let operation = trace.operations[index]
      return !operation.isStarted || operation.startReturned != nil || blockage.isBlocked[node]
    }
  }

  /// Whether the lock may only be contended. A snapshot reads one thread after another, so threads that pass locks back
  /// and forth may seem to hold each other's. A thread that did not move until all were read is no such case. If
  /// that is not known, use of the processor tells contended threads from stuck ones.
  private func isContended(_ seen: SeenThread) -> Bool {
    guard !seen.isStill else { return false }
    let (used, time) = (seen.cpuSince ?? seen.cpu, seen.cpuSince == nil ? seenThreads.time ?? 0 : seen.since ?? 0)
    return used > max(1, time) / 20
  }

  /// `2 operations`, `an operation and the main thread`.
  func members(_ chain: [ChainMember]) -> String {
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
