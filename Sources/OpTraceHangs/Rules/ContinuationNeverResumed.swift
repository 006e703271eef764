import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let continuationNeverResumed = Trouble("continuation-never-resumed", .stuck, reason: .missingCall)
}

extension DoctorRule {
  /// Proof: nothing is left in the process that could resume it. Otherwise a note, and only after a long silence,
  /// because the tasks of an idle server wait in the same way.
  static let continuationNeverResumed = DoctorRule(
    .continuationNeverResumed, .error,
    Guide(
      """
      A task waits for a continuation (`withCheckedContinuation` and the like) that nobody resumes: on some path the \
      callback is not called, or does not resume it. Needs a trace with tasks (`record --tasks`). It is an error if \
      nothing is left that could resume it: no thread runs or waits for input or a timer, and no block, task or timer \
      is pending.
      """,
      wrong: """
        let image = await withCheckedContinuation { done in
          cache.load(key) { image in
            guard let image else { return }     // never resumed
            done.resume(returning: image)
          }
        }
        """,
      right: """
        let image = await withCheckedContinuation { done in
          cache.load(key) { image in
            done.resume(returning: image)       // on every path, exactly once
          }
        }
        """)
  ) { context in
    let waiting = context.trace.tasks.indices.filter { index in
      context.trace.tasks[index].awaitsResumption
    }
    let dropped = context.droppedByExecutors()
    guard !waiting.isEmpty else { return dropped }
    // Whatever else goes on: nobody has them any more.
    let lost = context.isDeadWorld ? [] : waiting.filter { context.isUnreferenced(context.trace.tasks[$0]) }
    let rest = waiting.filter { !lost.contains($0) }
    let proven = lost.isEmpty ? [] : context.continuations(lost, isDead: true)
    guard !rest.isEmpty else { return proven + dropped }
    guard context.isDeadWorld || context.isStalled else { return proven + context.lostContinuations() }
    return proven + context.continuations(rest, isDead: context.isDeadWorld) + dropped
  }
}

extension DoctorContext {
  private static let leastResumed = 20
  private static let leastLost = 3
  /// How many times as long. The product fits: times in a trace are below 2^55.
  private static let longer: Nanoseconds = 20
  private static let leastAge: Nanoseconds = 1_000_000_000

  /// Tasks that were given to an executor, or to an actor with one, that does not run them although nothing else goes
  /// on. One that somebody blocks is told by the rules about that.
  fileprivate func droppedByExecutors() -> [Finding] {
    guard isDeadWorld, isStalled, silence >= Self.leastDropped else { return [] }
    let busy = Set(trace.tasks.lazy.filter { $0.runs.last.map { $0.ended == nil } ?? false }.map(\.id))
    let dropped = trace.tasks.filter { task in
      task.over == nil && !busy.contains(task.id) && task.suspension?.reason == .executor && !task.waitsForMain
    }
    // Whoever runs may be in the actor that they wait for.
    guard let first = dropped.first, busy.isEmpty else { return [] }
    let code = location(of: first)
    let what = first.suspension?.actor?.title ?? "an executor"
    let who = dropped.count == 1 ? name(first.id) : "\(Self.count(dropped.count, "task")) like \(name(first.id))"
    var finding = Finding(
      .continuationNeverResumed, .error, ending: .sentence("Only its executor can run it."),
      title: "\(who) \(dropped.count == 1 ? "waits" : "wait") for a turn on \(what), which does not run "
        + "\(dropped.count == 1 ? "it" : "them")\(Self.phrase(code))",
      explanation:
        "The task needs its turn there, nothing else runs there, and it has not run \(since(first.suspension?.from.time ?? end)). "
        + "Swift's own executors run a task at once when they are free.",
      fix:
        "Let enqueue(_:) of the executor run every job that it gets, also after it was shut down; or end what awaits it before."
    )
    finding.location = code
    for task in dropped.prefix(Self.mostEvidence / 2) {
      guard let suspension = task.suspension else { continue }
      finding.evidence.append(
        .init(at: suspension.from, "\(name(task.id)) began to wait for its turn\(Self.phrase(location(of: task)))"))
    }
    return [proven(finding)]
  }

  private static let leastDropped: Nanoseconds = 5_000_000_000

