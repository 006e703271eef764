@testable import OpTraceKernel
import OpTraceModel
import TestSupport
import Testing

/// Algorithms that avoid sorting give the same results as sorting.
@Suite("Selecting without sorting everything")
struct OrderTests {
  /// Few different values, so many are equal; and orders in which the first or the middle element is a bad pivot.
  static func lists(_ seed: UInt64) -> [[Nanoseconds]] {
    var random = SeededGenerator(seed)
    return (0...40).flatMap { count -> [[Nanoseconds]] in
      let values = (0..<count).map { _ in Nanoseconds.random(in: -5...Nanoseconds(count), using: &random) }
      let sorted = values.sorted()
      return [values, sorted, sorted.reversed(), sorted.suffix(count / 2) + sorted.prefix(count - count / 2)]
    }
  }

  @Test(
    "selection finds the element of the sorted list, with smaller ones before it", arguments: [1, 2, 3, 4] as [UInt64])
  func selection(_ seed: UInt64) {
    // One expectation for all: there are thousands.
    var wrong: [String] = []
    for list in Self.lists(seed) {
      let sorted = list.sorted()
      for index in list.indices {
        var values = list
        let selected = values.select(index, in: values.indices)
        let isSplit = values[..<index].allSatisfy { $0 <= selected } && values[index...].allSatisfy { $0 >= selected }
        if selected != sorted[index] || !isSplit || values.sorted() != sorted { wrong.append("\(index) of \(list)") }
      }
    }
    #expect(wrong == [], "seed \(seed)")
  }

  /// Values that alternate around zero, that rise and fall, and that are in order: many pivots are bad.
  @Test("selection is right for orders with bad pivots") func badOrder() {
    let around = (0..<20_000).map { Nanoseconds($0 % 2 == 0 ? $0 : -$0) }
    let upAndDown = (0..<20_000).map { Nanoseconds(min($0, 20_000 - $0)) }
    for list in [around, around.reversed(), upAndDown, around.sorted(), around.sorted(by: >)] {
      var values = list
      #expect(values.select(10_000, in: values.indices) == list.sorted()[10_000])
    }
  }

  @Test("distributions use the nearest rank", arguments: [5, 6] as [UInt64])
  func distributions(_ seed: UInt64) {
    for list in Self.lists(seed).map({ $0.map(abs) }) where !list.isEmpty {
      let sorted = list.sorted()
      var expected = Distribution()
      expected.count = list.count
      expected.total = list.reduce(0, +)
      expected.median = sorted[max(1, (list.count * 50 + 99) / 100) - 1]
      expected.p95 = sorted[max(1, (list.count * 95 + 99) / 100) - 1]
      expected.p99 = sorted[max(1, (list.count * 99 + 99) / 100) - 1]
      expected.max = sorted.last ?? 0
      #expect(Distribution(list) == expected, "seed \(seed): \(list)")
    }
  }

  @Test("FirstFew gives the first elements of the sorted list", arguments: [0, 1, 3, 200], [7, 8] as [UInt64])
  func firstFew(_ count: Int, _ seed: UInt64) {
    var random = SeededGenerator(seed)
    for size in [0, 1, 63, 64, 65, 500, 3_000] {
      let values = (0..<size).map { (Int.random(in: 0...size, using: &random), $0) }
      for order in [values, values.sorted(by: <), values.sorted(by: >)] {
        var few = FirstFew<(Int, Int)>(count, by: <)
        for value in order { few.offer(value) }
        let expected = Array(values.sorted(by: <).prefix(count))
        #expect(few.take().elementsEqual(expected, by: ==), "seed \(seed), \(size) values")
      }
    }
  }

  /// All sets of up to three intervals between six moments, compared to a check of each moment.
  @Test("union and peak of intervals match a check of each moment") func intervals() {
    let all = (0..<5).flatMap { begin in (begin + 1...5).map { (begin: Nanoseconds(begin), end: Nanoseconds($0)) } }
    func check(_ parts: [(begin: Nanoseconds, end: Nanoseconds)]) {
      var openings = Openings(capacity: parts.count)
      for part in parts { openings.add(part.begin, part.end) }
      let atEach = (0..<Nanoseconds(5)).map { moment in parts.count { $0.begin <= moment && moment < $0.end } }
      #expect(openings.peak() == atEach.max(), "\(parts)")
      let union = Intervals(parts)
      #expect(union.total == Nanoseconds(atEach.count { $0 > 0 }), "\(parts)")
      var apart: [(Nanoseconds, Nanoseconds)] = []
      union.forEach { apart.append(($0, $1)) }
      #expect(zip(apart, apart.dropFirst()).allSatisfy { $0.1 < $1.0 } && apart.allSatisfy { $0.0 < $0.1 }, "\(parts)")
      for begin in 0..<Nanoseconds(5) {
        #expect(union.touches(begin, begin + 1) == (atEach[Int(begin)] > 0), "\(parts) at \(begin)")
      }
    }
    for one in all {
      check([one])
      for two in all {
        check([one, two])
        for three in all { check([one, two, three]) }
      }
    }
    #expect(Intervals([(begin: 3, end: 3)]).total == 0)
  }
}
