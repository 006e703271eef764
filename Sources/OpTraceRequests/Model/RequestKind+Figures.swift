import OpTraceKernel
import OpTraceModel

extension RequestKind {
  /// The slowest percentage of units, and at least one unit, is the tail.
  private static let tailPercent = 1
  /// The percentage of units about the median, on both sides together: enough that one odd unit does not decide.
  private static let middlePercent = 10
  /// How many of the slowest units are kept as examples.
  static let mostExamples = 5
  /// A cause with less than this share of the slow units' time, and of the median's, is left out.
  private static let leastShare = 0.005

  /// O(n log n) for n units.
  mutating func measure(_ members: [Int], in requests: Requests) {
    let units = requests.units
    let sorted = members.sorted { (units[$0].length, $0) < (units[$1].length, $1) }
    guard let first = members.map({ units[$0].began }).min(), let last = members.map({ units[$0].ended }).max() else {
      return
    }
    count = members.count
    failed = members.count { units[$0].isFailed }
    total = members.reduce(0) { $0.saturating(units[$1].length) }
    perSecond = last > first ? Double(count) * 1e9 / Double(last - first) : 0
    func rank(_ percent: Int) -> Nanoseconds { units[sorted[Swift.max(1, (count * percent + 99) / 100) - 1]].length }
    (p50, p95, p99) = (rank(50), rank(95), rank(99))
    max = sorted.last.map { units[$0].length } ?? 0
    slowest = Array(sorted.suffix(Self.mostExamples).reversed())
    tailCount = Swift.max(1, count * Self.tailPercent / 100)
    let half = count * Self.middlePercent / 200
    let middle = (count - 1) / 2
    let typical = sorted[Swift.max(0, middle - half)...Swift.min(count - 1, middle + half)]
    let medians = Self.means(typical, requests)
    let tails = Self.means(sorted.suffix(tailCount), requests)
    let least = Nanoseconds(Double(p99) * Self.leastShare)
    breakdown = Set(medians.keys).union(tails.keys).compactMap { cause in
      let share = Share(cause: cause, median: medians[cause] ?? 0, tail: tails[cause] ?? 0)
      return Swift.max(share.median, share.tail) > least ? share : nil
    }
    .sorted { ($0.median - $0.tail, -$0.tail, $0.cause) < ($1.median - $1.tail, -$1.tail, $1.cause) }
  }

  private static func means(_ units: ArraySlice<Int>, _ requests: Requests) -> [Int32: Nanoseconds] {
    var sums: [Int32: Nanoseconds] = [:]
    for unit in units {
      for part in requests.parts(ofUnitAt: unit) { sums[part.cause] = (sums[part.cause] ?? 0).saturating(part.length) }
    }
    return sums.mapValues { $0 / Nanoseconds(Swift.max(1, units.count)) }
  }
}
