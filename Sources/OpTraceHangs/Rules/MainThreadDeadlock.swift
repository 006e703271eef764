import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let mainThreadDeadlock = Trouble("main-thread-deadlock", .stuck)
}

extension DoctorRule {
  static let mainThreadDeadlock = DoctorRule(
    .mainThreadDeadlock, .error,
    Guide(
      """
      The main thread waits for work that needs the main thread: an operation of `OperationQueue.main`, or code that \
      an operation runs with `DispatchQueue.main.sync`. The main queue runs only when the main thread is idle.
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
    let deadlocks = context.blockage.deadlocks.filter { context.kind(of: $0) == .mainThread }
    if deadlocks.isEmpty, let finding = context.mainThreadIsNeeded() { return [finding] }
    return deadlocks.map { deadlock in
      let needy = deadlock.edges.first { $0.reason == .mainThread }.flatMap {
        context.work(of: context.blockage.graph.nodes[$0.from])
      }
      let who = (needy ?? context.operations(of: deadlock).first?.id).map { context.name($0) } ?? "an operation"
      if let block = needy.flatMap({ context.trace.block($0) }) { return context.mainThreadDeadlock(deadlock, block) }
      if let task = needy.flatMap({ context.trace.task($0) }) { return context.mainThreadDeadlock(deadlock, task) }
      return context.finding(
        .mainThreadDeadlock, deadlock,
        title: "the main thread waits for \(who), which needs the main thread",
        explanation: needy == nil
          ? "\(who) sends work to the main thread and waits for it, while the main thread waits for \(who)."
          : "Operations of OperationQueue.main run on the main thread when it is idle. It is blocked in a wait that ends "
            + "only after \(who) has run, so neither can continue.",
        fix: "Do not wait on the main thread. Move the code after the wait into an operation that depends on "
          + "\(who), or run the main thread's run loop instead of waiting (dispatchMain(), RunLoop.main.run()).")
    }
  }
}

extension DoctorContext {
  /// The finding for a cycle through a task that needs the main actor.
  fileprivate func mainThreadDeadlock(_ deadlock: Blockage.Deadlock, _ task: TaskRecord) -> Finding {
    let wait = waitOfMainThread
    let what = wait.map { target(of: $0) } ?? "work"
    let isReferred = deadlock.edges.contains { $0.reason == .ender }
    let isAlone = isOnlyEnder(task)
    var finding = finding(
      .mainThreadDeadlock, deadlock,
      title: "the main thread waits for \(what), "
        + (isAlone
          ? "which only \(name(task.id)) could end, and that needs the main thread"
          : "while \(name(task.id)), \(isReferred ? "which has to go on first" : "which it created"), needs the main thread"),
      explanation:
        "The main actor's code runs on the main thread when it is idle. The main thread is blocked in a wait that only "
        + (isReferred
          ? "\(isAlone ? name(task.id) : "what waits for it") could end: nothing else that could go on refers to \(what). "
            + "\(isAlone ? "That" : name(task.id).uppercasedFirst) needs the main actor first."
          : "\(name(task.id)) is known to end, and that needs the main actor first."),
      fix:
        "Do not wait on the main thread: make main asynchronous and await the task, or keep the task off the main actor"
        + "\(Self.phrase(location(of: task))).")
    finding.location = wait.flatMap { location(of: $0) } ?? location(of: task)
    return finding
  }

  /// The finding for a main thread that waits for a signal where nothing in the process can go on but blocks and tasks that need it. Who made
  /// them need not be known: if one of them signals, it cannot, and if none does, nobody else will.
  fileprivate func mainThreadIsNeeded() -> Finding? {
    guard isDeadWorld, isStalled, let wait = waitOfMainThread, case .object = wait.target, let needy = needyOfMainThread
    else { return nil }
    let what = target(of: wait)
    var finding = Finding(
      // No cycle that is seen: it rests on nothing else being left.
      .mainThreadDeadlock, .error, ending: .sentence("Nothing can end it."),
      title: "the main thread waits for \(what), while \(needy.name) needs the main thread",
      explanation:
        "\(needy.kind) on the main thread when it is idle. Nothing else in the process can go on, so only "
        + "\(needy.name) could still end the wait, and it needs the main thread first.",
      fix: "Do not wait on the main thread: \(needy.change)\(Self.phrase(needy.location)).")
    finding.location = location(of: wait) ?? needy.location
    finding.evidence.append(
      .init(at: Stamp(wait.began, wait.thread), "the main thread waits for \(what)\(Self.phrase(location(of: wait)))"))
    finding.evidence.append(
      .init(at: needy.since, "\(needy.name) waits for its turn on the main thread\(Self.phrase(needy.location))"))
    return proven(finding)
  }

  /// Something that waits for its turn on the main thread.
  private struct Needy {
    var name: String
    /// What of its kind does, up to where.
    var kind: String
    var change: String
    var location: CodeLocation?
    var since: Stamp?
  }

  /// The first task, or else the first block of the main queue, that waits for its turn on the main thread; nil: none does.
  private var needyOfMainThread: Needy? {
    if let task = trace.tasks.first(where: \.waitsForMain) {
      return Needy(
        name: name(task.id), kind: "The main actor's code runs",
        change: "make main asynchronous and await the task, or keep the task off the main actor",
        location: location(of: task), since: task.suspensions.last?.enqueued ?? task.enqueued)
    }
    return trace.blocks.first { block in
      let isMain = block.queue.flatMap(trace.dispatchQueue)?.isMain == true
      return isMain && block.isHandedOn && block.began == nil && block.over == nil
    }.map { block in
      Needy(
        name: name(block.id), kind: "Blocks of DispatchQueue.main run",
        change: "run its run loop instead (dispatchMain(), RunLoop.main.run()), or submit the block to another queue",
        location: trace.stacks.codeLocation(block.submittedAt), since: block.submitted)
    }
  }

  /// Whether the main thread's wait is one that this task alone could end.
  private func isOnlyEnder(_ task: TaskRecord) -> Bool {
    guard let thread = waitOfMainThread?.thread, let enders = trace.origin?.enders(ofThread: thread) else {
      return false
    }
    return enders.works == [task.id]
  }

  private var waitOfMainThread: WaitRecord? {
    trace.waits.last { $0.ended == nil && thread($0.thread)?.isMain == true }
  }

  /// The finding for a cycle through a block of the main queue.
  fileprivate func mainThreadDeadlock(_ deadlock: Blockage.Deadlock, _ block: BlockRecord) -> Finding {
    let wait = trace.waits.last { wait in
      wait.ended == nil && thread(wait.thread)?.isMain == true
        && deadlock.cycle.contains { edge in
          if case .wait(let index) = edge.reason { return trace.waits[index] == wait }
          return false
        }
    }
    let sync = deadlock.cycle.first { step in
      guard step.reason == .sync, case .thread(let thread) = blockage.graph.nodes[step.from] else { return false }
      return self.thread(thread)?.isMain == true
    }
    // It calls neither wait nor sync, so it waits for something that the block may signal.
    let open = wait == nil && sync == nil ? waitOfMainThread : nil
    let what = wait.map { target(of: $0) } ?? sync.map { name(ofNode: $0.to) } ?? "work"
    let handed = trace.stacks.codeLocation(block.submittedAt)
    var finding = finding(
      .mainThreadDeadlock, deadlock,
      title: open.map {
        "the main thread waits for \(target(of: $0)), while \(name(block.id)) of the main queue needs the main thread"
      } ?? "the main thread waits for \(what), which needs \(name(block.id)) of the main queue",
      explanation:
        "Blocks of DispatchQueue.main run on the main thread when it is idle. It is blocked in a wait that ends only "
        + "after \(name(block.id)) has run, so neither can continue.",
      fix:
        "Do not wait on the main thread: run its run loop instead (dispatchMain(), RunLoop.main.run()), or submit the "
        + "block to another queue\(Self.phrase(handed)).")
    if let open { finding.location = location(of: open) ?? finding.location }
    return finding
  }
}
