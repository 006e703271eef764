public import OpTraceFormat

/// What is missing from a trace, exactly.
public struct LossReport: Sendable, Equatable {
  /// The number of lost records, by reason; only reasons with a count.
  public var lost: [LossReason: UInt64] = [:]
  /// When losses happened, and on which thread: each interval reaches from the thread's last record before the loss to
  /// the next one.
  public var gaps: [Gap] = []
  /// For a flight recorder: bytes of records that newer ones have replaced. That is not a loss, but how a ring works.
  public var overwrittenBytes: UInt64 = 0
  /// All records after this time are in the trace, of every thread; of earlier ones some may be missing. Nil: none are
  /// missing, or it is not known (before format 1.10).
  public var completeSince: Nanoseconds?
  /// Records of kinds that only a newer version knows, by raw kind.
  public var unknownKinds: [UInt8: Int] = [:]
  /// The damaged parts of the file; empty for a sound file.
  public var damage: [Damage] = []

  /// Nothing is missing.
  public init() {}

  /// Where records of one thread are missing.
  public struct Gap: Sendable, Equatable {
    /// The thread that lost them.
    public var thread: ThreadID
    /// Its last record before the loss, in nanoseconds since the trace's start.
    public var from: Nanoseconds
    /// Its next record, in nanoseconds since the trace's start.
    public var to: Nanoseconds
    /// How many records were lost.
    public var count: UInt64
    /// Why.
    public var reason: LossReason

    package init(thread: ThreadID, from: Nanoseconds, to: Nanoseconds, count: UInt64, reason: LossReason) {
      self.thread = thread
      self.from = from
      self.to = to
      self.count = count
      self.reason = reason
    }
  }

  /// A part of the file that could not be read.
  public struct Damage: Sendable, Equatable {
    /// Byte offset in the file.
    public var offset: UInt64
    /// How many bytes from there on were skipped.
    public var skippedBytes: UInt64
    /// What is wrong there, in words.
    public var reason: String

    package init(offset: UInt64, skippedBytes: UInt64, reason: String) {
      self.offset = offset
      self.skippedBytes = skippedBytes
      self.reason = reason
    }
  }

  /// The sum over all reasons, without overflow: a damaged header may claim more than a number holds.
  public var lostCount: UInt64 {
    lost.values.reduce(0) { sum, count in
      let (result, overflow) = sum.addingReportingOverflow(count)
      return overflow ? .max : result
    }
  }
  /// Whether some part of the file could not be read.
  public var isDamaged: Bool { !damage.isEmpty }
  /// Whether nothing is missing: then what is not in the trace did not happen.
  public var isComplete: Bool { lostCount == 0 && damage.isEmpty && overwrittenBytes == 0 && unknownKinds.isEmpty }
}
