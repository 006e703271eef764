/// The layout of a trace file, and the numbers that have a meaning in it: the header of C is made from these lines. All numbers
/// are little-endian; offsets and sizes are in bytes.
///
/// A file is a header and then chunks, back to back. A chunk belongs to one thread at a time, and its records become
/// visible when its `fill` is stored. `Documentation/format.md` describes it in words.
package enum Layout {
  /// `OPTRACE` and a line feed: a file that was mangled as text is noticed.
  package static let magic: [UInt8] = Array("OPTRACE\n".utf8)
  /// How a packed trace begins.
  package static let packedMagic: [UInt8] = Array("OPTRACZ\n".utf8)
  /// A reader refuses another major version; a newer minor one only brings kinds that it skips.
  package static let majorVersion: UInt16 = 1
  /// That of the newest kind or field in ``EventSpec/table``, which a recorder need not build to know it, or of the newest field of
  /// the header.
  package static let minorVersion = max(EventFields.newestVersion, Header.newestVersion)
  package static let byteOrderMark: UInt32 = 0x0102_0304

  /// The file's header: a part that is written once and a part that changes.
  package enum Header {
    package static let size = 1024
    /// The minor version that brought the newest field of the header.
    package static var newestVersion: UInt16 { 10 }
    package static let majorVersion = 8
    package static let minorVersion = 10
    package static let headerSize = 12
    package static let byteOrderMark = 16
    package static let mode = 20
    package static let capacity = 24
    package static let processID = 32
    package static let clock = 36
    /// When the process began, in the system's own units: with the boot id it distinguishes a process from a later one of the same number.
    package static let processStart = 40
    package static let bootID = 48
    package static let startTicks = 64
    package static let startMonotonic = 72
    package static let startWall = 80
    /// An estimate, for a trace without a second calibration.
    package static let ticksPerSecond = 88
    package static let processName = 96
    package static let processNameSize = 128
    package static let writerVersion = 224
    package static let writerVersionSize = 32
    /// On how many processors the process might run at once when the trace began (since 1.5); 0: not known.
    package static let processors = 256
    /// The monotonic clock when this copy of a trace was kept while its program ran on (since 1.10); 0: it is no such copy.
    package static let keptAt = 264
    /// Why it was kept: UTF-8, padded with zeros.
    package static let keptReason = 272
    package static let keptReasonSize = 228
    package static let staticChecksum = 504

    package static let state = 512
    /// The heartbeat: a sequence number (odd while it is written), then ticks, monotonic and wall clock.
    package static let heartbeatSequence = 520
    package static let heartbeatTicks = 528
    package static let heartbeatMonotonic = 536
    package static let heartbeatWall = 544
    /// Where the last chunk ends.
    package static let endOffset = 552
    /// One count for each ``LossReason``.
    package static let lossCounts = 560
    /// Flight recorder: bytes of records that newer ones have replaced, which is no loss.
    package static let overwrittenBytes = 640
    /// Counted up by who wants a snapshot of the threads (since 1.3) …
    package static let snapshotRequested = 648
    /// … and the last one that was answered.
    package static let snapshotAnswered = 656
    /// The monotonic clock when `record --stall-timeout` ended the program, because nothing had moved (since 1.9); 0: it did not.
    package static let stalled = 664
    /// The signals for which the program had a handler at the last snapshot (since 1.9): a bit for each, that of signal 1 the lowest.
    package static let handledSignals = 672
    /// Flight recorder: all records after these ticks are there, of every thread (since 1.10). 0: all records are, or it is not known.
    package static let completeSince = 680
    package static let dynamicChecksum = 1016
  }

  package enum FileState: UInt32, Sendable {
    case open = 1
    case closed = 2
  }
  package enum Mode: UInt32, Sendable {
    case streaming = 0
    case flightRecorder = 1
  }
  package enum Clock: UInt32, Sendable {
    /// `CLOCK_MONOTONIC`; a tick is a nanosecond.
    case monotonic = 0
    /// The processor's counter.
    case counter = 1
  }

  /// A chunk's header.
  package enum Chunk {
    package static let size = 64
    package static let magic: UInt32 = 0x4B43_504F  // "OPCK"
    /// Bytes, header included; a multiple of 64.
    package static let byteCount = 4
    /// Chunks are numbered in the order in which they were handed out; a recycled one gets a new number.
    package static let sequence = 8
    package static let baseTicks = 16
    package static let thread = 24
    package static let kind = 28
    /// Bytes of records that are whole; stored last, with release order.
    package static let fill = 32
    package static let state = 36
    /// Over this header (with the checksum as zero) and the records; set when the state is sealed.
    package static let checksum = 40
  }

  package enum ChunkKind: UInt32, Sendable {
    case events = 0
    /// Interned strings; never recycled.
    case definitions = 1
    /// Flight recorder: records of unfinished operations, saved from a chunk that was recycled.
    case carried = 2
  }

  package enum ChunkState: UInt32, Sendable {
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
  package static let largestDelta: UInt64 = 0xFF_FFFF
  /// An operation's age counts units of so many ticks.
  package static let ageUnit: UInt64 = 16
  package static let largestAge: UInt64 = (1 << 40) - 1
  /// An image's address and its size count units of so many bytes.
  package static let imagePage: UInt64 = 4096
  /// Longer texts are cut at a character boundary.
  package static let longestText = 1024
  /// Of a span; a recorder writes no more attributes, nor more links.
  package static let mostSpanDetails = 64
}

/// Why records are missing. The raw value is the index of its count in the header.
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
