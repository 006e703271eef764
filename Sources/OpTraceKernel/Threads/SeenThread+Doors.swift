import OpTraceFormat
package import OpTraceModel

extension SeenThread {
  /// What the thread waits for, in words, to follow "waits for".
  package var phrase: String {
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
  package var isForFileLock: Bool { reason == .input && lock.map { $0 & EventSource.file.rawValue != 0 } ?? false }

  /// Whether only this process can wake it, as far as is known: by data in a pipe whose other end no other process has,
  /// or by something that a child waits for. Another process may have got such an end unseen.
  package var isUpToOneself: Bool {
    guard isAsleep, let end else { return false }
    return end != .other
  }

  /// Whether it waits for a child that itself waits for this process.
  package var waitsForStuckChild: Bool { isUpToOneself && otherProcess != nil }

  /// Whether it is libdispatch's thread that waits for timers alone. The run loop in `waitUntilExit()` sets one.
  package func isOfTimers(in stacks: StackTable) -> Bool {
    let sources = (lock ?? 0) & ((1 << UInt64(EventEnd.shift)) - 1)
    return reason == .poll && isAsleep && sources == EventSource.loopTimer.rawValue && stacks.isOfDispatch(at)
  }

  /// Whether it asks again and again whether a child has ended, in `Process.waitUntilExit()`.
  package func pollsForChild(in stacks: StackTable) -> Bool {
    isAsleep
      && stacks.stack(at).contains { frame in
        guard let function = stacks.function(of: frame)?.function else { return false }
        return function.contains("Process") && function.contains("waitUntilExit")
      }
  }

  /// Whether only other threads of the process can wake it, or it is idle.
  package func isShut(in trace: Trace) -> Bool {
    if state == .ended || trace.thread(thread)?.isOfRecorder == true { return true }
    guard isAsleep else { return isShutStill(in: trace) }
    return !isTimed && reason.isOfProcess || isIdle(in: trace.stacks)
  }

  /// The thread as it slept before, if it was on a processor only for a moment and nothing recorded since could have
  /// given it work. libdispatch's idle threads wake up like that now and then. Nil: it does something.
  package func settled(in trace: Trace) -> SeenThread? {
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
