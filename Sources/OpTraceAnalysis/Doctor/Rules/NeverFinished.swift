import OpTraceFormat
import OpTraceModel

extension DoctorRule {
  static let neverFinished = DoctorRule(
    "never-finished", .error, .stuck,
    Guide(
      """
      An operation was started, and its end never comes: an asynchronous one whose `finish()` is not called on some path, \
      one that turns `isFinished` true without telling (`didChangeValue(forKey: "isFinished")`), or one that blocks on a \
      semaphore, group or condition that nobody signals. Without proof, silence counts: when others are blocked behind it \
      and nothing at all has moved for longer than `--stall-after`. Else it is a note: still running.
      """,
      wrong: """
        override func execute() {
          client.get(url) { data, error in
            guard let data else { return }    // never finished when the request fails
            self.result = data
            self.finish()
          }
        }
        """,
      right: """
        override func execute() {
          client.get(url) { data, error in
            self.result = data
            self.finish(with: error)          // on every path, exactly once
          }
        }
        """)
  ) { context in
    let suspects = context.suspects.filter { $0.kind == .neverFinished }
    let (errors, notes) = context.judged(suspects)
    // What executes may be busy; that nothing has moved for long is worth a word.
    let running = context.isStalled ? context.suspects.filter { $0.kind == .running } : []
    let open = notes + running
    func isBusy(_ suspect: Suspect) -> Bool { context.computes(context.trace.operations[suspect.place]) }
    return errors.map { context.neverFinished($0.suspect, $0.root) } + context.abandonedLocks()
      + context.computing(open.filter(isBusy)) + context.stillRunning(open.filter { !isBusy($0) })
  }
}

extension DoctorContext {
  typealias Judged = (suspect: Suspect, root: Blockage.Root)

  /// Which suspects are proven, or have others behind them while nothing moves; and the rest.
  func judged(_ suspects: [Suspect]) -> (errors: [Judged], notes: [Suspect]) {
    let roots = Dictionary(blockage.roots.map { ($0.node, $0) }, uniquingKeysWith: { first, _ in first })
    var errors: [Judged] = []
    var notes: [Suspect] = []
    for suspect in suspects {
      if let root = roots[suspect.node], suspect.isProven || root.isWaitedFor {
        errors.append((suspect, root))
      } else {
        notes.append(suspect)
      }
    }
    return (errors, notes)
  }

  /// Names what is held up by a root, and counts the rest.
  func addHeld(_ root: Blockage.Root, to finding: inout Finding) {
    finding.behind = root.held.count + root.behind
    for node in root.held.prefix(3) {
      guard case .operation(let place) = blockage.graph.nodes[node] else { continue }
      finding.evidence.append(.init(at: trace.operations[place].enqueued, "\(name(place)) waits for it"))
    }
    addWaitingThreads(root.waitingThreads, to: &finding)
  }

