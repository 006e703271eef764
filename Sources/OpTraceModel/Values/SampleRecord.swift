/// Where a thread was when it had used up another period of processor time.
public struct SampleRecord: Sendable, Equatable, TraceOwned {
  /// When that was, in nanoseconds since the trace's start.
  public var time: Nanoseconds
  /// The thread that was sampled.
  public var thread: ThreadID
  /// The innermost frame of its stack; nil: not known.
  public var at: FrameID?
  /// Whether it was in a system call that was made there.
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
    /// Timers of the threads, which interrupt these with a signal.
    case timer = 1
  }

  /// What the program had used at some time.
  public struct Reading: Sendable, Equatable {
    /// In nanoseconds since the trace's start.
    public var time: Nanoseconds
    /// Processor time of all its threads since sampling began, in nanoseconds, without the recorder's own.
    public var used: Nanoseconds
    /// The number of samples that were lost until then.
    public var lost: UInt32
    /// The number of threads that were not sampled.
    public var missing: UInt32
  }

  /// Nanoseconds of a thread's processor time that each sample stands for.
  public var period: Nanoseconds
  /// What took the samples.
  public var way = Way.events
  /// Whether system calls were sampled, too.
  public var seesKernel = false
  /// The largest number of bytes of a stack that were read.
  public var copied: UInt32 = 0
  /// The system's error number if it did not allow sampling; nil: it did.
  public var refused: Int32?
  /// In the order of time. For a flight recorder the first one is from some time after the beginning.
  public internal(set) var readings: [Reading] = []

  package init(period: Nanoseconds) { self.period = period }

  /// Samples per second of processor time.
  public var rate: Double { period > 0 ? 1e9 / Double(period) : 0 }
  /// Processor time in nanoseconds that the program used while it was sampled, as far as the trace shows.
  public var used: Nanoseconds {
    guard let first = readings.first, let last = readings.last else { return 0 }
    return max(0, last.used - first.used)
  }
  /// The number of samples that were lost in the same time.
  public var lost: Int { readings.last.map { Int($0.lost) - Int(readings.first?.lost ?? 0) } ?? 0 }
  /// Threads that were not sampled.
  public var missing: Int { readings.map { Int($0.missing) }.max() ?? 0 }
}