  /// Lost continuations in a program that goes on: three or more waits at one function that have lasted for at least a
  /// second and twenty times as long as the longest of many waits that ended there. Some of these must have begun
  /// later; otherwise there is just nothing to do. Waits for time, clients or other services are always as slow.
  fileprivate func lostContinuations() -> [Finding] {
    ContinuationHistory(of: trace).stuck.compactMap { one in
      guard one.count >= Self.leastLost, one.endedSince >= Self.leastResumed,
        end - one.since >= max(Self.leastAge, one.longest * Self.longer)
      else { return nil }
      let location = one.location
      var finding = Finding(
        .continuationNeverResumed, .warning, ending: .onlyBy("resume()"),
        title:
          "\(Self.count(one.count, "task")) wait for a continuation that nobody resumes\(Self.phrase(location)), the first "
          + since(one.since),
        explanation: "\(one.ended) others were resumed there, after \(DurationText.text(one.longest)) at most.",
        fix:
          "Resume the continuation exactly once on every path\(Self.phrase(location)); withCheckedContinuation warns if one is "
          + "dropped.")
      finding.location = location
      finding.explains = 0.5
      finding.evidence.append(.init(time: one.since, "\(name(one.work)) began to wait there"))
      return finding
    }
  }

  /// Makes one finding for the tasks that wait in the same function. Readers of streams come last: there may just be no
  /// more elements.
  fileprivate func continuations(_ indexes: [Int], isDead: Bool) -> [Finding] {
    let tasks = indexes.map { trace.tasks[$0] }
    let groups = Dictionary(grouping: tasks) { task in "\(task.kind)\(Self.phrase(location(of: task)))" }
      .values.map { $0.sorted { $0.id < $1.id } }
    func isReader(_ tasks: [TaskRecord]) -> Bool { tasks[0].suspension?.at.map(trace.stacks.readsStream) == true }
    let (readers, others) = (groups.filter(isReader), groups.filter { !isReader($0) })
    func ordered(_ groups: [[TaskRecord]]) -> [[TaskRecord]] {
      groups.sorted { (-$0.count, $0[0].id) < (-$1.count, $1[0].id) }
    }
    let history = isDead ? nil : ContinuationHistory(of: trace)
    return ordered(others).map { continuation($0, isStream: false, history) }
      + ordered(readers).map { continuation($0, isStream: true, history) }
  }

  /// - Parameter history: of others at the same place; nil: nothing is left that could resume these.
  private func continuation(_ tasks: [TaskRecord], isStream: Bool, _ history: ContinuationHistory?) -> Finding {
    let isDead = history == nil
    let isUnreferenced = !isDeadWorld && tasks.allSatisfy { self.isUnreferenced($0) }
    let first = tasks[0]
    let code = location(of: first)
    let location = Self.phrase(code)
    let who = tasks.count == 1 ? name(first.id) : "\(Self.count(tasks.count, "task")) like \(name(first.id))"
    let verb = tasks.count == 1 ? "waits" : "wait"
    let what = isStream ? "the next element of an AsyncStream" : "a continuation"
    var finding = Finding(
      .continuationNeverResumed, isDead ? .error : .note,
      ending: .onlyBy(isStream ? "yield() or finish()" : "resume()"),
      title: isDead
        ? "\(who) \(verb) for \(what) that nobody \(isStream ? "yields" : "resumes")\(location)"
        : "\(who) \(verb) for \(what)\(location), \(since(first.suspension?.from.time ?? end))\(history?.phrase(at: code) ?? "")",
      explanation: isUnreferenced
        ? "Whoever resumes a continuation needs a reference to it. Nothing that could go on has one, so nothing can resume it, whatever else "
          + "goes on."
        : isDead
          ? "\(nobodyGoesOn): nothing is left that could resume it."
          : "Nothing has moved for \(DurationText.text(silence)). This alone is no error: an event from outside may resume "
            + "it.",
      fix: isStream
        ? "Yield to the stream, or finish() it when nothing more will come."
        : "Resume the continuation exactly once on every path\(location); withCheckedContinuation warns if one is dropped."
    )
    finding.location = code
    for task in tasks.prefix(Self.mostEvidence / 2) {
      guard let suspension = task.suspension else { continue }
      finding.evidence.append(
        .init(
          at: suspension.from,
          "\(name(task.id)) began to wait for \(what)\(Self.phrase(trace.stacks.codeLocation(suspension.at)))"))
    }
    if isUnreferenced { finding.evidence.append(.init(Self.noReference(to: "the continuation"))) }
    return isDead ? proven(finding) : finding
  }
}

extension ContinuationHistory {
  /// `; 520 others were resumed there, after 4 ms at most`, or empty.
  fileprivate func phrase(at location: CodeLocation?) -> String {
    guard let location, let one = stuck.first(where: { $0.location == location }), one.ended > 0 else { return "" }
    let others = one.ended == 1 ? "another one was" : "\(grouped(one.ended)) others were"
    return "; \(others) resumed there, after \(DurationText.text(one.longest)) at most"
  }
}
