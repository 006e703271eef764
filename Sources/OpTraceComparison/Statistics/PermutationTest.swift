/// Whether two groups of numbers differ more than chance would make them: how many of all ways to split the same numbers
/// into groups of these sizes have means as far apart (Fisher 1935; Pitman 1937). It assumes nothing of how the numbers are spread.
enum PermutationTest {
  /// Up to so many splits all are tried: 10 and 10 numbers have 184,756.
  static let mostSplits = 200_000
  /// How many splits are drawn where there are more.
  static let samples = 20_000

  /// The two-sided p; 1 where a group is empty. Exact up to ``mostSplits``, else (k + 1) / (n + 1) of n random splits
  /// (Phipson, Smyth 2010), from a fixed seed: the same numbers have the same p. O(splits * numbers) at most.
  static func p(_ first: [Double], _ second: [Double]) -> Double {
    guard !first.isEmpty, !second.isEmpty else { return 1 }
    let all = first + second
    let center = all.reduce(0, +) / Double(all.count)
    // Of centered numbers the sum of one group alone shows how far apart the means are.
    let values = all.map { $0 - center }
    let size = min(first.count, second.count)
    let seen = (first.count == size ? values[..<size] : values[first.count...]).reduce(0, +).magnitude
    let least = seen - 1e-9 * (1e-12 + values.reduce(0) { $0 + $1.magnitude })
    guard let splits = binomial(values.count, size, most: mostSplits) else { return sampled(values, size, least) }
    return values.withUnsafeBufferPointer { Double(count($0, 0, size, 0, least)) / Double(splits) }
  }

  /// How many ways there are to choose so many of them from an index on with a sum as large as `least`, in either direction.
  private static func count(
    _ values: UnsafeBufferPointer<Double>, _ index: Int, _ size: Int, _ sum: Double, _ least: Double
  ) -> Int {
    if size == 0 { return sum.magnitude >= least ? 1 : 0 }
    if size == 1 { return (index..<values.count).count { (sum + values[$0]).magnitude >= least } }
    guard values.count - index >= size else { return 0 }
    return count(values, index + 1, size - 1, sum + values[index], least)
      + count(values, index + 1, size, sum, least)
  }

  private static func sampled(_ values: [Double], _ size: Int, _ least: Double) -> Double {
    var values = values
    var generator = SplitGenerator()
    var extreme = 0
    for _ in 0..<samples {
      var sum = 0.0
      for index in 0..<size {
        values.swapAt(index, generator.number(index..<values.count))
        sum += values[index]
      }
      if sum.magnitude >= least { extreme += 1 }
    }
    return Double(extreme + 1) / Double(samples + 1)
  }

  /// The smallest p that so many numbers in two groups can have: of the split that is farthest apart, and where the groups are
  /// of one size its mirror image.
  static func least(_ first: Int, _ second: Int) -> Double {
    guard let splits = binomial(first + second, min(first, second), most: mostSplits) else {
      return 1 / Double(samples + 1)
    }
    return (first == second ? 2 : 1) / Double(splits)
  }

  /// n over k; nil where it is more than `most`.
  static func binomial(_ n: Int, _ k: Int, most: Int) -> Int? {
    var result = 1
    for step in 0..<max(0, min(k, n - k)) {
      let (product, isTooMuch) = result.multipliedReportingOverflow(by: n - step)
      if isTooMuch { return nil }
      result = product / (step + 1)
      if result > most { return nil }
    }
    return result
  }
}

/// Random numbers that are the same each time (SplitMix64: Steele, Lea, Flood 2014).
private struct SplitGenerator {
  private var state: UInt64 = 0x0F7A_CE00

  mutating func number(_ range: Range<Int>) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    word ^= word >> 31
    return range.lowerBound + Int(word.multipliedFullWidth(by: UInt64(range.count)).high)
  }
}

/// Many tests at once: some come out by chance. Holm's correction keeps the chance that any of them does below the limit
/// that one test would have (Holm: A simple sequentially rejective multiple test procedure, 1979).
enum Holm {
  /// The adjusted p of each, to be compared with the limit of one test: in ascending order, the i-th of m is multiplied by
  /// m - i (from 0), is not below the one before it, and not above 1. O(m log m).
  static func adjusted(_ ps: [Double]) -> [Double] {
    var result = ps
    var highest = 0.0
    for (rank, index) in ps.indices.sorted(by: { (ps[$0], $0) < (ps[$1], $1) }).enumerated() {
      highest = max(highest, min(1, ps[index] * Double(ps.count - rank)))
      result[index] = highest
    }
    return result
  }
}
