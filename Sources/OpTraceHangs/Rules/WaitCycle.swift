import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let waitCycle = Trouble("wait-cycle", .stuck)
}

extension DoctorRule {
  static let waitCycle = DoctorRule(
    .waitCycle, .error,
    Guide(
      """
      Operations block each other in a cycle that does not consist of dependencies alone and goes through more than \
      one queue: waits inside operations, slots of full queues, barriers, dependencies. Each link is harmless by \
      itself.
      """,
      wrong: """
        images.addOperation {           // both queues run one operation at a time
          files.addOperation(save)
          save.waitUntilFinished()      // needs the slot of files …
        }
        files.addOperation {
          images.addOperation(decode)
          decode.waitUntilFinished()    // … which waits for the slot of images
        }
        """,
      right: """
        save.addDependency(decode)      // dependencies hold no slots
        images.addOperation(decode)
        files.addOperation(save)
        """)
  ) { context in
    context.blockage.deadlocks.filter { context.kind(of: $0) == .other }.map { deadlock in
      let members = context.operations(of: deadlock)
      guard !members.isEmpty else { return context.waitingForEachOther(deadlock) }
      let waiter = members.first { $0.isStarted } ?? members.first
      let queues = context.queues(of: members)
      let across = queues.count > 1 ? " across \(DoctorContext.count(queues.count, "queue"))" : ""
      let hasBarrier = deadlock.edges.contains { $0.reason == .barrier }
      return context.finding(
        .waitCycle, deadlock,
        title: members.count == 1
          ? "\(context.list(members.map(\.id))) waits for itself"
          : "\(DoctorContext.count(members.count, "operation")) block each other in a cycle\(across)",
        explanation: members.count == 1
          ? "A wait inside an operation blocks its thread, so the operation cannot reach the end that it waits for."
          : "Each of these waits for the next, and the last for the first: in a wait inside an operation, for a slot of a "
            + "full queue\(hasBarrier ? ", for a barrier" : "") or for a dependency. None of them can continue.",
        fix: context.fixWithoutWaits(deadlock)
          ?? "Do not wait inside \(waiter.map { context.name($0.id) } ?? "an operation"): make the part after the wait an "
          + "operation that depends on what it waits for. Dependencies hold no slots.")
    }
  }
}

extension DoctorContext {
  /// What to change where no code of the cycle waits; nil: some does.
  fileprivate func fixWithoutWaits(_ deadlock: Blockage.Deadlock) -> String? {
    let waits = deadlock.edges.contains { edge in
      switch edge.reason {
      case .wait, .lock, .join, .sync, .submission, .ender, .task, .actor: true
      default: false
      }
    }
    guard !waits, let last = lastDependency(of: deadlock) else { return nil }
    return
      "Remove the dependency of \(name(last.waiter)) on \(name(last.on)), or another one of the cycle: the one that "
      + "the work does not need."
  }

  /// The finding for a cycle without operations, mostly of tasks that await each other.
  fileprivate func waitingForEachOther(_ deadlock: Blockage.Deadlock) -> Finding {
    let chain = chain(of: deadlock)
    let works = chain.filter { $0.kind == .task || $0.kind == .block }
    if let finding = blockedActor(deadlock) { return finding }
    let isOfTasks = !works.isEmpty && works.allSatisfy { $0.kind == .task }
    return finding(
      .waitCycle, deadlock,
      title: Set(works.compactMap(\.id)).count == 1
        ? "\(works[0].id.map { name(WorkID(UInt32(clamping: $0))) } ?? "it") \(isOfTasks ? "awaits" : "waits for") itself"
        : "\(members(chain)) wait for each other in a cycle",
      explanation: deadlock.edges.contains { $0.reason == .ender }
        ? "Each of these waits for the next, for its end or for a signal that nothing else could give, and the last for the first. None "
          + "of them can continue."
        : "Each of these waits for the end of the next, and the last for that of the first. None of them can continue.",
      fix: isOfTasks
        ? "Do not await a task inside of what it awaits itself: let it return its value, and await that in one place."
        : "Do not wait in one of these for the next: let what comes behind the wait be work of its own (notify, or a task)."
    )
  }

  /// The finding for a task that blocks an actor until another task has run, which needs a turn there; nil: the cycle
  /// goes through no actor.
  private func blockedActor(_ deadlock: Blockage.Deadlock) -> Finding? {
    let graph = blockage.graph
    guard let edge = deadlock.edges.first(where: { $0.reason == .actor }),
      case .task(let waiter) = graph.nodes[edge.from], case .task(let holder) = graph.nodes[edge.to],
      let wait = trace.tasks[waiter].openActorWait
    else { return nil }
    let (blocked, needs) = (name(trace.tasks[holder].id), name(trace.tasks[waiter].id))
    let place = location(of: trace.tasks[holder])
    var finding = finding(
      .waitCycle, deadlock,
      title: "\(blocked) waits inside an actor of class \(wait.actor.className) for \(needs), which needs that actor"
        + Self.phrase(place),
      explanation:
        "\(blocked.uppercasedFirst) blocks its thread inside the actor until the other task has run. That one needs a turn on the same "
        + "actor, and gets none while the thread is blocked there.",
      fix:
        "Do not block inside an actor: make the function async and await the result, or let work that needs no turn on the actor "
        + "(nonisolated) give it.")
    finding.location = place
    return finding
  }
}
