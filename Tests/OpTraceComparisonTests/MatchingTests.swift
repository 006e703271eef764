import OpTraceAnalysis
import OpTraceModel
import TestSupport
import Testing

@testable import OpTraceComparison

@Suite("Matching operations of two runs")
struct MatchingTests {
  private func partners(_ first: Trace, _ second: Trace) -> [Int32] {
    var patterns = PatternTable()
    let one = RunShape(of: first, graph: DependencyGraph(of: first), patterns: &patterns)
    let other = RunShape(of: second, graph: DependencyGraph(of: second), patterns: &patterns)
    return OperationMatching(one, other).partners
  }

  /// The share of operations that were matched with their true partner, in percent. No operation may be matched twice.
  private func share(_ found: [Int32], _ truth: [Int?]) -> Int {
    let matched = found.filter { $0 >= 0 }
    #expect(Set(matched).count == matched.count)
    let known = truth.indices.filter { truth[$0] != nil }
    let right = known.count { truth[$0].map { Int32($0) } == found[$0] }
    return known.isEmpty ? 100 : right * 100 / known.count
  }

  @Test("names match all operations of an unchanged program, whatever their times", arguments: 0..<20)
  func unchanged(_ seed: Int) {
    var random = SeededGenerator(seed)
    let run = RandomRun(&random, count: 120)
    let found = partners(run.trace(&random), run.trace(&random))
    #expect(share(found, run.steps.indices.map { $0 }) == 100, "seed \(seed)")
  }

  @Test("the order of enqueueing does not change the matches", arguments: 0..<20)
  func shuffled(_ seed: Int) {
    var random = SeededGenerator(seed)
    let run = RandomRun(&random, count: 120)
    let order = Array(run.steps.indices).shuffled(using: &random)
    let found = partners(run.trace(&random), run.trace(&random, order: order))
    var indexes = order
    for (number, index) in order.enumerated() { indexes[index] = number }
    #expect(share(found, indexes.map { $0 }) == 100, "seed \(seed)")
  }

  @Test("if names differ in each run, dependencies match at least 91 of 100 operations", arguments: 0..<20)
  func renamed(_ seed: Int) {
    var random = SeededGenerator(seed)
    let run = RandomRun(&random, count: 120)
    let found = partners(run.trace(&random, renamed: true), run.trace(&random, renamed: true))
    #expect(share(found, run.steps.indices.map { $0 }) >= 91, "seed \(seed)")
  }

  @Test("if a tenth of the operations is removed, names match the rest", arguments: 0..<20)
  func removed(_ seed: Int) {
    var random = SeededGenerator(seed)
    let run = RandomRun(&random, count: 120)
    var fewer = run
    let kept = run.steps.indices.filter { $0 % 10 != 3 }
    var indexes = [Int?](repeating: nil, count: run.steps.count)
    for (number, index) in kept.enumerated() { indexes[index] = number }
    fewer.steps = kept.map { index in
      var step = run.steps[index]
      step.after = step.after.compactMap { indexes[$0] }
      return step
    }
    #expect(share(partners(run.trace(&random), fewer.trace(&random)), indexes) == 100, "seed \(seed)")
  }

  @Test("operations of the same name are matched by neighbours that have unique names")
  func neighbours() {
    func trace(_ order: [Int]) -> Trace {
      var make = HandmadeTrace()
      let queue = make.queue("work")
      for number in order { make.operation("source \(number)", on: queue, began: 1.0, ended: 2.0) }
      for index in order.indices.reversed() {
        make.operation("copy", on: queue, after: [index + 1], began: 2.0, ended: 3.0)
      }
      return make.trace
    }
    // Copies are in the reverse order of their sources.
    #expect(partners(trace([1, 2, 3]), trace([3, 1, 2])) == [1, 2, 0, 5, 3, 4])
  }

  @Test("operations of one pattern without dependencies are matched in order")
  func order() {
    func trace(_ count: Int) -> Trace {
      var make = HandmadeTrace()
      let queue = make.queue("work")
      for _ in 0..<count { make.operation(nil, on: queue, began: 1.0, ended: 2.0) }
      return make.trace
    }
    #expect(partners(trace(3), trace(3)) == [0, 1, 2])
    #expect(partners(trace(3), trace(2)) == [0, 1, -1])
    #expect(partners(trace(0), trace(2)) == [])
    #expect(partners(trace(2), trace(0)) == [-1, -1])
  }

  @Test("operations of different classes or queues do not match")
  func classes() {
    var one = HandmadeTrace()
    one.operation("load", on: one.queue("net"), began: 1.0, ended: 2.0)
    var other = HandmadeTrace()
    other.operation("load", on: other.queue("disk"), began: 1.0, ended: 2.0)
    #expect(partners(one.trace, other.trace) == [-1])
    other.trace.queues[0].name = "net"
    #expect(partners(one.trace, other.trace) == [0])
    other[1].className = "Other"
    #expect(partners(one.trace, other.trace) == [-1])
  }
}