  fileprivate func neverFinished(_ suspect: Suspect, _ root: Blockage.Root) -> Finding {
    let operation = trace.operations[suspect.place]
    let name = name(operation.id)
    let wait = trace.waits.last { $0.inside == operation.id && $0.ended == nil }
    var finding: Finding
    if let seen = operation.finishSeen {
      finding = Finding(
        "never-finished", .error, title: "\(name) is finished, and never told its queue",
        explanation: "It turned isFinished true, and announced no change. A queue does not ask again by "
          + "itself: the operation keeps its slot, and what depends on it never starts.",
        fix: "Announce the change: willChangeValue(forKey: \"isFinished\") before and didChangeValue(forKey: "
          + "\"isFinished\") after, and the same for isExecuting; or derive it from TracedAsyncOperation, which does so."
      )
      finding.evidence.append(.init(at: seen, "isFinished said true, and no notification came since"))
    } else if let wait {
      finding = Finding(
        "never-finished", .error, title: "\(name) has been waiting for \(target(of: wait)) \(since(wait.began))",
        explanation: "\(name) blocks its thread, and nothing has moved for \(DurationText.text(silence)). "
          + "Whoever should let it go on did not.",
        fix:
          "Find who has to signal \(target(of: wait)), on every path. Better, do not block inside of an operation. "
          + Self.asAsynchronous(operation) + ": \(Self.whatAsynchronousMeans).")
      finding.variant = 1
      finding.evidence.append(
        .init(
          at: Stamp(wait.began, wait.thread),
          "\(name) began to wait for \(target(of: wait))\(Self.phrase(place(of: wait)))"))
      if let signal = wait.lastSignal {
        let who = signal.operation.map { " inside of \(self.name($0))" } ?? ""
        finding.evidence.append(
          .init(time: signal.time, "\(target(of: wait)) was signalled for the last time\(who), before that"))
      } else {
        finding.evidence.append(.init("\(target(of: wait)) was not seen to be signalled before"))
      }
    } else if operation.startReturned == nil, let seen = standing(of: operation) {
      let place = Self.phrase(trace.stacks.codeLocation(seen.at))
      finding = Finding(
        "never-finished", .error, title: "\(name) waits for \(seen.reason.text) that does not come\(place)",
        explanation: "\(name) blocks its thread, nothing has moved for \(DurationText.text(silence)), and every thread "
          + "of the process sleeps until another lets it go on. None is left that could.",
        fix: "Find who has to let \(name) go on, on every path\(place). Better, do not block inside of an operation. "
          + Self.asAsynchronous(operation) + ": \(Self.whatAsynchronousMeans).")
      finding.variant = 3
      finding.evidence.append(
        .init(
          at: Stamp(standings.time ?? end, seen.thread),
          "\(self.name(seen.thread)) sleeps until another thread lets it go on\(place)"))
    } else if let submitted = submittedWork[operation.id], submitted.open.isEmpty, let last = submitted.last {
      let all = submitted.count == 1 ? "all that it submitted is" : "all \(submitted.count) that it submitted are"
      finding = Finding(
        "never-finished", .error, title: "\(name) was started, \(all) over, and nobody has finished it",
        explanation:
          "Its start() has returned. The last of the blocks and tasks that it submitted, \(self.name(last.id)), "
          + "ended \(DurationText.text(max(0, end - last.over))) ago, and none of them called finish().",
        fix:
          "Call finish() on every path of what \(operation.className) submits, \(self.name(last.id)) among them: also "
          + "when the work fails or is cancelled.")
      finding.variant = 6
      finding.evidence.append(
        .init(time: last.over, "\(self.name(last.id)), the last that \(name) submitted, was over"))
    } else {
      finding = Finding(
        "never-finished", .error, title: "\(name) was started, and has not finished for \(DurationText.text(silence))",
        explanation: "Its start() has returned, nothing has moved for \(DurationText.text(silence)), and nobody "
          + "reported that it is finished.",
        fix: "Call finish() on every path of \(operation.className): also when the work fails, is cancelled, or its "
          + "callback is never called (a timeout). A class with states of its own has to announce isFinished, too "
          + "(didChangeValue).")
      finding.variant = 2
    }
    if let returned = operation.startReturned {
      finding.evidence.append(.init(at: returned, "start() of \(name) returned"))
    }
    for id in submittedWork[operation.id]?.open.prefix(3) ?? [] {
      finding.evidence.append(
        .init("of all that \(name) submitted, \(self.name(id)) is not over\(standingPhrase(of: id))"))
    }
    finding.operations = [operation.id]
    finding.queues = queues(of: [operation])
    addHeld(root, to: &finding)
    return suspect.isProven ? proven(finding) : silent(finding)
  }

  /// Locks that nobody lets go of any more.
  fileprivate func abandonedLocks() -> [Finding] {
    blockage.roots.compactMap { root in
      guard case .abandonedLock(let address) = blockage.graph.nodes[root.node],
        let seen = standings.heldUp.first(where: { $0.lock == address && $0.heldBy == nil })
      else { return nil }
      let waiters = root.held.compactMap { node -> OperationRecord? in
        if case .operation(let place) = blockage.graph.nodes[node] { trace.operations[place] } else { nil }
      }
      let who = waiters.first.map { name($0.id) } ?? name(seen.thread)
      var finding = Finding(
        "never-finished", .error, title: "\(who) waits for \(seen.reason.text) whose owner has ended",
        explanation: "The thread that has the lock is gone, and did not let go of it. Nobody else may do so: who waits "
          + "for it waits for ever.",
        fix: "Let go of the lock on every path of the code that takes it, on the same thread (withLock, or defer).")
      finding.variant = 4
      finding.operations = waiters.map(\.id)
      finding.queues = queues(of: waiters)
      finding.behind = root.behind
      let sleepers = standings.heldUp.filter { $0.lock == address }
      for seen in sleepers {
        let operation = waiters.first { standing(of: $0)?.thread == seen.thread }
        finding.evidence.append(evidence(of: seen, operation.map { name($0.id) } ?? name(seen.thread)))
      }
      addWaitingThreads(
        root.waitingThreads.filter { thread in !sleepers.contains { $0.thread == thread } }, to: &finding)
      return proven(finding)
    }
  }

