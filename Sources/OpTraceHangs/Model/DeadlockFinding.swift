import OpTraceDoctor
import OpTraceFormat
import OpTraceKernel
import OpTraceModel

/// What the rules about cycles share.
extension DoctorContext {
  enum CycleKind { case dependencies, ownSlots, mainThread, lock, dispatch, other }

  /// The rule that a cycle belongs to. Each cycle belongs to exactly one.
  func kind(of deadlock: Blockage.Deadlock) -> CycleKind {
    let graph = blockage.graph
    if deadlock.edges.allSatisfy({ $0.reason == .dependency }) { return .dependencies }
    if deadlock.nodes.contains(where: { if case .lock = graph.nodes[$0] { true } else { false } }) { return .lock }
    if deadlock.edges.contains(where: { $0.reason == .mainThread }) || waitsForMainThread(deadlock) {
      return .mainThread
    }
    if deadlock.edges.contains(where: { $0.reason == .turn }) { return .dispatch }
    if deadlock.edges.contains(where: { $0.reason == .barrier }) { return .other }
    let hasSubmissions = deadlock.edges.contains { $0.reason == .submission || $0.reason == .ender }
    if hasSubmissions, !deadlock.edges.contains(where: { $0.reason == .slot }) { return .other }
    var slots: [Int] = []
    var emptied: [Int] = []
    for node in deadlock.nodes {
      if case .slots(let queue) = graph.nodes[node] { slots.append(queue) }
      if case .emptiness(let queue) = graph.nodes[node] { emptied.append(queue) }
    }
    if slots.count == 1 { return .ownSlots }
    // Operations wait until their own queue is empty, and hold all of its slots.
    if slots.isEmpty, emptied.count == 1, let queue = emptied.first, trace.queues[queue].limit > 0 {
      let holders = operations(of: deadlock).filter { $0.isStarted && $0.queue == trace.queues[queue].id }
      if holders.count >= trace.queues[queue].limit { return .ownSlots }
    }
    return .other
  }

  /// Whether an operation in the cycle calls `DispatchQueue.main.sync`.
  private func waitsForMainThread(_ deadlock: Blockage.Deadlock) -> Bool {
    deadlock.edges.contains { edge in
      if edge.reason != .ender, case .thread(let thread) = blockage.graph.nodes[edge.to] {
        return self.thread(thread)?.isMain == true
      }
      return false
    }
  }

  func operations(of deadlock: Blockage.Deadlock) -> [OperationRecord] {
    deadlock.nodes.compactMap { node in
      if case .operation(let index) = blockage.graph.nodes[node] { return trace.operations[index] }
      return nil
    }
  }

  /// A finding with the cycle, its evidence, and the number of operations behind it. The rule adds title and fix.
  func finding(
    _ trouble: Trouble, _ deadlock: Blockage.Deadlock, title: String, explanation: String, fix: String
  ) -> Finding {
    var finding = Finding(trouble, .error, ending: .cycle, title: title, explanation: explanation, fix: fix)
    let graph = blockage.graph
    finding.cycle = deadlock.cycle.compactMap { step in
      if case .operation(let index) = graph.nodes[step.from] { return trace.operations[index].id }
      return nil
    }
    finding.chain = chain(of: deadlock)
    let members = operations(of: deadlock)
    finding.operations = finding.cycle + members.map(\.id).filter { !finding.cycle.contains($0) }
    finding.queues = queues(of: members)
    let stuck = waiting(forSubmissionsIn: deadlock)
    finding.operations += stuck.map(\.id).filter { !finding.operations.contains($0) }
    finding.behind = max(0, deadlock.behind - stuck.count)
    finding.evidence = deadlock.cycle.compactMap { evidence($0) }
    let shown = Set(deadlock.cycle.map(\.from))
    // Operations outside the shown cycle that hold slots, so that none is free.
    for edge in deadlock.edges where !shown.contains(edge.from) {
      switch edge.reason {
      case .wait, .lock, .join: break
      default: continue
      }
      guard let line = evidence(edge) else { continue }
      if finding.evidence.count < Self.mostEvidence { finding.evidence.append(line) }
    }
    var said = Set<String>()
    finding.evidence.removeAll { !said.insert($0.text).inserted }
    for operation in stuck { finding.evidence.append(evidence(ofSubmissions: operation)) }
    addWaitingThreads(deadlock.waitingThreads, to: &finding)
    // Only in a closed world is it certain that nothing else finishes or signals it.
    guard deadlock.edges.contains(where: { $0.reason == .submission || $0.reason == .actor }) else {
      return proven(finding)
    }
    return lasting(silent(finding), deadlock)
  }

