/// By what other processes know a span: the ids of a `traceparent`. None is 0.
package struct SpanIDs: Sendable, Equatable {
  /// 128 bits, of all spans that belong together, in any process.
  package struct Trace: Sendable, Equatable {
    package var high: UInt64
    package var low: UInt64

    package init(high: UInt64, low: UInt64) {
      self.high = high
      self.low = low
    }
  }

  package var trace: Trace
  package var span: UInt64

  package init(trace: Trace, span: UInt64) {
    self.trace = trace
    self.span = span
  }

  /// Ids of one recorder's spans, made of their numbers: no two spans have the same, and nobody has to ask the system for random
  /// numbers each time.
  struct Seed: Sendable {
    private let first, second, third: UInt64

    init() {
      var system = SystemRandomNumberGenerator()
      (first, second, third) = (system.next(), system.next(), system.next())
    }

    func ids(_ number: UInt32) -> SpanIDs {
      SpanIDs(
        trace: Trace(high: Self.mixed(first, number), low: Self.mixed(second, number)), span: Self.mixed(third, number))
    }

    /// SplitMix64: another result for each number.
    private static func mixed(_ seed: UInt64, _ number: UInt32) -> UInt64 {
      var value = seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15
      value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
      value ^= value >> 31
      return value == 0 ? 1 : value
    }
  }
}
