import TestSupport
import Testing

@testable import OpTraceComparison

@Suite("Statistics of comparisons")
struct StatisticsTests {
  /// All splits into two groups, one by one.
  private func bruteForce(_ first: [Double], _ second: [Double]) -> Double {
    let all = first + second
    let seen = abs(first.reduce(0, +) / Double(first.count) - second.reduce(0, +) / Double(second.count))
    var (extreme, splits) = (0, 0)
    for mask in 0..<(1 << all.count) where mask.nonzeroBitCount == first.count {
      var (one, other) = (0.0, 0.0)
      for index in all.indices { if mask >> index & 1 == 1 { one += all[index] } else { other += all[index] } }
      splits += 1
      if abs(one / Double(first.count) - other / Double(second.count)) >= seen - 1e-9 { extreme += 1 }
    }
    return Double(extreme) / Double(splits)
  }

  @Test("p is the share of splits whose means are at least as far apart (all small cases)", arguments: 0..<200)
  func exact(_ seed: Int) {
    var random = SeededGenerator(seed)
    let first = (0..<random.number(1..<6)).map { _ in Double(random.number(0..<8)) }
    let second = (0..<random.number(1..<6)).map { _ in Double(random.number(0..<8)) }
    let p = PermutationTest.p(first, second)
    #expect(abs(p - bruteForce(first, second)) < 1e-12, "seed \(seed): \(first) \(second)")
    #expect(PermutationTest.p(second, first) == p)
  }

  @Test("p is as computed by hand")
  func byHand() {
    #expect(PermutationTest.p([1, 2, 3], [4, 5, 6]) == 0.1)
    #expect(PermutationTest.p([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]) == 2.0 / 252)
    #expect(PermutationTest.p([1, 1], [1, 1]) == 1)
    #expect(PermutationTest.p([], [1, 1]) == 1)
    #expect(PermutationTest.p([1], [2]) == 1)
  }

  @Test("p of many runs comes from sampled splits: close to the exact value, and reproducible")
  func sampled() {
    let first = (0..<15).map { Double($0) }
    #expect(PermutationTest.binomial(30, 15, most: PermutationTest.mostSplits) == nil)
    #expect(PermutationTest.p(first, first.map { $0 + 100 }) == 1.0 / 20_001)
    // 11 and 11 numbers have 705,432 splits: brute force can still try them all.
    let one = (0..<11).map { Double($0 * $0 % 7) }
    let other = (0..<11).map { Double($0 * 5 % 11) }
    let p = PermutationTest.p(one, other)
    #expect(abs(p - bruteForce(one, other)) < 0.015)
    #expect(PermutationTest.p(one, other) == p)
  }

  @Test("Holm's correction is as computed by hand")
  func holm() {
    #expect(Holm.adjusted([0.01, 0.04, 0.03, 0.005]) == [0.03, 0.06, 0.06, 0.02])
    #expect(Holm.adjusted([0.9, 0.5]) == [1, 1])
    #expect(Holm.adjusted([0.04]) == [0.04])
    #expect(Holm.adjusted([]).isEmpty)
  }

  @Test("the range of a difference is as computed by hand")
  func ranges() throws {
    // Two groups of three numbers, each with variance 1: 4 degrees of freedom, margin 2.776 * sqrt(2 / 3).
    let difference = try #require(MeanDifference([1, 2, 3], [4, 5, 6]))
    #expect(difference.difference == 3)
    #expect(abs(difference.high - 3 - 2.776 * (2.0 / 3).squareRoot()) < 1e-9)
    #expect(abs(difference.low + difference.high - 6) < 1e-9)
    #expect(MeanDifference([1], [5]) == MeanDifference([1, 1], [5, 5]))
    #expect(MeanDifference([], [5]) == nil)
  }

  @Test("the range holds the true difference in 95 of 100 cases")
  func coverage() {
    var random = SeededGenerator(7)
    var held = 0
    for _ in 0..<2000 {
      func group(_ mean: Double, _ count: Int) -> [Double] {
        (0..<count).map { _ in mean + (0..<12).reduce(-6) { sum, _ in sum + Double(random.number(0..<1000)) / 1000 } }
      }
      guard let difference = MeanDifference(group(0, 5), group(2, 8)) else { continue }
      if difference.low <= 2, difference.high >= 2 { held += 1 }
    }
    #expect((1860...1980).contains(held), "\(held)")
  }
}
