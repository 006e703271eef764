import OpTraceDoctor
import OpTraceFormat
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let blockingInTask = Trouble("blocking-in-task", .misuse)
}

extension DoctorRule {
  /// Evidence: at one place a task, or an operation of a queue with a limit, blocks its thread until another task, or another operation of
  /// that queue, signals at another place. Each alone goes on. Not where who signals has waited for it before (a lock), nor with a limit of
  /// time. How many at once would hang: as many as the pool has threads, or the queue slots.
  static let blockingInTask = DoctorRule(
    .blockingInTask, .warning,
    Guide(
      """
      A task blocks a thread of Swift's pool (with a semaphore or a group) until another task signals. The pool has only as \
      many threads as the machine has processors: when so many tasks block at once, no thread is left for those that would \
      signal. The same goes for an operation that waits for another one of a queue with a limit. This run ended well because fewer \
      did so at once. Recorded with 'optrace record --orders'.
      """,
      wrong: """
        func load() -> Data {              // called in tasks
          let loaded = DispatchSemaphore(value: 0)
          Task { data = await fetch(); loaded.signal() }
          loaded.wait()                    // holds a thread of the pool
          return data
        }
        """,
      right: """
        func load() async -> Data {
          await fetch()                    // holds no thread
        }
        """)
  ) { context in
    context.trace.handovers.compactMap(context.blockingInTask)
  }
}

extension DoctorContext {
  enum Pool: Equatable {
    case swift
    case queue(QueueID, slots: Int)
  }

  /// The pool in which both run; nil: they share none that is narrow.
  func pool(_ waiter: WorkID, _ signaller: WorkID) -> Pool? {
    if trace.task(waiter) != nil, trace.task(signaller) != nil { return .swift }
    guard let queue = operation(waiter)?.queue, operation(signaller)?.queue == queue,
      let limit = self.queue(queue)?.limit,
      limit > 0
    else { return nil }
    return .queue(queue, slots: limit)
  }

  func blockingInTask(_ handover: HandoverRecord) -> Finding? {
    guard !handover.isLock, !handover.isTimed, let waiter = handover.waiter, let signaller = handover.signaller,
      waiter != signaller, let pool = pool(waiter, signaller)
    else { return nil }
    let threads = trace.header.processors
    let who: String
    let held: String
    let enough: String
    switch pool {
    case .swift:
      who = "tasks"
      held = "a thread of Swift's pool"
      enough = threads.map { "\($0) at once would hang here" } ?? "as many at once as there are processors would hang"
    case .queue(let id, let slots):
      who = "operations"
      held = "a slot of \(name(id))"
      enough =
        slots == 1
        ? "the signal could never come if the other one were added later" : "\(slots) at once would hang here"
    }
    var finding = Finding(
      .blockingInTask, .warning, ending: .itWorks,
      title: "\(who) such as \(name(waiter)) block \(held) until another one signals: \(enough)",
      explanation:
        "Each alone goes on as soon as \(name(signaller)) has signalled. But that needs \(held), too: when those that wait have all of them, "
        + "nobody can signal.",
      fix: pool == .swift
        ? "Do not block in tasks: await the other task, or a continuation that it resumes."
        : "Make \(name(waiter)) depend on \(name(signaller)) (addDependency), or submit that to another queue.")
    finding.isLatent = true
    finding.key = key(of: handover)
    finding.location = location(at: handover.waitedAt)
    finding.operations = [waiter, signaller].filter { operation($0) != nil }
    finding.evidence = [
      .init(
        time: handover.time,
        "\(name(waiter)) waited for a \(handover.kind == .semaphore ? "semaphore" : "group")\(Self.phrase(location(at: handover.waitedAt)))"
      ),
      .init(time: handover.time, "\(name(signaller)) signalled it\(Self.phrase(location(at: handover.signalledAt)))"),
      .init("seen \(Self.count(handover.count, "time"))"),
    ]
    return finding
  }
}
