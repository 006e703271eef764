import OpTraceDoctor
import OpTraceFormat
import OpTraceKernel
import OpTraceModel

extension Trouble {
  static let neverSignalled = Trouble("never-signalled", .stuck, reason: .missingCall)
}

extension DoctorRule {
  /// Proof: nothing is left in the process that could signal. No finding without this proof: threads of healthy
  /// programs wait like that.
  static let neverSignalled = DoctorRule(
    .neverSignalled, .error,
    Guide(
      """
      A thread, a block or a task waits for a semaphore, a group or a condition, and nothing is left that could signal it: every thread \
      of the process waits for another one, and no block, task or timer is pending. The call that signals (`signal()`, `leave()`, \
      `broadcast()`) is missing on some path, or came before the wait. Waits inside operations are `never-finished`. A warning tells of a \
      thread that waits for its own process by way of the system: for a pipe or a socket of which no other process has an end, for the \
      lock of a file that the process has already, or for a child that is stopped, or waits until this process reads or writes.
      """,
      wrong: """
        group.enter()
        load { image in
          guard let image else { return }     // leave() is missing
          show(image)
          group.leave()
        }
        group.wait()
        """,
      right: """
        group.enter()
        load { image in
          defer { group.leave() }             // on every path, exactly once
          guard let image else { return }
          show(image)
        }
        group.wait()
        """)
  ) { context in
    let itself = context.waitsForItself()
    guard itself.isEmpty else { return itself }
    let lost = context.unreferencedWaits()
    guard lost.isEmpty else { return lost }
    guard context.isDeadWorld, context.isStalled else { return [] }
    let waits = context.trace.waits.filter { wait in
      guard wait.ended == nil, case .object(let id) = wait.target, wait.inside.flatMap(context.operation) == nil,
        context.seenThreads[wait.thread] != nil
      else { return false }
      switch context.trace.object(id)?.kind {
      case .semaphore, .group, .condition: return true
      default: return false
      }
    }
    if !waits.isEmpty {
      // Whoever keeps others from what they need is more of a reason than who waits for a thread that waits itself.
      let groups = DoctorContext.groups(waits, by: \.target).map { (waits: $0, claims: context.claims(on: $0[0])) }
      let ordered = groups.filter { !$0.claims.isEmpty } + groups.filter(\.claims.isEmpty)
      return ordered.map { context.neverSignalled($0.waits, $0.claims) }
    }
    // Where work is stuck, that is told, and threads may wait for it.
    guard context.suspects.isEmpty, context.blockage.deadlocks.isEmpty else { return [] }
    // Who waits for readers was kept out; who waits for a condition may be one of those that wait for work.
    let all = context.unrecordedWaits()
    let unrecorded = all.filter { $0.reason == .readers } + all.filter { $0.reason != .readers }
    return unrecorded.isEmpty ? [] : [context.neverWoken(unrecorded)]
  }
}

extension DoctorContext {
  /// The finding for threads of which only a snapshot tells that they wait.
  fileprivate func neverWoken(_ threads: [SeenThread]) -> Finding {
    let first = threads[0]
    let phrase = Self.phrase(location(of: first.thread))
    let more = threads.count > 1 ? " (and \(threads.count - 1) more)" : ""
    let isForReaders = first.reason == .readers
    var finding = Finding(
      .neverSignalled, .error, ending: .onlyBy(isForReaders ? "unlocking" : "a signal"),
      title: "\(name(first.thread)) waits for \(first.reason.text), and nothing is left to "
        + "\(isForReaders ? "unlock" : "wake") it\(more)\(phrase)",
      explanation: "\(nobodyGoesOn). "
        + (isForReaders
          ? "A thread that reads again waits behind a writer that waits, and the writer until that thread has left its first reading."
          : "A condition keeps no signal: one that comes before the wait wakes nobody."),
      fix: isForReaders
        ? "Do not lock for reading again inside of code that reads: pass on what was read. And unlock on every path."
        : "Check under the lock, before each wait, whether what is waited for has happened already: "
          + "while !isDone { condition.wait() }. And find the code that has to signal, on every path.")
    finding.location = location(of: first.thread)
    for seen in threads.prefix(Self.mostEvidence) {
      finding.evidence.append(
        .init(
          at: Stamp(seenThreads.time ?? end, seen.thread),
          "\(name(seen.thread)) waits for \(seen.reason.text)\(Self.phrase(location(of: seen.thread)))"))
    }
    return proven(finding)
  }