  /// For a cycle through an actor: makes a note a warning if nothing of the cycle has moved for long enough, although
  /// something else in the program does. That may still end it, so it is not called stuck.
  private func lasting(_ finding: Finding, _ deadlock: Blockage.Deadlock) -> Finding {
    let since = deadlock.cycle.compactMap { lastSign(ofNode: $0.from) }.max()
    guard deadlock.edges.contains(where: { $0.reason == .actor }), finding.severity == .note, !isStalled, let since,
      end - since > options.stallAfter
    else { return finding }
    var finding = finding
    finding.severity = .warning
    finding.isPassing = true
    return finding
  }

  /// When a block, a task or an operation moved last, or a thread began to wait.
  private func lastSign(ofNode node: Int) -> Nanoseconds? {
    switch blockage.graph.nodes[node] {
    case .operation(let index): trace.operations[index].lastSign
    case .block(let index): max(trace.blocks[index].began?.time ?? 0, trace.blocks[index].submitted?.time ?? 0)
    case .task(let index): trace.tasks[index].lastSign
    case .thread(let thread): trace.waits.last { $0.thread == thread && $0.ended == nil }?.began
    default: nil
    }
  }

  /// Operations outside the cycle that wait for work they submitted, which is in the cycle.
  private func waiting(forSubmissionsIn deadlock: Blockage.Deadlock) -> [OperationRecord] {
    let graph = blockage.graph
    let members = Set(deadlock.nodes)
    let groups = deadlock.nodes.flatMap { graph.edges(to: $0) }.filter {
      $0.reason == .submission && blockage.isBlocked[$0.from]
    }
    let waiters = Set(groups.flatMap { graph.edges(to: $0.from).map(\.from) }).subtracting(members)
    return waiters.sorted().compactMap { node in
      guard blockage.isBlocked[node], case .operation(let index) = graph.nodes[node] else { return nil }
      return trace.operations[index]
    }
  }

  private func evidence(ofSubmissions operation: OperationRecord) -> Finding.Evidence {
    let wait = trace.waits.last { $0.inside == operation.id && $0.ended == nil }
    let waits = wait.map { "waits for \(target(of: $0))\(Self.phrase(location(of: $0)))" } ?? "waits to be finished"
    let open = submittedWork[operation.id]?.open ?? []
    let left =
      open.count == 1
      ? "of the work it submitted only \(open.map { name($0) }[0])\(queuePhrase(of: open[0])) is unfinished"
      : "\(open.count) blocks and tasks it submitted are unfinished, and none of them can continue"
    return .init(at: wait.map { Stamp($0.began, $0.thread) }, "\(name(operation.id)) \(waits); \(left)")
  }

  /// ` of dispatch queue 'disk.io'`.
  private func queuePhrase(of id: WorkID) -> String {
    let queue = trace.block(id)?.queue.flatMap { id in trace.dispatchQueues.first { $0.id == id } }
    return queue.map { " of \(name($0))" } ?? ""
  }

  /// ` of dispatch queue 'disk.io', which waits for a mutex, in save() at Store.swift:40`.
  func statePhrase(of id: WorkID) -> String {
    if let block = trace.block(id) {
      guard let began = block.began else { return "\(queuePhrase(of: id)), which has not begun" }
      guard let seen = seenThreads[began.thread], seen.isAsleep else {
        return "\(queuePhrase(of: id)), which is unfinished"
      }
      return "\(queuePhrase(of: id)), which waits for \(seen.reason.text)\(Self.phrase(location(of: block)))"
    }
    guard let task = trace.task(id) else { return "" }
    guard let suspension = task.suspension else { return ", which is unfinished\(Self.phrase(location(of: task)))" }
    return ", which waits for \(suspension.actor?.title ?? suspension.reason.phrase)\(Self.phrase(location(of: task)))"
  }

