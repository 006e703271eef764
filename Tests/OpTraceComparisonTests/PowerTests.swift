import OpTraceAnalysis
import OpTraceModel
import TestSupport
import Testing

@testable import OpTraceComparison

@Suite("Differences that a comparison of times can find")
struct PowerTests {
  /// One operation of each of these classes on its own queue, one after the other, with 10 % of noise.
  private func trace(_ times: [(className: String, milliseconds: Double)], _ random: inout SeededGenerator) -> Trace {
    var make = HandmadeTrace()
    let queue = make.queue("work", limit: 1)
    var now = 0.0
    for (className, time) in times {
      let end = now + time * (1 + Double(random.number(0..<100)) / 1000)
      make[make.operation("\(className) 1", on: queue, began: now, ended: end)].className = className
      now = end
    }
    return make.trace
  }

  private func compare(
    _ base: [(className: String, milliseconds: Double)], _ new: [(className: String, milliseconds: Double)], runs: Int
  ) -> Comparison {
    var random = SeededGenerator(7)
    var comparer = Comparer(by: .all)
    for _ in 0..<runs { comparer.add(trace(base, &random), as: .base) }
    for _ in 0..<runs { comparer.add(trace(new, &random), as: .new) }
    return comparer.comparison()
  }

  /// `ClassAA`, `ClassAB`, …: without numbers, so that each is a pattern.
  private func names(_ count: Int) -> [String] {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".map { String($0) }
    let all = letters.flatMap { first in letters.map { "Class" + first + $0 } }
    return Array(all.prefix(count))
  }

  @Test("an operation that took almost no time before the change, and takes long after it, is slower")
  func newlyHeavy() {
    let base = [("Decode", 1000.0), ("Log", 0.01)]
    let result = compare(base, [("Decode", 1000), ("Log", 400)], runs: 5)
    #expect(result.timings.filter { $0.verdict == .slower }.map(\.pattern.className) == ["Log"])
    let back = compare([("Decode", 1000), ("Log", 400)], base, runs: 5)
    #expect(back.timings.filter { $0.verdict == .faster }.map(\.pattern.className) == ["Log"])
  }

  @Test("an operation that takes almost no time on both sides gets no verdict, however much it changes")
  func alwaysLight() {
    let result = compare([("Decode", 1000), ("Log", 0.01)], [("Decode", 1000), ("Log", 0.04)], runs: 5)
    #expect(result.timings.filter { $0.verdict == .slower }.isEmpty)
    #expect(result.timings.first { $0.pattern.className == "Log" }?.p == nil)
  }

  @Test(
    "many patterns need more runs, and the comparison says how many",
    arguments: [(5, nil), (6, 6), (18, 6), (19, 7)])
  func runsNeeded(patterns: Int, needed: Int?) {
    let base = names(patterns).map { ($0, 10.0) }
    var new = base
    new[0].1 = 30
    let few = compare(base, new, runs: 5)
    #expect(few.runsNeeded == needed)
    #expect(few.timings.filter { $0.verdict == .slower }.count == (needed == nil ? 1 : 0))
    guard let needed else { return }
    let enough = compare(base, new, runs: needed)
    #expect(enough.runsNeeded == nil)
    #expect(enough.timings.filter { $0.verdict == .slower }.map(\.pattern.className) == [names(1)[0]])
  }

  @Test("two groups that do not overlap have the smallest p")
  func smallest() {
    for first in 1..<8 {
      for second in 1..<8 {
        let low = (0..<first).map { Double($0) }
        let high = (0..<second).map { 1000 + Double($0) * 1.7 }
        #expect(abs(PermutationTest.p(low, high) - PermutationTest.least(first, second)) < 1e-12, "\(first), \(second)")
      }
    }
    #expect(PermutationTest.least(200, 200) == 1 / Double(PermutationTest.samples + 1))
  }
}
