/// What else the first pass over a file takes note of, for those who have to know something of all events before they see one.
/// Several may each have a part of a file.
protocol FirstLook: Sendable {
  init()
  /// The events of a chunk; their times are in ticks (the bit pattern).
  mutating func see(_ entries: [TraceEvents.Entry], _ words: [UInt64])
  /// Goes on with what another has seen of the chunks behind.
  mutating func append(_ later: Self)
}

/// Nothing.
struct NoFirstLook: FirstLook {
  mutating func see(_ entries: [TraceEvents.Entry], _ words: [UInt64]) {}
  mutating func append(_ later: Self) {}
}
