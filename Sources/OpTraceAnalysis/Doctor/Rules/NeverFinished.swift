import OpTraceFormat
import OpTraceModel

extension DoctorRule {
  static let neverFinished = DoctorRule(
    "never-finished", .error, .stuck,
    Guide(
      """
      An operation was started and never finishes: an asynchronous one does not call `finish()` on some path, a class \
      sets `isFinished` to true without a notification (`didChangeValue(forKey: "isFinished")`), or the operation \
      blocks on a semaphore, group or condition that nobody signals. Without proof, silence counts: it is an error \
      when others are blocked behind it and nothing at all has moved for longer than `--stall-after`. Otherwise it is \
      a note: still running.
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
    // An operation that executes may be busy, but a long silence is worth a note.
    let running = context.isStalled ? context.suspects.filter { $0.kind == .running } : []
    // Operations that wait for their own process are told by `never-signalled`.
    let told = Set(context.waitsForItself().flatMap(\.operations))
    let open = (notes + running).filter { !told.contains(context.trace.operations[$0.index].id) }
    func isBusy(_ suspect: Suspect) -> Bool { context.computes(context.trace.operations[suspect.index]) }
    return errors.map { context.neverFinished($0.suspect, $0.root) } + context.abandonedLocks() + context.seenInPart()
      + context.computing(open.filter(isBusy)) + context.stillRunning(open.filter { !isBusy($0) })
  }
}

extension DoctorContext {
  typealias Judged = (suspect: Suspect, root: Blockage.Root)

  /// Splits suspects: those that are proven, or have others behind them while nothing moves; and the rest.
  func judged(_ suspects: [Suspect]) -> (errors: [Judged], notes: [Suspect]) {
    let roots = Dictionary(blockage.roots.map { ($0.node, $0) }, uniquingKeysWith: { first, _ in first })
    var errors: [Judged] = []
    var notes: [Suspect] = []
    for suspect in suspects {
      if let root = roots[suspect.node], suspect.isProven || root.isWaitedFor || isDeadWorld {
        errors.append((suspect, root))
      } else {
        notes.append(suspect)
      }
    }
    return (errors, notes)
  }

  /// Names the operations that a root holds up, and counts the rest.
  func addHeld(_ root: Blockage.Root, to finding: inout Finding) {
    finding.behind = root.held.count + root.behind
    for node in root.held.prefix(3) {
      guard case .operation(let index) = blockage.graph.nodes[node] else { continue }
      finding.evidence.append(.init(at: trace.operations[index].enqueued, "\(name(index)) waits for it"))
    }
    addWaitingThreads(root.waitingThreads, to: &finding)
  }

  fileprivate func neverFinished(_ suspect: Suspect, _ root: Blockage.Root) -> Finding {
    let operation = trace.operations[suspect.index]
    let name = name(operation.id)
    let wait = trace.waits.last { $0.inside == operation.id && $0.ended == nil && !trace.endsByItself($0) }
    var finding: Finding
    if let seen = operation.finishSeen {
      finding = Finding(
        "never-finished", .error, title: "\(name) is finished but never notified its queue",
        explanation:
          "It set isFinished to true without a notification. A queue does not ask again by itself: the operation "
          + "keeps its slot, and its dependents never start.",
        fix: "Announce the change: willChangeValue(forKey: \"isFinished\") before and didChangeValue(forKey: "
          + "\"isFinished\") after, and the same for isExecuting; or derive it from TracedAsyncOperation, which does this."
      )
      finding.evidence.append(.init(at: seen, "isFinished was true, and no notification has come since"))
    } else if let wait {
      let missed = missedSignal(of: wait)
      let isGroup = isGroup(wait)
      finding = Finding(
        "never-finished", .error,
        title: "\(name) has been waiting for \(target(of: wait)) \(since(wait.began))"
          + (missed.map { ", whose last signal came \($0) before the wait" } ?? ""),
        explanation: "\(name) blocks its thread, and nothing has moved for \(DurationText.text(silence)). "
          + (missed == nil
            ? "Nothing has woken it." : "A condition keeps no signal: one that comes before the wait wakes nobody."),
        fix: (isGroup
          ? "Call leave() once for each enter() of \(target(of: wait)), on every path: also where a guard returns or an error is "
            + "thrown before it, and where a callback is never called."
          : missed == nil
            ? "Find the code that has to signal \(target(of: wait)), on every path."
            : "Before each wait, and under the lock, check whether what is waited for has happened already: "
              + "while !isDone { condition.wait() }.")
          + " Better, do not block inside an operation. " + Self.asAsynchronous(operation)
          + ": \(Self.whatAsynchronousMeans).")
      finding.variant = isGroup ? Self.groupVariant : 1
      finding.evidence.append(
        .init(
          at: Stamp(wait.began, wait.thread),
          "\(name) began to wait for \(target(of: wait))\(Self.phrase(location(of: wait)))\(callers(of: wait.at))"))
      if let instead = wokenInstead(of: wait.target) {
        tell(instead, in: &finding)
      } else if let signal = wait.lastSignal {
        let who = signal.operation.map { " inside \(self.name($0))" } ?? ""
        finding.evidence.append(.init(time: signal.time, "\(target(of: wait)) was last signalled\(who), before that"))
      } else {
        finding.evidence.append(.init("the trace has no earlier signal of \(target(of: wait))"))
      }
    } else if operation.startReturned == nil, let seen = seenThread(of: operation) {
      // A line in the system's code does not help the user.
      let location =
        trace.stacks.ownFrame(seen.at) == nil ? "" : Self.phrase(trace.stacks.codeLocation(seen.at))
      finding = Finding(
        "never-finished", .error,
        title: "\(name) waits for \(seen.reason.text), and nothing is left to wake it\(location)",
        explanation: "\(name) blocks its thread, nothing has moved for \(DurationText.text(silence)), and every thread "
          + "of the process waits for another one. None is left that could wake it.",
        fix:
          "Find the code that has to wake \(name), on every path\(location). Better, do not block inside an operation. "
          + Self.asAsynchronous(operation) + ": \(Self.whatAsynchronousMeans).")
      finding.variant = 3
      finding.evidence.append(
        .init(
          at: Stamp(seenThreads.time ?? end, seen.thread),
          "\(self.name(seen.thread)) sleeps until another thread wakes it\(location)"))
    } else if let submitted = submittedWork[operation.id], submitted.open.isEmpty, let last = submitted.last {
      let all =
        submitted.count == 1 ? "the work it submitted is" : "all \(submitted.count) blocks and tasks it submitted are"
      finding = Finding(
        "never-finished", .error, title: "\(name) was started, \(all) over, and nothing has finished it",
        explanation:
          "Its start() has returned. The last block or task it submitted, \(self.name(last.id)), "
          + "ended \(DurationText.text(max(0, end - last.over))) ago, and none of them called finish().",
        fix:
          "Call finish() on every path of the work that \(operation.className) submits, such as \(self.name(last.id)), "
          + "including when it fails or is cancelled.")
      finding.variant = 6
      finding.evidence.append(
        .init(time: last.over, "\(self.name(last.id)), the last work that \(name) submitted, was over"))
    } else {
      finding = Finding(
        "never-finished", .error, title: "\(name) was started but has not finished for \(DurationText.text(silence))",
        explanation: "Its start() has returned, nothing has moved for \(DurationText.text(silence)), and nothing has "
          + "reported that it is finished.",
        fix: "Call finish() on every path of \(operation.className): also when the work fails, is cancelled, or its "
          + "callback is never called (use a timeout). A class with its own state must also announce isFinished "
          + "(didChangeValue).")
      finding.variant = 2
    }
    if let returned = operation.startReturned {
      finding.evidence.append(.init(at: returned, "start() of \(name) returned"))
    }
    for id in submittedWork[operation.id]?.open.prefix(3) ?? [] {
      finding.evidence.append(
        .init("\(name) submitted \(self.name(id))\(statePhrase(of: id))"))
    }
    finding.operations = [operation.id]
    finding.queues = queues(of: [operation])
    addHeld(root, to: &finding)
    // Its class may announce the end later.
    if operation.finishSeen != nil { return undoable(finding, since: suspect.since) }
    return silent(finding)
  }

  /// How long before a wait for a condition its last signal came, in words; nil: there is none, or the wait is for
  /// something that remembers signals.
  private func missedSignal(of wait: WaitRecord) -> String? {
    guard case .object(let id) = wait.target, trace.object(id)?.kind == .condition, let signal = wait.lastSignal else {
      return nil
    }
    return DurationText.text(max(0, wait.began - signal.time))
  }

  /// Findings about locks whose holder has ended.
  fileprivate func abandonedLocks() -> [Finding] {
    blockage.roots.compactMap { root in
      guard case .abandonedLock(let address) = blockage.graph.nodes[root.node],
        let seen = seenThreads.heldUp.first(where: { $0.lock == address && $0.heldBy == nil })
      else { return nil }
      let waiters = root.held.compactMap { node -> OperationRecord? in
        if case .operation(let index) = blockage.graph.nodes[node] { trace.operations[index] } else { nil }
      }
      let who = waiters.first.map { name($0.id) } ?? name(seen.thread)
      var finding = Finding(
        "never-finished", .error,
        title: "\(who) waits for \(seen.reason.text) whose holder\(lastHolder(of: seen)) has ended",
        explanation:
          "The thread that holds the lock has ended without unlocking it. No other thread may unlock it, so its "
          + "waiters wait forever.",
        fix: "Unlock on every path of the code that takes the lock, on the same thread (withLock, or defer).")
      finding.variant = 4
      finding.operations = waiters.map(\.id)
      finding.queues = queues(of: waiters)
      finding.behind = root.behind
      let sleepers = seenThreads.heldUp.filter { $0.lock == address }
      for seen in sleepers {
        let operation = waiters.first { seenThread(of: $0)?.thread == seen.thread }
        finding.evidence.append(evidence(of: seen, operation.map { name($0.id) } ?? name(seen.thread)))
      }
      addWaitingThreads(
        root.waitingThreads.filter { thread in !sleepers.contains { $0.thread == thread } }, to: &finding)
      return proven(finding)
    }
  }

  /// Operations that somebody waits for and nothing is left to finish, whose start was not heard: those of a final
  /// class that are started by hand.
  fileprivate func seenInPart() -> [Finding] {
    guard isDeadWorld, isStalled else { return [] }
    let waits = trace.waits.filter { wait in
      guard wait.ended == nil, case .operation(let id) = wait.target, let target = operation(id) else { return false }
      return target.coverage == .partial && target.finished == nil && wait.inside == nil
    }
    return Self.groups(waits, by: \.target).compactMap { waits in
      guard case .operation(let id) = waits[0].target, let target = operation(id) else { return nil }
      let phrase = Self.phrase(location(of: waits[0]))
      var finding = Finding(
        "never-finished", .error,
        title: "\(name(waits[0].thread)) waits for \(name(id)), and nothing is left to finish it\(phrase)",
        explanation:
          "Every thread of the process waits for another one, and no block, task or timer is pending. Foundation learns that an "
          + "operation is finished only from a notification that isFinished has changed.",
        fix:
          "Set isFinished of \(target.className) on every path, and announce it: willChangeValue(forKey: \"isFinished\") before "
          + "and didChangeValue(forKey: \"isFinished\") after.")
      finding.variant = 2
      finding.operations = [id]
      for wait in waits.prefix(Self.mostEvidence) {
        finding.evidence.append(
          .init(
            at: Stamp(wait.began, wait.thread),
            "\(name(wait.thread)) began to wait for it\(Self.phrase(location(of: wait)))"))
      }
      return proven(finding)
    }
  }

  static let computingVariant = 5
  static let groupVariant = 7

  /// Findings about operations that use the processor: these are busy, however long they take.
  fileprivate func computing(_ suspects: [Suspect]) -> [Finding] {
    guard let first = suspects.first else { return [] }
    let operations = suspects.map { trace.operations[$0.index] }
    // Without samples the stack of a running thread is not known; use the function that the operation was given.
    func location(_ operation: OperationRecord) -> String {
      if let seen = seenThread(of: operation), let computed = computed(seen.thread) { return Self.phrase(computed) }
      return Self.phrase(operation.function == nil && operation.source == nil ? nil : operation.codeLocation)
    }
    var finding = Finding(
      "never-finished", .note,
      title: suspects.count == 1
        ? "\(name(first.index)) is computing\(location(operations[0]))" : "\(suspects.count) operations are computing",
      explanation: "\(suspects.count == 1 ? "It was" : "They were") seen using the processor: busy, not stuck.",
      fix:
        "If that takes too long, look at what \(operations[0].function?.shortName ?? operations[0].className) does; long "
        + "loops can check isCancelled.")
    finding.variant = Self.computingVariant
    finding.operations = operations.map(\.id)
    finding.queues = queues(of: operations)
    for operation in operations.prefix(5) {
      guard let seen = seenThread(of: operation) else { continue }
      finding.evidence.append(
        .init(
          at: Stamp(seenThreads.time ?? end, seen.thread),
          "\(name(operation.id)) used the processor\(location(operation))"))
    }
    return [finding]
  }

  /// What the thread of a running operation was seen waiting for; nil: it was not seen.
  private func sleep(_ operation: OperationRecord) -> (thread: ThreadID, text: String)? {
    guard let seen = seenThread(of: operation), seen.isAsleep, seen.reason != .unknown else { return nil }
    var text = "\(name(operation.id)) waits for \(seen.phrase)\(locationPhrase(ofExecuting: operation))"
    if let owner = seen.heldBy {
      let isBusy = seenThreads[owner]?.isBusy == true
      let doing = isBusy ? " and is computing" + Self.phrase(computed(owner)) : Self.phrase(location(of: owner))
      text += "; \(holder(owner)) holds it\(doing)"
    }
    return (seen.thread, text)
  }

  /// `a mutex, which thread 12 holds, in save() at Store.swift:40`, if all of them wait for the same lock.
  private func sharedLock(of suspects: [Suspect]) -> String? {
    let seen = suspects.map { seenThread(of: trace.operations[$0.index]) }
    guard let first = seen[0], first.isAsleep, first.reason.isLock, let lock = first.lock, let owner = first.heldBy,
      seen.allSatisfy({ $0?.lock == lock && $0?.reason == first.reason })
    else { return nil }
    let isBusy = seenThreads[owner]?.isBusy == true
    return "\(first.reason.text), which \(holder(owner)) holds"
      + (isBusy ? " while it is computing" + Self.phrase(computed(owner)) : Self.phrase(location(of: owner)))
  }

  /// Where to look if an operation should be over by now. Only a class that ends by itself can fail to say so.
  private func overdue(_ operation: OperationRecord, _ it: String) -> String {
    let begin = "If \(it) should be over by now, "
    if operation.isAsynchronous || operation.startReturned != nil {
      return begin + "check that \(operation.className) is finished on every path."
    }
    if let seen = seenThread(of: operation), seen.isAsleep {
      return begin + "see what it waits for\(locationPhrase(ofExecuting: operation))."
    }
    return begin + "see where its thread is: `optrace stacks`."
  }

  fileprivate func stillRunning(_ suspects: [Suspect]) -> [Finding] {
    func began(_ suspect: Suspect) -> Nanoseconds { trace.operations[suspect.index].started?.time ?? suspect.since }
    guard let longest = suspects.min(by: { began($0) < began($1) }) else { return [] }
    let count = suspects.count
    let name = name(longest.index)
    var finding = Finding(
      "never-finished", .note,
      title: count == 1 ? "\(name) is still running" : "\(count) operations are still running",
      explanation:
        "\(count == 1 ? "It was" : "They were") started and not finished when the trace ended. This alone is "
        + "no error: nothing proves a hang.",
      fix: overdue(trace.operations[longest.index], count == 1 ? "it" : name))
    finding.operations = suspects.map { trace.operations[$0.index].id }
    finding.queues = queues(of: suspects.map { trace.operations[$0.index] })
    finding.evidence.append(
      .init(at: trace.operations[longest.index].started, "\(name) has been running \(since(began(longest)))"))
    if count > 1, let lock = sharedLock(of: suspects) {
      finding.title = "\(count) operations wait for \(lock)"
    }
    for suspect in suspects.prefix(5) {
      guard let (thread, text) = sleep(trace.operations[suspect.index]) else { continue }
      if count == 1 { finding.title += ": it" + text.dropFirst(name.count) }
      finding.evidence.append(.init(at: Stamp(seenThreads.time ?? end, thread), text))
    }
    return [finding]
  }
}
