/// Facts that the first pass over a file collects for code that has to know something about all events before it sees
/// the first. Several instances may each see a part of a file.
protocol FirstPassFacts: Sendable {
  init()
  /// The events of a chunk; their times are in ticks (the bit pattern).
  mutating func see(_ entries: [TraceEvents.Entry], _ words: [UInt64])
  /// Appends what another instance has seen of the chunks that follow.
  mutating func append(_ later: Self)
}

/// Collects nothing.
struct NoFacts: FirstPassFacts {
  mutating func see(_ entries: [TraceEvents.Entry], _ words: [UInt64]) {}
  mutating func append(_ later: Self) {}
}
