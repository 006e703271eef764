import OpTraceDoctor
import OpTraceFormat
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let lockCycle = Trouble("lock-cycle", .stuck)
}

extension DoctorRule {
  static let lockCycle = DoctorRule(
    .lockCycle, .error,
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
    let cycle = explained(deadlock)
    let words = words(of: cycle, deadlock)
    let finding = finding(.lockCycle, deadlock, title: words.title, explanation: words.explanation, fix: words.fix)
    return doubted(finding, cycle, deadlock)
  }

  /// Looks for the mistake that explains a cycle best, in this order.
  private func explained(_ deadlock: Blockage.Deadlock) -> LockCycle {
    let waiters = deadlock.cycle.filter { step in
      if case .lock = blockage.graph.nodes[step.from] { false } else { true }
    }
    let isOfLocksAlone = waiters.allSatisfy { if case .lock = $0.reason { true } else { false } }
    let seen = waiters.compactMap { step -> SeenThread? in
      if case .lock(let thread) = step.reason { seenThreads[thread] } else { nil }
    }
    let isOfInitialisers = !seen.isEmpty && seen.allSatisfy { $0.reason == .once }
    let shape: LockCycle.Shape =
      switch (waiters.count, isOfLocksAlone) {
      case (1, _) where isOfInitialisers: .ownInitialiser
      case (_, true) where isOfInitialisers: .initialisers
      case (1, _):
        suspendedHolder(waiters).map { .suspendedHolder($0) } ?? (seen.first.map(isInHandler) == true ? .handler : .own)
      case (_, true): .locks
      case (_, false): .mixed(waiting: waitOfHolder(deadlock))
      }
    return LockCycle(first: waiters.first, seen: seen, isOfInitialisers: isOfInitialisers, shape: shape)
  }

  /// The finding as a warning if the threads may go on.
  private func doubted(_ finding: Finding, _ cycle: LockCycle, _ deadlock: Blockage.Deadlock) -> Finding {
    var finding = finding
    if case .suspendedHolder(let holder) = cycle.shape {
      let first = cycle.first.map { name(ofNode: $0.from) } ?? "a thread"
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

/// A cycle through locks, and the mistake that it comes of.
struct LockCycle {
  enum Shape {
    /// An initialiser uses its own property.
    case ownInitialiser
    /// Initialisers use each other's properties.
    case initialisers
    /// A thread waits for a lock that a task took there before it was suspended.
    case suspendedHolder(TaskRecord)
    /// A signal handler needs a lock of the code that it interrupted.
    case handler
    /// A thread locks what it holds.
    case own
    /// Threads take locks in different orders.
    case locks
    /// A holder of a lock waits for work that needs the lock; nil: for what is not known.
    case mixed(waiting: Blockage.Step?)
  }

  /// The first of those that wait.
  var first: Blockage.Step?
  /// The threads that wait for locks.
  var seen: [SeenThread]
  var isOfInitialisers: Bool
  var shape: Shape
}
