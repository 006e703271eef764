package import OpTraceModel

/// How far a clock is to be moved so that calls lie as they must: served after they were called, and inside of the call where that is
/// awaited. The middle of what all calls allow is the best guess, as in NTP: where nothing else is known, a request takes as long as
/// its answer.
package struct ClockBounds: Sendable {
  /// What one call allows; nil: anything.
  private struct Bounds {
    var low: Nanoseconds?
    var high: Nanoseconds?

    func contains(_ move: Nanoseconds) -> Bool { move >= low ?? .min && move <= high ?? .max }
  }

  /// The times of one span, as far as they are known.
  package struct Times: Sendable {
    package var begin: Nanoseconds
    /// Nil: it has not ended.
    package var end: Nanoseconds?

    package init(begin: Nanoseconds, end: Nanoseconds?) { (self.begin, self.end) = (begin, end) }
  }

  private var all: [Bounds] = []

  package init() {}

  /// A call that a span on the clock in question serves. O(1).
  package mutating func serves(_ served: Times, _ caller: Times, isAwaited: Bool) {
    all.append(Self.bounds(served, caller, isAwaited))
  }

  /// A call that a span on the clock in question makes. O(1).
  package mutating func calls(_ caller: Times, _ served: Times, isAwaited: Bool) {
    let bounds = Self.bounds(served, caller, isAwaited)
    all.append(Bounds(low: bounds.high.map { -$0 }, high: bounds.low.map { -$0 }))
  }

  /// What a move of `served` may be. One that takes longer than its caller, as when that gave up, cannot lie inside of it.
  private static func bounds(_ served: Times, _ caller: Times, _ isAwaited: Bool) -> Bounds {
    let low = caller.begin - served.begin
    guard isAwaited, let end = caller.end, let servedEnd = served.end, end - servedEnd >= low else {
      return Bounds(low: low, high: nil)
    }
    return Bounds(low: low, high: end - servedEnd)
  }

  /// How many calls there are.
  package var count: Int { all.count }

  /// How many do not lie as they must when the clock is moved by so much. O(calls).
  package func misfits(_ move: Nanoseconds) -> Int { all.count { !$0.contains(move) } }

  /// 0 where all calls lie as they must already. Else the middle of what all allow; where that has one end only, this end. Where they
  /// contradict each other, the median of their own middles. O(n log n).
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
