import OpTraceFormat

/// A sampled allocation: what it was, and what became of it.
public struct AllocationRecord: Sendable, Equatable, TraceOwned {
  /// How memory was asked for. The raw values are those of `allocated`.
  public enum Call: UInt8, Sendable, CaseIterable {
    /// `malloc`.
    case malloc = 0
    /// `calloc`.
    case calloc = 1
    /// By which a block has grown.
    case realloc = 2
    /// With an alignment.
    case aligned = 3
    /// `operator new`.
    case new = 4
  }

  /// A block's new size.
  public struct Change: Sendable, Equatable {
    /// When it got it, in nanoseconds since the trace's start.
    public var time: Nanoseconds
    /// Of the whole block, in bytes.
    public var size: UInt64
  }

  /// The block's number; nil: it was not watched, because it was watched before or there was no room.
  public var number: UInt32?
  /// When it was, in nanoseconds since the trace's start.
  public var time: Nanoseconds
  /// The thread that allocated.
  public var thread: ThreadID
  /// The innermost frame of its stack; nil: not known.
  public var at: FrameID?
  /// The bytes of this allocation: of a `realloc` only those by which the block has grown; 0: it was before what a flight recorder still
  /// has, and only the block is known.
  public var size: UInt64
  /// Other sizes of the whole block, in the order of time: it was resized, or it was sampled when it grew.
  public var changes: [Change] = []
  /// One byte in so many was chosen when it was sampled.
  public var interval: UInt64
  /// How it was asked for.
  public var call: Call
  /// Whether it is an object of Swift's.
  public var isObject: Bool
  /// What is in the block; nil: not known.
  public var type: String?
  /// When it was freed; nil: it was not, as far as is known.
  public var freed: Nanoseconds?

  package var owner: TraceOwner { .thread(thread) }

  package init(
    number: UInt32?, time: Nanoseconds, thread: ThreadID, at: FrameID?, size: UInt64, interval: UInt64,
    call: Call = .malloc, isObject: Bool = false
  ) {
    (self.number, self.time, self.thread, self.at) = (number, time, thread, at)
    (self.size, self.interval) = (size, interval)
    (self.call, self.isObject) = (call, isObject)
  }

  /// The size of the whole block at a time, while it lives.
  public func blockSize(at time: Nanoseconds) -> UInt64 { changes.last { $0.time <= time }?.size ?? size }

  /// Whether the block lived at this time, as far as is known.
  public func lives(at time: Nanoseconds) -> Bool {
    guard number != nil, self.time <= time else { return false }
    return freed.map { $0 > time } ?? true
  }
}

/// What the process had in memory at a moment.
public struct MemoryReading: Sendable, Equatable {
  /// In nanoseconds since the trace's start.
  public var time: Nanoseconds
  /// Bytes of the process that were in memory.
  public var resident: UInt64
  /// Of these, bytes that are in no file.
  public var anonymous: UInt64
  /// The most that were resident until then.
  public var peak: UInt64
  /// The number of sampled allocations that were lost until then.
  public var lost: UInt32
}

/// Sampled allocations, and what the process had in memory.
public struct MemoryRecord: Sendable, Equatable {
  /// Who gives out the process's memory. The raw values are those of `memory`.
  public enum Allocator: UInt8, Sendable, CaseIterable {
    /// None of those below.
    case other = 0
    /// The C library's own.
    case glibc = 1
    /// jemalloc.
    case jemalloc = 2
    /// tcmalloc.
    case tcmalloc = 3
    /// mimalloc.
    case mimalloc = 4
  }

  /// Why nothing is sampled. The raw values are those of `memory`.
  public enum Refusal: UInt16, Sendable, CaseIterable {
    /// A sanitizer has an allocator of its own.
    case sanitizer = 1
    /// The allocator is linked into the program.
    case linkedAllocator = 2
    /// There was no memory for what would be sampled.
    case noMemory = 3
  }

  /// Of all bytes that are allocated one in so many was chosen at first.
  public var interval: UInt64
  /// The same at last: it grows when many sampled blocks live.
  public var lastInterval: UInt64
  /// Who gives out the process's memory.
  public var allocator: Allocator
  /// Whether the functions of an allocator in the program were changed at their entries.
  public var isByEntries: Bool
  /// Why nothing is sampled; nil: it is.
  public var refusal: Refusal?
  /// How many sampled blocks may live at once.
  public var room: UInt32
  /// When sampling began, in nanoseconds since the trace's start.
  public var began: Nanoseconds
  /// Sampled allocations, in the order of time.
  public var allocations: [AllocationRecord] = []
  /// In the order of time, about one a second.
  public var readings: [MemoryReading] = []

  package init(interval: UInt64, began: Nanoseconds = 0) {
    (self.interval, lastInterval, self.began) = (interval, interval, began)
    (allocator, isByEntries, room) = (.other, false, 0)
  }

  /// The number of sampled allocations that were lost.
  public var lost: Int { readings.last.map { Int($0.lost) } ?? 0 }
}
