import OpTraceFormat

/// One record of a trace with its time and thread, not yet interpreted.
public struct TraceEvent: Sendable, Equatable {
  /// Raw: a newer version may have kinds that this one does not know.
  public var kind: UInt8
  /// When, in nanoseconds since the trace's start, on the monotonic clock.
  public var time: Nanoseconds
  /// Which thread recorded it.
  public var thread: ThreadID
  /// What the record is about; `EventSpec.subject` says of which sort it is.
  public var subject: UInt32
  /// The record's second word, whose bits `EventSpec.fields` explain; 0 where the record has none.
  public var word1: UInt64 = 0
  /// The record's third word; 0 where the record has none.
  public var word2: UInt64 = 0
  /// The record's text. Interned strings are not resolved here.
  public var text: String?

  package init(
    kind: UInt8, time: Nanoseconds, thread: ThreadID, subject: UInt32, word1: UInt64 = 0, word2: UInt64 = 0,
    text: String? = nil
  ) {
    self.kind = kind
    self.time = time
    self.thread = thread
    self.subject = subject
    self.word1 = word1
    self.word2 = word2
    self.text = text
  }
}

extension EventWords {
  init(_ event: TraceEvent) { self.init(event.word1, event.word2) }
}
