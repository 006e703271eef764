import OpTraceModel

/// What stands in a cell. Times are nanoseconds since the trace's start, durations nanoseconds.
public enum TableValue: Sendable, Hashable {
  /// Nothing: it did not happen, or is not known.
  case null
  /// A whole number, a time, a duration, or 1 and 0 of what is or is not.
  case integer(Int64)
  /// Any other number.
  case real(Double)
  /// A name or a word.
  case text(String)
  /// Bytes that are no text: only what a query makes of them, no table has any.
  case blob([UInt8])

  init(_ value: (some BinaryInteger)?) { self = value.map { .integer(Int64(clamping: $0)) } ?? .null }
  init(_ value: Double?) { self = value.map { .real($0) } ?? .null }
  init(_ value: String?) { self = value.map { .text($0) } ?? .null }
  /// 1 or 0.
  init(_ value: Bool?) { self = value.map { .integer($0 ? 1 : 0) } ?? .null }
  init(_ value: Stamp?) { self.init(value?.time) }
  init(_ value: WorkID?) { self.init(value?.rawValue) }
  init(_ value: QueueID?) { self.init(value?.rawValue) }
  init(_ value: DispatchQueueID?) { self.init(value?.rawValue) }
  init(_ value: ThreadID?) { self.init(value?.rawValue) }
  init(_ value: SpanID?) { self.init(value?.rawValue) }
  init(_ value: FrameID?) { self.init(value?.rawValue) }
}

/// A column's kind of values, the same in all formats.
public enum ColumnType: String, Sendable, CaseIterable {
  /// 64 bits with a sign.
  case integer
  /// 64 bits.
  case real
  /// UTF-8. What was none in the trace has U+FFFD in its place.
  case text
}