  /// - Parameter claims: what could still signal, and may wait for what the waiter has.
  fileprivate func neverSignalled(_ waits: [WaitRecord], _ claims: [Claim]) -> Finding {
    let first = waits[0]
    let what = target(of: first)
    let who = waiter(first)
    let more = waits.count > 1 ? " (and \(waits.count - 1) more)" : ""
    let phrase = Self.phrase(location(of: first))
    let isGroup = isGroup(first)
    var finding = Finding(
      .neverSignalled, .error, ending: .onlyBy(isGroup ? "leave()" : "a signal"),
      title: "\(who) waits for \(what), and nothing is left to \(isGroup ? "leave" : "signal") it\(more)\(phrase)",
      explanation:
        "\(nobodyGoesOn). Nothing can "
        + (isGroup ? "call leave() on \(what) any more, and an enter() has none." : "signal \(what) any more."),
      fix: isGroup
        ? "Call leave() once for each enter() of \(what), on every path: also where a guard returns or an error is thrown before it, "
          + "where a callback is never called, and where the object that should call it is gone (weak self)."
        : "Find the code that has to signal \(what), on every path: a return or a thrown error before it, a callback that is never "
          + "called, or a signal that came before the wait."
          + (waits.count > 1 ? " If each that waits holds a part of it already, take all parts at once." : ""))
    finding.location = location(of: first)
    for wait in waits.prefix(Self.mostEvidence) {
      let waiter = waiter(wait)
      finding.evidence.append(
        .init(
          at: Stamp(wait.began, wait.thread),
          "\(waiter) began to wait for \(target(of: wait))\(Self.phrase(location(of: wait)))"))
    }
    if let instead = wokenInstead(of: first.target) {
      tell(instead, in: &finding)
      return proven(finding)
    }
    if let claim = claims.first {
      tell(claims, claim, of: what, who, in: &finding)
      return proven(finding)
    }
    // The code that should signal may hang itself, so show first where it is.
    let waiters = Set(waits.map(\.thread))
    let others = (trace.snapshot?.threads ?? []).filter { seen in
      seen.isAsleep && !waiters.contains(seen.thread) && trace.stacks.ownFrame(seen.at) != nil
    }
    for seen in others.prefix(Self.mostEvidence) {
      finding.evidence.append(
        .init(
          at: Stamp(seenThreads.time ?? end, seen.thread),
          "\(name(seen.thread)) waits for \(awaited(by: seen))\(Self.phrase(self.location(of: seen.thread)))"))
    }
    if let other = others.first {
      finding.title +=
        "; \(name(other.thread)) waits for \(awaited(by: other))\(Self.phrase(self.location(of: other.thread)))"
      finding.explanation += " What should do it may be in a thread that waits itself."
      finding.fix =
        "See first why \(others.count == 1 ? "another thread waits" : "other threads wait")"
        + "\(Self.phrase(self.location(of: others[0].thread))). " + finding.fix
    }
    if let signal = first.lastSignal {
      let by =
        signal.operation.map { " by \(name($0))\(codePhrase(of: $0))" } ?? signal.thread.map { " by \(name($0))" } ?? ""
      let isEarlier = signal.time < first.began
      finding.evidence.append(
        .init(
          time: signal.time,
          "\(what) was \(isGroup ? "left" : "signalled")\(by), for the last time"
            + (isEarlier ? ", before that wait" : "")))
    }
    return proven(finding)
  }

  private func awaited(by seen: SeenThread) -> String {
    let open = trace.waits.last { $0.thread == seen.thread && $0.ended == nil }
    return open.map { target(of: $0) } ?? queueAwaited(by: seen.thread) ?? seen.reason.text
  }

  func isGroup(_ wait: WaitRecord) -> Bool {
    guard case .object(let id) = wait.target else { return false }
    return trace.object(id)?.kind == .group
  }
}
