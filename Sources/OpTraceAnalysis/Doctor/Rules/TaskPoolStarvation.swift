import OpTraceFormat
import OpTraceModel

/// Swift's pool has as many threads as there are processors, and gets no more: tasks that block theirs keep all others waiting.
extension DoctorContext {
  /// Tasks that could run, while each that has a thread blocks it. Empty where one of these may go on.
  func starvedTasks() -> [Finding] {
    let running = trace.tasks.filter { task in task.over == nil && task.runs.last.map { $0.ended == nil } ?? false }
    let ready = trace.tasks.filter { task in
      guard task.over == nil, let since = turn(of: task) else { return false }
      return end - since > Self.second
    }
    guard !running.isEmpty, !ready.isEmpty, silence > Self.second else { return [] }
    var blocking: [(task: TaskRecord, thread: ThreadID, text: String)] = []
    for task in running {
      guard let thread = task.runs.last?.thread, let text = block(of: task, thread) else { return [] }
      blocking.append((task, thread, text))
    }
    // The main actor's tasks have the main thread, which is none of the pool.
    guard blocking.contains(where: { self.thread($0.thread)?.isMain != true }) else { return [] }
    let isProven = isClosedWorld
    var finding = Finding(
      "thread-pool-starvation", isProven ? .error : .warning,
      title: "\(Self.count(ready.count, "task")) could run, and \(Self.count(blocking.count, "task")) "
        + "\(blocking.count == 1 ? "blocks" : "block") the threads of Swift's pool",
      explanation:
        "The pool has a thread for each processor, and gets no more. Each of them is blocked in a wait inside of a "
        + "task, so that \(name(ready[0].id)) has had no turn \(since(turn(of: ready[0]) ?? end)).",
      fix: "Do not block inside of a task: await\(Self.phrase(place(of: blocking[0].thread))) what it waits for (a "
        + "continuation, an AsyncStream), or do the blocking work on a dispatch queue of its own.")
    for (task, thread, text) in blocking.prefix(Self.mostEvidence) {
      finding.evidence.append(.init(at: Stamp(task.lastSign ?? end, thread), "\(name(task.id)) \(text)"))
    }
    finding.evidence.append(.init(time: turn(of: ready[0]), "\(name(ready[0].id)) waits for a thread"))
    return [proven(finding)]
  }

  /// Since when it waits for its turn; nil: it does not.
  private func turn(of task: TaskRecord) -> Nanoseconds? {
    if task.runs.isEmpty { return task.enqueued?.time }
    guard let last = task.suspensions.last, last.to == nil else { return nil }
    return last.enqueued?.time
  }

  /// What blocks the thread of a task that runs; nil: nothing that is known.
  private func block(of task: TaskRecord, _ thread: ThreadID) -> String? {
    if let wait = trace.waits.last(where: { $0.thread == thread && $0.ended == nil && $0.inside == task.id }) {
      return "waits for \(target(of: wait))\(Self.phrase(place(of: wait)))"
    }
    guard let seen = standings[thread], seen.isAsleep, !seen.isTimed, seen.reason == .futex || seen.reason.isLock else {
      return nil
    }
    return "waits for \(seen.reason.text)\(Self.phrase(place(of: thread)))"
  }
}
