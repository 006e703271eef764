public import OpTraceFormat

/// What every thread of the program did at one moment, taken when nothing had moved for a second or on request.
public struct ThreadSnapshot: Sendable, Equatable {
  /// When the snapshot ended; it takes some microseconds per thread.
  public var time: Nanoseconds
  /// In the order of the system's list.
  public var threads: [SeenThread]
  /// The number of threads that moved before all had been read.
  public var moved = 0
  /// The number of threads about which the system told nothing.
  public var refused = 0
  /// Whether its end was not recorded, so that threads may be missing.
  public var isPartial = false

  /// What was seen of a thread; nil: it is not in the snapshot. O(threads).
  public subscript(_ thread: ThreadID) -> SeenThread? { threads.first { $0.thread == thread } }
}

/// What one thread did when the snapshot was taken.
public struct SeenThread: Sendable, Equatable {
  /// The state that the system reports.
  public enum State: UInt8, Sendable {
    /// Not known.
    case unknown = 0
    /// On a processor, or waiting for one.
    case running = 1
    /// In a system call.
    case asleep = 2
    /// In a system call that no signal interrupts, as for a disk.
    case uninterruptible = 3
    /// Stopped by a debugger or a signal.
    case stopped = 4
    /// The thread has ended.
    case ended = 5
  }

  /// Its number in the trace.
  public var thread: ThreadID
  /// The state that the system reported.
  public var state: State
  /// Whether it was on a processor at that moment, so it was busy and not stuck.
  public var isRunning: Bool
  /// The processor time that it had used so far.
  public var cpu: Nanoseconds
  /// The part of that since the snapshot before; nil: that one does not have it.
  public var cpuSince: Nanoseconds?
  /// The time between that snapshot and this one.
  public var since: Nanoseconds?
  /// The number of the system call that it slept in, on this machine's architecture.
  public var call: Int?
  /// What it slept for.
  public var reason: SleepReason
  /// The address of what it slept on; for the reasons `poll`, `input` and `child` the
  /// kinds of descriptors and what is known of their other ends.
  public var lock: UInt64?
  /// The thread that held that lock.
  public var owner: ThreadID?
  /// Whether the owner is a thread that has ended without unlocking it.
  public var ownerHasEnded: Bool
  /// Whether its wait has a timeout.
  public var isTimed: Bool
  /// Whether it did not run from the moment when it was seen until all threads had been seen. What is recorded of still
  /// threads was true at one moment. False in traces before 1.4, and if the system does not count.
  public var isStill: Bool
  /// The innermost frame of its stack.
  public var at: FrameID?
  /// How it slept in the snapshot before, if it was on a processor in this one but has hardly used any processor time
  /// since; else nil. The system wakes threads for a moment for reasons of its own.
  package var before: Sleep?

  /// Where a thread slept.
  package struct Sleep: Sendable, Equatable {
    /// What it slept for.
    package var reason: SleepReason
    /// What it slept on.
    package var lock: UInt64?
    /// Whether the wait had a timeout.
    package var isTimed: Bool
    /// The innermost frame of its stack.
    package var at: FrameID?
    /// When that snapshot was taken.
    package var time: Nanoseconds
  }

  /// Who has the other ends of the descriptors that it waits for, or what the child does for which it waits; nil: not
  /// known, or its wait has a timeout.
  public var end: EventEnd? { hasEnds ? lock.flatMap(EventEnd.init(lock:)) : nil }
  /// The process that has such an end, or that child; nil: not known, or this process.
  public var otherProcess: Int? { hasEnds ? lock.flatMap(EventEnd.process(lock:)) : nil }
  private var hasEnds: Bool { !isTimed && (reason == .poll || reason == .input || reason == .child) }

  /// Whether it used the processor: it ran at that moment, or for most of the time since the snapshot before.
  public var isBusy: Bool {
    if isRunning || state == .running { return true }
    // Swift's runtime may retry in a loop without end.
    if reason == .once { return false }
    guard let cpuSince, let since, since > 0 else { return false }
    return cpuSince * 2 > since
  }

  /// Whether it used the processor, and not only for a moment, as a thread does that wakes and sleeps again.
  package var isComputing: Bool { isBusy && before == nil }
}