  func addWaitingThreads(_ threads: [ThreadID], to finding: inout Finding) {
    for wait in trace.waits where wait.ended == nil && wait.inside == nil && threads.contains(wait.thread) {
      finding.evidence.append(
        .init(
          at: Stamp(wait.began, wait.thread),
          "\(name(wait.thread)) waits for \(target(of: wait))\(Self.phrase(location(of: wait)))"))
    }
    for seen in seenThreads.heldUp where threads.contains(seen.thread) {
      finding.evidence.append(evidence(of: seen, self.name(seen.thread)))
    }
  }

  /// One step of the cycle, in words.
  private func evidence(_ step: Blockage.Step) -> Finding.Evidence? {
    let graph = blockage.graph
    let from = graph.nodes[step.from]
    let to = graph.nodes[step.to]
    switch (from, step.reason, to) {
    case (.operation(let waiter), .dependency, .operation(let other)):
      let id = trace.operations[other].id
      let added = trace.operations[waiter].dependencies.first { $0.on == id && $0.removed == nil }?.added
      return .init(
        time: added, "\(name(waiter)) depends on \(name(other)), which is not finished")
    case (_, .wait(let index), _):
      let wait = trace.waits[index]
      let who = waiter(wait)
      return .init(
        at: Stamp(wait.began, wait.thread),
        "\(who) has been waiting for \(target(of: wait)) \(since(wait.began))\(Self.phrase(location(of: wait)))")
    case (_, .lock(let thread), _), (_, .join(let thread), _):
      return seenThreads[thread].map { evidence(of: $0, name(ofNode: step.from)) }
    case (.operation(let waiter), .slot, .slots(let queue)):
      return .init(
        at: trace.operations[waiter].ready,
        "\(name(waiter)) needs a slot of \(queueName(queue)) (\(Self.limit(trace.queues[queue].limit)))")
    case (.slots(let queue), .slot, .operation(let holder)):
      return .init(
        at: trace.operations[holder].started,
        "\(name(holder)) holds a slot of \(queueName(queue))"
          + locationPhrase(ofExecuting: trace.operations[holder]))
    case (.operation(let waiter), .barrier, .operation(let barrier)):
      return .init(
        at: trace.operations[waiter].enqueued, "\(name(waiter)) was enqueued behind the barrier \(name(barrier))")
    case (.earlier, .barrier, .operation(let member)):
      return .init(
        at: trace.operations[member].enqueued, "the barrier has to wait for \(name(member)), enqueued before it")
    case (.emptiness(let queue), .member, .operation(let member)):
      return .init(at: trace.operations[member].enqueued, "\(name(member)) is in \(queueName(queue))")
    case (.block(let index), .mainThread, _):
      return .init(
        at: trace.blocks[index].submitted,
        "\(name(trace.blocks[index].id)) has not begun: it is in the main queue and needs the main thread")
    case (.block(let index), .turn, .turn(let queue)):
      return .init(
        at: trace.blocks[index].submitted,
        "\(name(trace.blocks[index].id)) waits for its turn in \(name(trace.dispatchQueues[queue]))")
    case (.turn(let queue), .turn, .block(let index)):
      let block = trace.blocks[index]
      return .init(
        at: block.began,
        "\(name(block.id)) runs in \(name(trace.dispatchQueues[queue]))\(Self.phrase(self.location(of: block)))")
    case (.block(let index), .turn, .block(let other)):
      return .init(
        at: trace.blocks[index].submitted,
        "\(name(trace.blocks[index].id)) waits until \(name(trace.blocks[other].id)) is over: "
          + (trace.blocks[other].isBarrier ? "that is a barrier" : "it is a barrier")
          + Self.phrase(self.location(of: trace.blocks[other])))
    case (_, .sync, .block(let index)):
      let block = trace.blocks[index]
      let queue =
        block.queue.flatMap { id in trace.dispatchQueues.first { $0.id == id } }.map { " on \(name($0))" } ?? ""
      return .init(
        at: block.submitted,
        "\(name(ofNode: step.from)) calls sync\(queue), and waits until \(name(block.id)) is over"
          + Self.phrase(location(ofSubmitting: block)))
    case (.submissions(let node), .submission, let one):
      guard let id = work(of: one) else { return nil }
      return .init("\(name(id)), submitted by \(name(ofNode: node)), is unfinished")
    case (_, .ender, .enders): return evidence(ofWaitOf: step.from)
    case (.enders(let node), .ender, _):
      let count = graph.edges(from: step.from).count { $0.reason == .ender }
      return .init(
        (count == 1 ? "only \(name(ofNode: step.to))" : "\(name(ofNode: step.to)) is one of \(count) that")
          + " could end the wait of \(name(ofNode: node)): nothing else that could go on refers to what it waits for")
    case (.task(let index), .task, let one):
      guard let id = work(of: one) else { return nil }
      return .init(
        at: trace.tasks[index].suspension?.from,
        "\(name(trace.tasks[index].id)) awaits \(name(id))\(Self.phrase(self.location(of: trace.tasks[index])))")
    case (.task(let index), .actor, let one):
      guard let id = work(of: one), let wait = trace.tasks[index].openActorWait else { return nil }
      return .init(
        at: wait.queued,
        "\(name(trace.tasks[index].id)) waits for its turn on an actor of class \(wait.actor.className), and \(name(id)) is in it"
      )
    case (.task(let index), .mainThread, _):
      return .init(
        at: trace.tasks[index].suspension?.from ?? trace.tasks[index].enqueued,
        "\(name(trace.tasks[index].id)) waits for its turn on the main thread (MainActor)"
          + Self.phrase(self.location(of: trace.tasks[index])))
    case (.operation(let waiter), .mainThread, _):
      return .init(
        at: trace.operations[waiter].ready ?? trace.operations[waiter].enqueued,
        "\(name(waiter)) has not started: it is in the main queue and needs the main thread")
    default: return nil
    }
  }

