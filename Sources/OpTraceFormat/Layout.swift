/// Where things stand in a trace file. All numbers are little-endian; offsets and sizes are in bytes.
///
/// A file is a header and then chunks, back to back. A chunk belongs to one thread at a time, and its records become
/// visible when its `fill` is stored. `Documentation/format.md` describes it in words.
public enum Layout {
  /// `OPTRACE` and a line feed: a file that was mangled as text is noticed.
  public static let magic: [UInt8] = Array("OPTRACE\n".utf8)
  /// A reader refuses another major version; a newer minor one only brings kinds that it skips.
  public static let majorVersion: UInt16 = 1
  public static let minorVersion: UInt16 = 2
  public static let byteOrderMark: UInt32 = 0x0102_0304

  /// The file's header: a part that is written once and a part that changes.
  public enum Header {
    public static let size = 1024
    public static let majorVersion = 8
    public static let minorVersion = 10
    public static let headerSize = 12
    public static let byteOrderMark = 16
    public static let mode = 20
    public static let capacity = 24
    public static let processID = 32
    public static let clock = 36
    /// When the process began, in the system's own units: with the boot id it tells a process from a later one of the same number.
    public static let processStart = 40
    public static let bootID = 48
    public static let startTicks = 64
    public static let startMonotonic = 72
    public static let startWall = 80
    /// An estimate, for a trace without a second calibration.
    public static let ticksPerSecond = 88
    public static let processName = 96
    public static let processNameSize = 128
    public static let writerVersion = 224
    public static let writerVersionSize = 32
    public static let staticChecksum = 504

    public static let state = 512
    /// The heartbeat: a sequence number (odd while it is written), then ticks, monotonic and wall clock.
    public static let heartbeatSequence = 520
    public static let heartbeatTicks = 528
    public static let heartbeatMonotonic = 536
    public static let heartbeatWall = 544
    /// Where the last chunk ends.
    public static let endOffset = 552
    /// One count for each ``LossReason``.
    public static let lossCounts = 560
    /// Flight recorder: bytes of records that newer ones have replaced, which is no loss.
    public static let overwrittenBytes = 640
    public static let dynamicChecksum = 1016
  }

  public enum FileState: UInt32, Sendable { case open = 1, closed = 2 }
  public enum Mode: UInt32, Sendable { case streaming = 0, flightRecorder = 1 }
  public enum Clock: UInt32, Sendable {
    /// `CLOCK_MONOTONIC`; a tick is a nanosecond.
    case monotonic = 0
    /// The processor's counter.
    case counter = 1
  }

  /// A chunk's header.
  public enum Chunk {
    public static let size = 64
    public static let magic: UInt32 = 0x4B43_504F  // "OPCK"
    /// Bytes, header included; a multiple of 64.
    public static let byteCount = 4
    /// Chunks are numbered in the order in which they were handed out; a recycled one gets a new number.
    public static let sequence = 8
    public static let baseTicks = 16
    public static let thread = 24
    public static let kind = 28
    /// Bytes of records that are whole; stored last, with release order.
    public static let fill = 32
    public static let state = 36
    /// Over this header (with the checksum as zero) and the records; set when the state is sealed.
    public static let checksum = 40
  }

  public enum ChunkKind: UInt32, Sendable {
    case events = 0
    /// Interned strings; never recycled.
    case definitions = 1
    /// Flight recorder: records of unfinished operations, saved from a chunk that was recycled.
    case carried = 2
  }

  public enum ChunkState: UInt32, Sendable {
    /// A thread may still write.
    case open = 1
    /// Nobody writes any more; no checksum yet.
    case retired = 2
    /// The checksum holds.
    case sealed = 3
    /// Being recycled: the records are not valid.
    case recycling = 4
  }

  /// The largest gap that a record's 24 bits of time hold, in ticks.
  public static let largestDelta: UInt64 = 0xFF_FFFF
  /// An operation's age counts units of so many ticks.
  public static let ageUnit: UInt64 = 16
  public static let largestAge: UInt64 = (1 << 40) - 1
  /// Longer texts are cut at a character boundary.
  public static let longestText = 1024
}

/// Why records are missing. The raw value is the place of its count in the header.
public enum LossReason: UInt32, CaseIterable, Sendable {
  /// The disk, the quota or the address space is full, or the file is no longer ours.
  case noSpace = 0
  /// The size limit of the configuration was reached.
  case sizeLimit = 1
  /// Written by a thread that was already being torn down.
  case threadExited = 2
  /// More operations, classes, names or queues than the format can number.
  case tableFull = 3
  /// Flight recorder: unfinished operations took too much of the ring to be carried on.
  case carry = 4

  /// For people.
  public var explanation: String {
    switch self {
    case .noSpace: "no space to write to"
    case .sizeLimit: "the size limit was reached"
    case .threadExited: "written by threads that were ending"
    case .tableFull: "more names, classes or operations than the format holds"
    case .carry: "too many unfinished operations for the ring"
    }
  }
}
