/// What the first pass over a file collects for code that has to know something of all events before it sees the first.
/// Several may each have a part of a file.
protocol FirstPassFacts: Sendable {
  init()
  /// The events of a chunk; their times are in ticks (the bit pattern).
  mutating func see(_ entries: [TraceEvents.Entry], _ words: [UInt64])
  /// Goes on with what another has seen of the chunks behind.
  mutating func append(_ later: Self)
}

/// Nothing.
struct NoFacts: FirstPassFacts {
  mutating func see(_ entries: [TraceEvents.Entry], _ words: [UInt64]) {}
  mutating func append(_ later: Self) {}
}