  /// Who uses the processor is busy, however long.
  fileprivate func computing(_ suspects: [Suspect]) -> [Finding] {
    guard let first = suspects.first else { return [] }
    let operations = suspects.map { trace.operations[$0.place] }
    // Where a thread that runs stands is not known, but what it was given is.
    func place(_ operation: OperationRecord) -> String {
      Self.phrase(operation.function == nil && operation.source == nil ? nil : operation.codeLocation)
    }
    var finding = Finding(
      "never-finished", .note,
      title: suspects.count == 1
        ? "\(name(first.place)) computes\(place(operations[0]))" : "\(suspects.count) operations compute",
      explanation: "\(suspects.count == 1 ? "It was" : "They were") seen to use the processor. That is being busy, and "
        + "not being stuck.",
      fix:
        "If that takes too long, see what \(operations[0].function?.shortName ?? operations[0].className) does; long "
        + "loops may ask isCancelled.")
    finding.variant = 5
    finding.operations = operations.map(\.id)
    finding.queues = queues(of: operations)
    for operation in operations.prefix(5) {
      guard let seen = standing(of: operation) else { continue }
      finding.evidence.append(
        .init(
          at: Stamp(standings.time ?? end, seen.thread),
          "\(name(operation.id)) used the processor\(place(operation))"))
    }
    return [finding]
  }

  /// What the thread of one that is running was seen to sleep in.
  private func sleep(_ operation: OperationRecord) -> (thread: ThreadID, text: String)? {
    guard let seen = standing(of: operation), seen.isAsleep, seen.reason != .unknown else { return nil }
    var text = "\(name(operation.id)) waits for \(seen.reason.text)\(Self.phrase(trace.stacks.codeLocation(seen.at)))"
    if let owner = seen.heldBy {
      let isBusy = standings[owner]?.isBusy == true
      let doing = isBusy ? ", and computes" : Self.phrase(place(of: owner))
      text += "; \(holder(owner)) has it\(doing)"
    }
    return (seen.thread, text)
  }

  fileprivate func stillRunning(_ suspects: [Suspect]) -> [Finding] {
    func began(_ suspect: Suspect) -> Nanoseconds { trace.operations[suspect.place].started?.time ?? suspect.since }
    guard let longest = suspects.min(by: { began($0) < began($1) }) else { return [] }
    let count = suspects.count
    let name = name(longest.place)
    var finding = Finding(
      "never-finished", .note,
      title: count == 1 ? "\(name) is still running" : "\(count) operations are still running",
      explanation: "\(count == 1 ? "It was" : "They were") started and not finished when the trace ended. That is no "
        + "fault by itself: nothing proves that it will stay so.",
      fix:
        "If \(count == 1 ? "it" : name) should be over by now, see that \(trace.operations[longest.place].className) is "
        + "finished on every path.")
    finding.operations = suspects.map { trace.operations[$0.place].id }
    finding.queues = queues(of: suspects.map { trace.operations[$0.place] })
    finding.evidence.append(
      .init(at: trace.operations[longest.place].started, "\(name) has been running \(since(began(longest)))"))
    for suspect in suspects.prefix(5) {
      guard let (thread, text) = sleep(trace.operations[suspect.place]) else { continue }
      if count == 1 { finding.title += ": it" + text.dropFirst(name.count) }
      finding.evidence.append(.init(at: Stamp(standings.time ?? end, thread), text))
    }
    return [finding]
  }
}