  /// What a node waits for that somebody has to signal.
  private func evidence(ofWaitOf node: Int) -> Finding.Evidence? {
    switch blockage.graph.nodes[node] {
    case .task(let index) where trace.tasks[index].suspension != nil:
      let task = trace.tasks[index]
      return .init(
        at: task.suspension?.from, "\(name(task.id)) waits for a continuation\(Self.phrase(location(of: task)))")
    case let one:
      let work = work(of: one)
      let wait = trace.waits.last { wait in
        guard wait.ended == nil else { return false }
        return work.map { wait.inside == $0 } ?? (one == .thread(wait.thread))
      }
      return wait.map { wait in
        .init(
          at: Stamp(wait.began, wait.thread),
          "\(waiter(wait)) has been waiting for \(target(of: wait)) \(since(wait.began))\(Self.phrase(location(of: wait)))"
        )
      }
    }
  }

  /// Which lock a thread waits for, where, and who holds it.
  func evidence(of seen: SeenThread, _ who: String) -> Finding.Evidence {
    let stamp = Stamp(seenThreads.time ?? end, seen.thread)
    let location = Self.phrase(location(of: seen.thread)) + callers(of: seen.at)
    guard let owner = seen.heldBy else {
      let text = "\(who) waits for \(seen.reason.text) whose holder has ended without unlocking it"
      return .init(at: stamp, text + location)
    }
    if seen.reason == .join { return .init(at: stamp, "\(who) waits for the end of \(name(owner))\(location)") }
    let waits = "\(who) waits for \(obstacle(seen))"
    let (holds, itself) = seen.reason == .once ? ("runs", ", which it runs itself") : ("holds", " that it holds itself")
    return .init(
      at: stamp,
      waits + (owner == seen.thread ? itself + location : "\(location); \(holder(owner)) \(holds) it"))
  }

