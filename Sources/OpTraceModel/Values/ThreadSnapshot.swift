public import OpTraceFormat

/// What every thread of the program did at one moment, when nothing had moved for a second or somebody asked.
public struct ThreadSnapshot: Sendable, Equatable {
  /// When it ended; it takes some microseconds a thread.
  public var time: Nanoseconds
  /// In the order of the system's list.
  public var threads: [SeenThread]
  /// Threads that went on before all had been read.
  public var moved = 0
  /// Threads that the system gave nothing about.
  public var refused = 0
  /// Its end was not recorded: threads may be missing.
  public var isPartial = false

  /// What was seen of a thread; nil: it was not there. O(threads).
  public subscript(_ thread: ThreadID) -> SeenThread? { threads.first { $0.thread == thread } }
}

/// What one thread did when the snapshot was taken.
public struct SeenThread: Sendable, Equatable {
  /// What the system calls its state.
  public enum State: UInt8, Sendable {
    /// Not known.
    case unknown = 0
    /// On a processor, or waiting for one.
    case running = 1
    /// In a call of the system.
    case asleep = 2
    /// In a call that no signal ends, as for a disk.
    case uninterruptible = 3
    /// By a debugger, or a signal.
    case stopped = 4
    /// It is gone.
    case ended = 5
  }

  /// Its number in the trace.
  public var thread: ThreadID
  /// What the system calls its state.
  public var state: State
  /// It was on a processor at that moment: busy, and not stuck.
  public var isRunning: Bool
  /// Processor time that it had used.
  public var cpu: Nanoseconds
  /// Of that, what it has used since the snapshot before this one; nil: it was not seen there.
  public var cpuSince: Nanoseconds?
  /// How long before this snapshot that was.
  public var since: Nanoseconds?
  /// The number of the system call that it slept in, as the machine's kind has them.
  public var call: Int?
  /// What it slept for.
  public var reason: SleepReason
  /// The address of what it slept on.
  public var lock: UInt64?
  /// Who had that lock.
  public var owner: ThreadID?
  /// The owner is a thread that has ended without letting go.
  public var ownerHasEnded: Bool
  /// It goes on by itself after a time.
  public var isTimed: Bool
  /// It did not run from the moment on at which it was seen until all threads had been seen: what is recorded of those that are
  /// still was so at one moment. False in traces before 1.4, and where the system does not count.
  public var isStill: Bool
  /// Its stack: the innermost frame.
  public var at: FrameID?
  /// Where it slept in the snapshot before, though it was on a processor in this one, and has hardly used any since; nil: not so. The
  /// system wakes threads for a moment for reasons of its own.
  package var before: Sleep?

  /// Where a thread slept.
  package struct Sleep: Sendable, Equatable {
    /// What it slept for.
    package var reason: SleepReason
    /// What it slept on.
    package var lock: UInt64?
    /// It was to go on by itself after a time.
    package var isTimed: Bool
    /// Its stack.
    package var at: FrameID?
    /// When that was.
    package var time: Nanoseconds
  }

  /// Whether it needed the processor: it ran at that moment, or for most of the time since the snapshot before.
  public var isBusy: Bool {
    if isRunning || state == .running { return true }
    // Swift's runtime may try again without end.
    if reason == .once { return false }
    guard let cpuSince, let since, since > 0 else { return false }
    return cpuSince * 2 > since
  }
}
