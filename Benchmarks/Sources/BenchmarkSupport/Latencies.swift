import Foundation

/// Durations, counted by size: sixteen steps for each power of two, so a figure is at most 6 % too large. Memory and time of an
/// addition are constant.
public struct Latencies: Sendable {
  /// Nanoseconds.
  public struct Figures: Codable, Sendable {
    public var count: Int
    public var p50: Double
    public var p99: Double
    public var p999: Double
    public var longest: Double
  }

  private var counts = [UInt32](repeating: 0, count: 16 * 61)
  private var longest: UInt64 = 0

  public init() {}

  public mutating func add(_ nanoseconds: UInt64) {
    counts[Self.index(nanoseconds)] &+= 1
    if nanoseconds > longest { longest = nanoseconds }
  }

  public mutating func add(_ other: Latencies) {
    for index in counts.indices { counts[index] &+= other.counts[index] }
    longest = max(longest, other.longest)
  }

  public var figures: Figures {
    let total = counts.reduce(0) { $0 + Int($1) }
    func quantile(_ share: Double) -> Double {
      var left = Int((share * Double(total)).rounded(.up))
      for (index, count) in counts.enumerated() {
        left -= Int(count)
        if left <= 0, count > 0 { return Double(min(Self.end(index), longest)) }
      }
      return Double(longest)
    }
    return Figures(
      count: total, p50: quantile(0.5), p99: quantile(0.99), p999: quantile(0.999), longest: Double(longest))
  }

  private static func index(_ value: UInt64) -> Int {
    guard value >= 16 else { return Int(value) }
    let power = 63 - value.leadingZeroBitCount
    return (power - 3) * 16 + Int(value >> UInt64(power - 4)) - 16
  }

  /// The largest value that is counted there.
  private static func end(_ index: Int) -> UInt64 {
    guard index >= 16 else { return UInt64(index) }
    let power = index / 16 + 3
    let width = UInt64(1) << UInt64(power - 4)
    return UInt64(index % 16 + 16) &* width &+ (width - 1)
  }
}

/// Those of several threads.
public final class SharedLatencies: @unchecked Sendable {
  // Guarded by `lock`.
  private var total = Latencies()
  private let lock = NSLock()

  public init() {}

  public func add(_ other: Latencies) { lock.withLock { total.add(other) } }
  public var sum: Latencies { lock.withLock { total } }
}
