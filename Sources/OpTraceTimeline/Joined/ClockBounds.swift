package import OpTraceModel

/// Computes how far a clock has to be moved so that calls lie as they must: served after they were made, and within the
/// call if that is awaited. As in NTP, the best guess is the middle of what all calls allow: with nothing else known, a
/// request is assumed to take as long as its answer.
package struct ClockBounds: Sendable {
  /// The moves that one call allows. Nil: no limit.
  private struct Bounds {
    var low: Nanoseconds?
    var high: Nanoseconds?

    func contains(_ move: Nanoseconds) -> Bool { move >= low ?? .min && move <= high ?? .max }
  }

  /// The times of one span, as far as they are known.
  package struct Times: Sendable {
    package var begin: Nanoseconds
    /// When it ended. Nil: it has not.
    package var end: Nanoseconds?

    package init(begin: Nanoseconds, end: Nanoseconds?) { (self.begin, self.end) = (begin, end) }
  }

  private var all: [Bounds] = []

  package init() {}

  /// Adds a call that a span on the clock in question serves. O(1).
  package mutating func serves(_ served: Times, _ caller: Times, isAwaited: Bool) {
    all.append(Self.bounds(served, caller, isAwaited))
  }

  /// Adds a call that a span on the clock in question makes. O(1).
  package mutating func calls(_ caller: Times, _ served: Times, isAwaited: Bool) {
    let bounds = Self.bounds(served, caller, isAwaited)
    all.append(Bounds(low: bounds.high.map { -$0 }, high: bounds.low.map { -$0 }))
  }

  /// Returns the allowed moves of `served`. A span that takes longer than its caller, for example because the caller
  /// gave up, cannot lie within it.
  private static func bounds(_ served: Times, _ caller: Times, _ isAwaited: Bool) -> Bounds {
    let low = caller.begin - served.begin
    guard isAwaited, let end = caller.end, let servedEnd = served.end, end - servedEnd >= low else {
      return Bounds(low: low, high: nil)
    }
    return Bounds(low: low, high: end - servedEnd)
  }

  /// The number of calls.
  package var count: Int { all.count }

  /// Returns the number of calls that do not lie as they must when the clock is moved by this much. O(calls).
  package func misfits(_ move: Nanoseconds) -> Int { all.count { !$0.contains(move) } }

  /// The best move: 0 if all calls already lie as they must. Otherwise the middle of what all of them allow, or, if
  /// that range has only one end, this end. If they contradict each other, the median of their own middles. O(n log n).
  package var move: Nanoseconds {
    let low = all.compactMap(\.low).max()
    let high = all.compactMap(\.high).min()
    if 0 >= low ?? .min, 0 <= high ?? .max { return 0 }
    guard let low, let high else { return low ?? high ?? 0 }
    if low <= high { return Self.middle(low, high) }
    var middles = all.compactMap { one in one.low.flatMap { low in one.high.map { Self.middle(low, $0) } } }
    if middles.isEmpty { middles = all.compactMap { $0.low ?? $0.high } }
    middles.sort()
    return middles[middles.count / 2]
  }

  private static func middle(_ low: Nanoseconds, _ high: Nanoseconds) -> Nanoseconds { low + (high - low) / 2 }
}
