import OpTraceFormat

/// The rules of tasks: each is created once, runs on one thread at a time, ends its runs on the threads where they
/// began and in order, and is over once, with no event after that.
struct TaskRules {
  private struct Life {
    var isCreated = false
    /// Open runs. More than one only if a begin and an end were swapped within the clocks' error.
    var runs: [(thread: UInt32, time: Nanoseconds)] = []
    var completed: Nanoseconds?
  }

  private var lives: [UInt32: Life] = [:]
  /// Running tasks by thread, the innermost last.
  private var running: [UInt32: [UInt32]] = [:]

  /// A fast check, because it is asked for each event of an operation, and most traces have no tasks.
  func isKnown(_ id: UInt32) -> Bool { !lives.isEmpty && lives[id] != nil }

  mutating func check(_ kind: EventKind, _ event: TraceEvent) -> [SubmissionRules.Problem] {
    let (id, thread) = (event.subject, event.thread.rawValue)
    var life = lives[id] ?? Life()
    defer { lives[id] = life }
    var problems: [SubmissionRules.Problem] = []
    func need(_ isTrue: Bool, _ rule: Violation.Rule, _ text: @autoclosure () -> String) {
      if !isTrue { problems.append((rule, text())) }
    }
    if kind != .taskCreated, kind != .taskCompleted, let completed = life.completed {
      need(
        event.time - completed <= TraceBuilder.tolerance, .afterRelease,
        "`\(kind.spec.name)` of task #\(id) comes after it has completed")
    }
    switch kind {
    case .taskCreated:
      need(!life.isCreated, .definedTwice, "task #\(id) is created twice")
      life.isCreated = true
    case .taskRun:
      need(
        !life.runs.contains { $0.thread == thread }, .onlyOnce, "task #\(id) runs twice at once on thread t\(thread)")
      life.runs.append((thread, event.time))
      running[thread, default: []].append(id)
    case .taskSuspended, .taskCompleted:
      if kind == .taskCompleted {
        need(life.completed == nil, .onlyOnce, "task #\(id) completes twice")
        life.completed = event.time
      }
      guard let run = life.runs.lastIndex(where: { $0.thread == thread }) else {
        need(
          life.runs.isEmpty, .nesting,
          "task #\(id) stops running on thread t\(thread) and runs on thread t\(life.runs.first?.thread ?? 0)")
        need(!life.runs.isEmpty, .unmatchedEnd, "task #\(id) stops running on thread t\(thread) without having begun")
        break
      }
      life.runs.remove(at: run)
      let early = life.runs.first { $0.thread != thread && event.time - $0.time > TraceBuilder.tolerance }
      need(
        early == nil, .nesting, "task #\(id) runs on thread t\(early?.thread ?? 0) while it runs on thread t\(thread)")
      let above = running[thread]?.last
      need(
        above == id, .nesting,
        "task #\(id) stops running on thread t\(thread) while task #\(above ?? 0) still runs above it")
      if let index = running[thread]?.lastIndex(of: id) { running[thread]?.removeSubrange(index...) }
    default: break
    }
    return problems
  }
}