  /// What a thread sleeps in, after "waits for": `a mutex`, `the initialiser of 'Cache.shared'`.
  func obstacle(_ seen: SeenThread) -> String {
    initialised(seen).map { "the initialiser of " + $0 } ?? seen.reason.text
  }

  /// `'Cache.shared'`: the variable whose initialiser a thread waits for; nil: it waits for something else, or the
  /// variable is not known. If the thread's own stack does not show it, all initialisers that the holder runs are
  /// named.
  func initialised(_ seen: SeenThread) -> String? {
    guard seen.reason == .once, let owner = seen.heldBy else { return nil }
    if let name = trace.stacks.reachedGlobal(seen.at) { return Self.oneOf([name]) }
    let names = trace.stacks.stack(seenThreads[owner]?.at).compactMap { frame in
      trace.stacks.function(of: frame).flatMap { SharedName($0.shortName).without(prefix: Self.initialiser) }
    }
    return names.isEmpty ? nil : Self.oneOf(names)
  }

  /// `'first' or 'second'`
  private static func oneOf(_ shared: [SharedName]) -> String {
    let names = shared.flatMap(\.names).map { "'\(shown($0))'" } + (shared.allSatisfy(\.isWhole) ? [] : ["another"])
    return names.joined(separator: " or ")
  }

  /// The prefix of the name of a function that computes the initial value of a global or static property.
  private static let initialiser = "initialiser of "

  /// The operation or block that a thread executes, else the thread.
  func holder(_ thread: ThreadID) -> String {
    let executing = trace.operations.last { operation in
      operation.started?.thread == thread && operation.finished == nil && operation.startReturned == nil
        && !operation.isAsynchronous
    }
    let block = trace.blocks.last { $0.began?.thread == thread && $0.over == nil }
    return (block?.id ?? executing?.id).map { name($0) } ?? name(thread) + lastWork(of: [thread])
  }

  /// ` (its last operation was 'Save' (#3))`, for threads that run nothing any more; empty if they never ran an
  /// operation, or one is the main thread.
  private func lastWork(of threads: Set<ThreadID>) -> String {
    let isMain = threads.contains { thread($0)?.isMain == true }
    let last = trace.operations.filter { $0.started.map { threads.contains($0.thread) } ?? false }
      .max { ($0.started?.time ?? 0) < ($1.started?.time ?? 0) }
    return isMain ? "" : last.map { " (its last operation was \(name($0.id)))" } ?? ""
  }

  /// `, thread 1234 'worker' (its last operation was 'Save' (#3)),`: the thread that held a lock and has ended; empty:
  /// not known.
  func lastHolder(of seen: SeenThread) -> String {
    guard seen.ownerHasEnded, let owner = seen.owner.flatMap({ thread($0) }) else { return "" }
    // The lock has only the system's id of its ended holder, and the snapshot gave that id a new thread number.
    let same = trace.threads.filter { $0.systemID == owner.systemID }
    let named = same.first { !$0.name.isEmpty } ?? owner
    return ", \(name(named.id))\(lastWork(of: Set(same.map(\.id)))),"
  }

  /// The name of a waiter, or of what is waited for.
  func name(ofNode node: Int) -> String {
    switch blockage.graph.nodes[node] {
    case .operation(let index), .neverEnqueued(let index): name(index)
    case .thread(let thread): name(thread)
    case .slots(let queue), .emptiness(let queue), .suspension(let queue), .noSlots(let queue): queueName(queue)
    case .block, .task: work(of: blockage.graph.nodes[node]).map { name($0) } ?? "a block"
    case .turn(let queue): name(trace.dispatchQueues[queue])
    case .submissions(let node), .enders(let node), .nobody(let node): name(ofNode: node)
    case .earlier, .lock, .abandonedLock: "a lock"
    }
  }

  /// The id of a node that is an operation, a block or a task; nil for other nodes.
  func work(of node: WaitForGraph.Node) -> WorkID? {
    switch node {
    case .operation(let index): trace.operations[index].id
    case .block(let index): trace.blocks[index].id
    case .task(let index): trace.tasks[index].id
    default: nil
    }
  }
}
