package import OpTraceModel
import OpTraceFormat

/// What may still move a program in which nothing moves. As long as one is open, silence proves nothing.
package struct Door: Sendable, Equatable {
  /// The thread that it is seen at; nil: none.
  package var thread: ThreadID?
  /// `the main thread waits for a socket, in serve() at main.swift:12`.
  package var text: String
}

extension DoctorContext {
  /// Nothing has moved for long enough, and something is open that would move otherwise.
  var isStandstill: Bool { isStalled && trace.hasOpenWork }

  /// Threads that are busy, sleep or wait for something from outside, blocks and tasks whose time has not come. Without a snapshot, of threads
  /// only those whose sleep was recorded. O(threads · depth + waits + blocks + tasks).
  func findDoors() -> [Door] {
    var doors: [Door] = []
    for seen in trace.snapshot?.threads ?? [] where seenThreads[seen.thread] == nil || !seen.isShut(in: trace) {
      doors.append(Door(thread: seen.thread, text: "\(name(seen.thread)) \(what(seen))"))
    }
    // A snapshot shows more.
    for wait in trace.waits where wait.ended == nil && trace.snapshot == nil && trace.endsByItself(wait) {
      let who = wait.inside.map { name($0) } ?? name(wait.thread)
      doors.append(
        Door(thread: wait.thread, text: "\(who) waits for \(target(of: wait))\(Self.phrase(location(of: wait)))"))
    }
    for block in trace.blocks
    where block.way == .after && block.began == nil && block.over == nil && block.isOutcomeKnown {
      doors.append(Door(text: "\(name(block.id)) of asyncAfter has not begun: its time has not come"))
    }
    for task in trace.tasks where task.over == nil && task.suspension?.reason == .sleep {
      doors.append(Door(text: "\(name(task.id)) sleeps\(Self.phrase(location(of: task)))"))
    }
    if let handled = trace.header.handledSignalNames { doors.append(Door(text: "a handler of \(handled) may run")) }
    return doors
  }

  /// What a thread does that may go on by itself.
  private func what(_ seen: SeenThread) -> String {
    // A line of the system's own code helps nobody.
    let location = trace.stacks.ownFrame(seen.at) == nil ? "" : Self.phrase(trace.stacks.codeLocation(seen.at))
    if seenThreads[seen.thread] == nil { return "has moved since its snapshot" }
    // Awake for a moment only: what it waited for is what it goes on with.
    let seen = seen.settled(in: trace) ?? seen
    if seen.isBusy { return "is computing" + (computed(seen.thread).map { Self.phrase($0) } ?? location) }
    if !seen.isAsleep { return "runs\(location)" }
    return seen.isTimed
      ? "waits for \(seen.phrase) with a time limit\(location)" : "waits for \(seen.phrase)\(location)"
  }
}

extension SeenThread {
  /// What it waits for, for people, after "waits for".
  var phrase: String {
    let sources = reason.hasSources ? EventSource.words(of: lock ?? 0) : ""
    return sources.isEmpty ? reason.text : sources
  }

  /// Whether only other threads of the process can wake it, or it has nothing to do.
  func isShut(in trace: Trace) -> Bool {
    if state == .ended { return true }
    guard isAsleep else { return isShutStill(in: trace) }
    return !isTimed && reason.isOfProcess || isIdle(in: trace.stacks)
  }

  /// As it slept before, where it was on a processor only for a moment, as libdispatch's threads are now and then though they have nothing to
  /// do: nothing has been recorded since that could have given it any. Nil: not so.
  fileprivate func settled(in trace: Trace) -> SeenThread? {
    guard !isAsleep, let before, trace.lastSign ?? trace.lastEvent < before.time else { return nil }
    var earlier = self
    (earlier.isRunning, earlier.state, earlier.reason) = (false, .asleep, before.reason)
    (earlier.lock, earlier.isTimed, earlier.at) = (before.lock, before.isTimed, before.at)
    // It used hardly any of the processor since.
    earlier.cpuSince = nil
    return earlier
  }

  /// Whether it was on a processor only for a moment: before, it waited for work of the process itself.
  private func isShutStill(in trace: Trace) -> Bool {
    guard let earlier = settled(in: trace) else { return false }
    return earlier.reason == .events && !earlier.isTimed || earlier.isIdle(in: trace.stacks)
  }
}

extension SleepReason {
  /// Whether only another thread of the process can wake a thread that sleeps for this reason.
  var isOfProcess: Bool { isLock || self == .futex || self == .join || self == .events }
  /// Whether what a thread slept on says which descriptors it waits for.
  var hasSources: Bool { self == .poll || self == .input }
}

extension TraceHeader {
  /// `SIGTERM, SIGUSR1`, by Linux's numbers; nil: the program handles none.
  fileprivate var handledSignalNames: String? {
    let names: [Int: String] = [
      1: "SIGHUP", 2: "SIGINT", 10: "SIGUSR1", 12: "SIGUSR2", 14: "SIGALRM", 15: "SIGTERM", 17: "SIGCHLD",
    ]
    var handled: [String] = []
    for number in 1...64 where handledSignals >> UInt64(number - 1) & 1 != 0 {
      handled.append(names[number] ?? "signal \(number)")
    }
    return handled.isEmpty ? nil : handled.joined(separator: ", ")
  }
}
