import OpTraceModel

extension DoctorRule {
  /// Proof: nothing is left in the process that could resume it. Else it is a note, and only when nothing has moved for long:
  /// the tasks of a server that has nothing to do wait just so.
  static let continuationNeverResumed = DoctorRule(
    "continuation-never-resumed", .error, .stuck,
    Guide(
      """
      A task waits for a continuation (`withCheckedContinuation` and its kin) that nobody resumes: on some path the callback \
      is not called, or forgets it. Seen where tasks are recorded (`record --tasks`). It is an error where nothing is left \
      that could resume it: no thread runs or waits for the outside or the clock, no block, task or timer is pending.
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
    let waiting = context.trace.tasks.indices.filter { place in
      context.trace.tasks[place].suspension?.reason == .continuation
    }
    guard !waiting.isEmpty else { return [] }
    let graph = context.blockage.graph
    let isDead = context.isClosedWorld && !graph.nodes.indices.contains { context.canMove($0) }
    guard isDead || context.isStalled else { return [] }
    return context.continuations(waiting, isDead: isDead)
  }
}

extension DoctorContext {
  /// Whether a block or task that is not over may go on by itself: it runs, or waits for its turn and gets it.
  fileprivate func canMove(_ node: Int) -> Bool {
    guard !blockage.isBlocked[node] else { return false }
    switch blockage.graph.nodes[node] {
    case .block(let place): return trace.blocks[place].began == nil
    case .task(let place):
      let task = trace.tasks[place]
      return task.suspension == nil && task.runs.last?.ended != nil || task.runs.isEmpty && task.enqueued != nil
    default: return false
    }
  }

  fileprivate func continuations(_ places: [Int], isDead: Bool) -> [Finding] {
    let tasks = places.map { trace.tasks[$0] }
    let groups = Dictionary(grouping: tasks) { task in "\(task.kind)\(Self.phrase(place(of: task)))" }
    return groups.values.map { $0.sorted { $0.id < $1.id } }.sorted { $0[0].id < $1[0].id }.map { tasks in
      let first = tasks[0]
      let place = Self.phrase(self.place(of: first))
      let since = first.suspension?.from.time ?? end
      let who = tasks.count == 1 ? name(first.id) : "\(Self.count(tasks.count, "task")) like \(name(first.id))"
      let verb = tasks.count == 1 ? "waits" : "wait"
      var finding = Finding(
        "continuation-never-resumed", isDead ? .error : .note,
        title: isDead
          ? "\(who) \(verb) for a continuation that nobody resumes\(place)"
          : "\(who) \(verb) for a continuation\(place), \(self.since(since))",
        explanation: isDead
          ? "Every thread of the process sleeps until another lets it go on, and no block, task or timer is pending: none is "
            + "left that could resume it."
          : "Nothing has moved for \(DurationText.text(silence)). That is no fault by itself: something from outside may "
            + "resume it.",
        fix:
          "See that the continuation is resumed on every path\(place), exactly once; withCheckedContinuation warns where "
          + "one is dropped.")
      for task in tasks.prefix(Self.mostEvidence / 2) {
        guard let suspension = task.suspension else { continue }
        finding.evidence.append(
          .init(
            at: suspension.from,
            "\(name(task.id)) began to wait for a continuation\(Self.phrase(trace.stacks.codeLocation(suspension.at)))")
        )
      }
      return isDead ? proven(finding) : finding
    }
  }
}
