public import OpTraceModel

/// The distribution of a set of durations.
public struct Distribution: Sendable, Equatable {
  /// How many values there are.
  public var count = 0
  /// Their sum in nanoseconds, limited to the largest number.
  public var total: Nanoseconds = 0
  /// The median, in nanoseconds.
  public var median: Nanoseconds = 0
  /// The 95th percentile, in nanoseconds.
  public var p95: Nanoseconds = 0
  /// The 99th percentile, in nanoseconds.
  public var p99: Nanoseconds = 0
  /// The maximum, in nanoseconds.
  public var max: Nanoseconds = 0

  /// No values: all figures are zero.
  public init() {}

  /// Percentiles by the nearest rank: each is one of the values. O(n), in the memory of the values.
  public init(_ values: consuming [Nanoseconds]) {
    var values = values
    guard !values.isEmpty else { return }
    count = values.count
    for value in values {
      total = total.saturating(value)
      max = Swift.max(max, value)
    }
    // All values before the higher index are not larger than its value, so the lower rank is among them.
    let (middle, high) = (Self.rank(50, of: count), Self.rank(95, of: count))
    let highest = Self.rank(99, of: count)
    p99 = values.select(highest, in: 0..<count)
    p95 = values.select(high, in: 0..<highest + 1)
    median = values.select(middle, in: 0..<high + 1)
  }

  private static func rank(_ percent: Int, of count: Int) -> Int { Swift.max(1, (count * percent + 99) / 100) - 1 }
}
