import Foundation
package import OpTraceDoctor
import OpTraceKernel
package import OpTraceModel

/// Takes runs one by one, and compares the new with the base. Of each trace only what the comparison needs stays in memory:
/// a number for each operation, and what the run consists of.
package struct Comparer: Sendable {
  /// Which side a run is of.
  package enum Role: Sendable {
    /// As it was.
    case base
    /// With the change.
    case new
  }

  private struct Run: Sendable {
    var role: Role
    var facts: RunFacts
    var operationCount: Int
    var wall: Nanoseconds?
    var hasFunctions: Bool
  }

  private var patterns = PatternTable()
  /// The first run, which all others are matched with.
  private var reference: RunShape?
  private var times = TimingTable()
  private var functions = FunctionTable()
  private var runs: [Run] = []

  /// What finds what is wrong in each run.
  private let rules: RuleSet

  /// Without runs.
  package init(by rules: RuleSet) { self.rules = rules }

  /// O(n log n) for n operations and dependencies.
  package mutating func add(_ trace: Trace, as role: Role) {
    let graph = DependencyGraph(of: trace)
    let shape = RunShape(of: trace, graph: graph, patterns: &patterns)
    let wall = trace.activity.map { $0.upperBound.subtractingReportingOverflow($0.lowerBound) }
    runs.append(
      Run(
        role: role, facts: RunFacts(of: trace, shape: shape, Diagnosis(of: trace, by: rules)),
        operationCount: trace.operations.count,
        wall: wall.flatMap { $0.overflow || $0.partialValue <= 0 ? nil : $0.partialValue },
        hasFunctions: shape.hasFunctions))
    let partners: [Int32]
    if let reference {
      let isPlain = reference.hasFunctions != shape.hasFunctions
      partners =
        isPlain
        ? OperationMatching(reference.mapped(by: patterns.functionless), shape.mapped(by: patterns.functionless))
          .partners
        : OperationMatching(reference, shape).partners
    } else {
      reference = shape
      partners = (0..<shape.count).map { Int32(clamping: $0) }
    }
    times.add(trace, partners: partners, isNew: role == .new)
    functions.add(trace, isNew: role == .new)
  }

  /// The run of a side that takes neither long nor short, by its index among those of its side: the one with the middle wall
  /// time. Nil: the side has no run. O(runs log runs).
  package func typicalRun(_ role: Role) -> Int? {
    let walls = runs.filter { $0.role == role }.map { $0.wall ?? .max }
    let sorted = walls.indices.sorted { (walls[$0], $0) < (walls[$1], $1) }
    return sorted.isEmpty ? nil : sorted[(sorted.count - 1) / 2]
  }

  /// The comparison. O(runs * operations), and the tests of ``TimingRule/mostTests`` patterns at most.
  package func comparison(rule: TimingRule = TimingRule()) -> Comparison {
    // Where some run has no names for functions, none has: else all operations would come and go.
    let isPlain = Set(runs.map(\.hasFunctions)).count > 1
    let numbers = isPlain ? patterns.functionless : patterns.patterns.indices.map { Int32(clamping: $0) }
    func facts(_ role: Role) -> [RunFacts] {
      runs.filter { $0.role == role }.map { isPlain ? $0.facts.mapped(by: numbers) : $0.facts }
    }
    let (base, new) = (facts(.base), facts(.new))
    let graph = PatternGraph(base: base, new: new, patterns: patterns.patterns)
    let timings = timings(reference?.mapped(by: numbers).patterns ?? [], rule)
    return Comparison(
      base: side(.base), new: side(.new),
      structure: StructureDifferences(base: base, new: new, graph: graph, patterns: patterns.patterns), graph: graph,
      timings: timings, wall: wall(rule),
      runsNeeded: rule.runsNeeded(
        tests: timings.count { $0.p != nil },
        runs: (runs.count { $0.role == .base }, runs.count { $0.role == .new })),
      functions: functions.differences(rule), rule: rule)
  }

  private func side(_ role: Role) -> Comparison.Side {
    let own = runs.filter { $0.role == role }
    let counts = own.map(\.operationCount)
    let logarithms = logarithms(role)
    return Comparison.Side(
      runs: own.count, operations: (counts.min() ?? 0)...(counts.max() ?? 0),
      wall: logarithms.isEmpty
        ? nil : Nanoseconds(exactly: exp(logarithms.reduce(0, +) / Double(logarithms.count)).rounded()))
  }

  private func logarithms(_ role: Role) -> [Double] {
    runs.compactMap { $0.role == role ? $0.wall.map { log(Double($0)) } : nil }
  }

  private func wall(_ rule: TimingRule) -> Comparison.Wall? {
    let (base, new) = (logarithms(.base), logarithms(.new))
    guard let difference = MeanDifference(base, new) else { return nil }
    let p = PermutationTest.p(base, new)
    return Comparison.Wall(
      ratio: exp(difference.difference), low: exp(difference.low), high: exp(difference.high), p: p,
      verdict: rule.verdict(difference, p: p, runs: (base.count, new.count)))
  }

  private func timings(_ numbers: [Int32], _ rule: TimingRule) -> [Comparison.Timing] {
    let scores = times.scores(patterns: numbers, count: patterns.patterns.count)
    // On both sides: what takes long only after the change is tested too, and the choice does not favour a side.
    let walls = logarithms(.base) + logarithms(.new)
    let least = walls.isEmpty ? 0 : exp(walls.reduce(0, +) / Double(walls.count)) * rule.leastShare
    let tested = scores.indices
      .filter { scores[$0].runningInAll > 0 && scores[$0].runningInAll >= least }
      .sorted { (scores[$1].runningInAll, $0) < (scores[$0].runningInAll, $1) }
      .prefix(TimingRule.mostTests)
    let adjusted = Holm.adjusted(tested.map { PermutationTest.p(scores[$0].base, scores[$0].new) })
    let ps = Dictionary(zip(tested, adjusted)) { first, _ in first }
    var result: [Comparison.Timing] = []
    for pattern in scores.indices {
      let score = scores[pattern]
      guard var difference = MeanDifference(score.base, score.new) else { continue }
      difference = difference.ranging(over: score.differences)
      result.append(
        Comparison.Timing(
          pattern: patterns.patterns[pattern], ratio: exp(difference.difference), low: exp(difference.low),
          high: exp(difference.high), p: ps[pattern],
          verdict: rule.verdict(difference, p: ps[pattern], runs: (score.base.count, score.new.count)),
          running: Nanoseconds(exactly: score.running.rounded()) ?? .max))
    }
    return result.sorted {
      let (left, right) = ($0.verdict.rank, $1.verdict.rank)
      if left != right { return left < right }
      let (change, other) = (log($0.ratio).magnitude, log($1.ratio).magnitude)
      return change == other ? $0.pattern < $1.pattern : change > other
    }
  }
}
