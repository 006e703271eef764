package import OpTraceModel
import OpTraceFormat

/// Something that may still move a program in a standstill. As long as one such door is open, silence proves nothing.
package struct Door: Sendable, Equatable {
  /// The thread that may move it; nil: it is no thread.
  package var thread: ThreadID?
  /// `the main thread waits for a socket, in serve() at main.swift:12`.
  package var text: String
  /// Whether what it waits for is up to this process: the other end of a pipe that nobody else has, or a child that
  /// waits for this process in turn, or is stopped.
  package var isOwn = false
}

extension DoctorContext {
  /// Whether nothing has moved for long enough although work is open that should move.
  var isStandstill: Bool { isStalled && trace.hasOpenWork }

  /// Threads that are busy, sleep or wait for something from outside, and blocks and tasks whose time has not come yet.
  /// Without a snapshot, only threads whose sleep was recorded. O(threads · depth + waits + blocks + tasks).
  func findDoors() -> [Door] {
    var doors: [Door] = []
    let open = (trace.snapshot?.threads ?? []).filter { seenThreads[$0.thread] == nil || !$0.isShut(in: trace) }
    let polls =
      open.contains { $0.isUpToOneself && $0.otherProcess != nil }
      && seenThreads.all.contains { $0.pollsForChild(in: trace.stacks) }
    for seen in open {
      let isOwn = seen.isUpToOneself || polls && seen.isOfTimers(in: trace.stacks)
      doors.append(
        Door(
          thread: seen.thread, text: "\(name(seen.thread)) \(what(seen))",
          isOwn: isOwn && seenThreads[seen.thread] != nil))
    }
    // If there is a snapshot, it shows more than the recorded waits.
    for wait in trace.waits where wait.ended == nil && trace.snapshot == nil && trace.endsByItself(wait) {
      let who = waiter(wait)
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

  /// What a thread does that may continue by itself, in words.
  private func what(_ seen: SeenThread) -> String {
    // A line in the system's code does not help the user.
    let location = trace.stacks.ownFrame(seen.at) == nil ? "" : Self.phrase(trace.stacks.codeLocation(seen.at))
    if seenThreads[seen.thread] == nil { return "has moved since its snapshot" }
    // If it is awake only for a moment, describe the wait to which it will return.
    let seen = seen.settled(in: trace) ?? seen
    if seen.isBusy { return "is computing" + (computed(seen.thread).map { Self.phrase($0) } ?? location) }
    if !seen.isAsleep { return "runs\(location)" }
    return seen.isTimed
      ? "waits for \(seen.phrase) with a time limit\(location)" : "waits for \(seen.phrase)\(location)"
  }
}

extension SeenThread {
  /// What the thread waits for, in words, to follow "waits for".
  var phrase: String {
    let child = otherProcess.map { "process \($0)" } ?? "a child process"
    switch end {
    case .stopped: return "\(child), which is stopped"
    case .reader: return "\(child), which waits until this process writes to it"
    case .writer: return "\(child), which waits until this process reads what it writes"
    case .other where reason == .child: return child
    case .own where isForFileLock: return "the lock of a file, which this process has already"
    case nil, .own, .other: break
    }
    let sources = reason.hasSources ? EventSource.words(of: lock ?? 0) : ""
    let what = sources.isEmpty ? reason.text : sources
    switch end {
    case .own: return "\(what) that no other process has"
    case .other: return otherProcess.map { "\(what) that process \($0) has" } ?? what
    default: return what
    }
  }

  /// Whether it waits for the lock of a file: reading a file is no wait for another process.
  var isForFileLock: Bool { reason == .input && lock.map { $0 & EventSource.file.rawValue != 0 } ?? false }

  /// Whether only this process can wake it, as far as is known: by data in a pipe whose other end no other process has,
  /// or by something that a child waits for. Another process may have got such an end unseen.
  var isUpToOneself: Bool {
    guard isAsleep, let end else { return false }
    return end != .other
  }

  /// Whether it is libdispatch's thread that waits for timers alone. The run loop in `waitUntilExit()` sets one.
  fileprivate func isOfTimers(in stacks: StackTable) -> Bool {
    let sources = (lock ?? 0) & ((1 << UInt64(EventEnd.shift)) - 1)
    return reason == .poll && isAsleep && sources == EventSource.loopTimer.rawValue && stacks.isOfDispatch(at)
  }

  /// Whether it asks again and again whether a child has ended, in `Process.waitUntilExit()`.
  func pollsForChild(in stacks: StackTable) -> Bool {
    isAsleep
      && stacks.stack(at).contains { frame in
        guard let function = stacks.function(of: frame)?.function else { return false }
        return function.contains("Process") && function.contains("waitUntilExit")
      }
  }

  /// Whether only other threads of the process can wake it, or it is idle.
  func isShut(in trace: Trace) -> Bool {
    if state == .ended || trace.thread(thread)?.isOfRecorder == true { return true }
    guard isAsleep else { return isShutStill(in: trace) }
    return !isTimed && reason.isOfProcess || isIdle(in: trace.stacks)
  }

  /// The thread as it slept before, if it was on a processor only for a moment and nothing recorded since could have
  /// given it work. libdispatch's idle threads wake up like that now and then. Nil: it does something.
  fileprivate func settled(in trace: Trace) -> SeenThread? {
    guard !isAsleep, let before, trace.lastSign ?? trace.lastEvent < before.time else { return nil }
    var earlier = self
    (earlier.isRunning, earlier.state, earlier.reason) = (false, .asleep, before.reason)
    (earlier.lock, earlier.isTimed, earlier.at) = (before.lock, before.isTimed, before.at)
    // It has hardly used the processor since.
    earlier.cpuSince = nil
    return earlier
  }

  /// Whether it is awake only for a moment, and before waited for work from the process itself.
  private func isShutStill(in trace: Trace) -> Bool {
    guard let earlier = settled(in: trace) else { return false }
    return earlier.reason == .events && !earlier.isTimed || earlier.isIdle(in: trace.stacks)
  }
}

extension SleepReason {
  /// Whether only another thread of the process can wake a thread that sleeps for this reason.
  var isOfProcess: Bool { isLock || self == .futex || self == .join || self == .events }
  /// Whether what the thread sleeps on tells which descriptors it waits for.
  var hasSources: Bool { self == .poll || self == .input }
}

extension TraceHeader {
  /// `SIGTERM, SIGUSR1`, by Linux's signal numbers; nil: the program handles none.
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
