/// Where a thread was when it had used up a share of processor time.
public struct SampleRecord: Sendable, Equatable, TraceOwned {
  /// When that was, in nanoseconds since the trace's start.
  public var time: Nanoseconds
  /// Whose stack it is.
  public var thread: ThreadID
  /// The innermost frame of its stack; nil: not known.
  public var at: FrameID?
  /// In a system call that was made there.
  public var isInKernel: Bool

  package var owner: TraceOwner { .thread(thread) }

  package init(time: Nanoseconds, thread: ThreadID, at: FrameID?, isInKernel: Bool = false) {
    (self.time, self.thread, self.at, self.isInKernel) = (time, thread, at, isInKernel)
  }
}

/// How a program's processor time was sampled.
public struct ProfileRecord: Sendable, Equatable {
  /// What takes the samples.
  public enum Way: UInt8, Sendable, CaseIterable {
    /// The kernel's events, which copy the stack.
    case events = 0
    /// Timers of the threads, which interrupt them with a signal.
    case timer = 1
  }

  /// What the program had used by a time.
  public struct Reading: Sendable, Equatable {
    /// In nanoseconds since the trace's start.
    public var time: Nanoseconds
    /// Processor time of all its threads since sampling began, in nanoseconds, but for the recorder's own.
    public var used: Nanoseconds
    /// Samples that had found no room until then.
    public var lost: UInt32
    /// Threads that were not sampled.
    public var missing: UInt32
  }

  /// Nanoseconds of a thread's processor time that each sample stands for.
  public var period: Nanoseconds
  /// What took the samples.
  public var way = Way.events
  /// System calls were sampled, too.
  public var seesKernel = false
  /// Bytes of a stack that were read at most.
  public var copied: UInt32 = 0
  /// The system's error number where it did not allow it; nil: it did.
  public var refused: Int32?
  /// In the order of time. In a flight recorder the first is from some time after the beginning.
  public internal(set) var readings: [Reading] = []

  package init(period: Nanoseconds) { self.period = period }

  /// Samples a second of processor time.
  public var rate: Double { period > 0 ? 1e9 / Double(period) : 0 }
  /// Processor time in nanoseconds that the program used while it was sampled, as far as the trace says.
  public var used: Nanoseconds {
    guard let first = readings.first, let last = readings.last else { return 0 }
    return max(0, last.used - first.used)
  }
  /// Samples that found no room, in the same time.
  public var lost: Int { readings.last.map { Int($0.lost) - Int(readings.first?.lost ?? 0) } ?? 0 }
  /// Threads that were not sampled.
  public var missing: Int { readings.map { Int($0.missing) }.max() ?? 0 }
}
