import Foundation
import OpTraceKernel
import OpTraceModel
import OpTraceSamples

/// The processor time of each function in every run that was sampled.
struct FunctionTable: Sendable {
  private struct Run: Sendable {
    var isNew: Bool
    var used: [Profile.Function.Identity: CountedTime]
    var total: CountedTime
    var sampledShare: Double?
    var hasNames: Bool
  }

  private var runs: [Run] = []
  /// As the last run has them.
  private var functions: [Profile.Function.Identity: Profile.Function] = [:]

  /// O(n log n) for n samples and runs of work.
  mutating func add(_ trace: Trace, isNew: Bool) {
    guard let record = trace.profile, record.refused == nil else { return }
    let profile = Profile(of: trace)
    var run = Run(
      isNew: isNew, used: [:], total: CountedTime(), sampledShare: profile.facts.sampledShare,
      hasNames: profile.samples.isEmpty || profile.facts.hasNames)
    for (identity, charged) in profile.chargedFunctions() {
      run.used[identity] = charged.used
      run.total += charged.used
      functions[identity] = charged.function
    }
    runs.append(run)
  }

  /// Nil: no run was sampled. O(runs · functions), and the tests of ``TimingRule/mostTests`` functions at most.
  func differences(_ rule: TimingRule) -> FunctionDifferences? {
    guard !runs.isEmpty else { return nil }
    var result = FunctionDifferences(base: side(isNew: false), new: side(isNew: true))
    guard result.isComparable else { return result }
    let totals = Amounts(runs.filter { !$0.isNew }.map(\.total), runs.filter(\.isNew).map(\.total))
    result.total = totals.change(p: totals.p, rule)
    result.hasNames = runs.allSatisfy(\.hasNames)
    guard result.hasNames else { return result }

    let all = functions.keys.map { identity in (identity, amounts(of: identity)) }
    // On both sides, as for times of operations: the choice does not favour a side.
    let least = totals.sumOfMeans * rule.leastShare
    let tested = all.filter { $0.1.sumOfMeans > 0 && $0.1.sumOfMeans >= least }
      .sorted { ($1.1.sumOfMeans, $0.0.sortingKey) < ($0.1.sumOfMeans, $1.0.sortingKey) }
      .prefix(TimingRule.mostTests)
    let adjusted = Holm.adjusted(tested.map(\.1.p))
    let ps = Dictionary(zip(tested.map(\.0), adjusted)) { first, _ in first }
    result.runsNeeded = rule.runsNeeded(tests: tested.count, runs: (result.base.runs, result.new.runs))
    result.rows = all.compactMap { identity, amounts in
      functions[identity].map { .init(function: $0, change: amounts.change(p: ps[identity], rule)) }
    }
    .sorted { left, right in
      if left.change.isSmall != right.change.isSmall { return right.change.isSmall }
      let ranks = (left.change.verdict.rank, right.change.verdict.rank)
      if ranks.0 != ranks.1 { return ranks.0 < ranks.1 }
      let sizes = (left.change.difference.magnitude, right.change.difference.magnitude)
      return sizes.0 == sizes.1
        ? left.function.identity.sortingKey < right.function.identity.sortingKey : sizes.0 > sizes.1
    }
    return result
  }

  private func amounts(of identity: Profile.Function.Identity) -> Amounts {
    func side(_ isNew: Bool) -> [CountedTime] {
      runs.filter { $0.isNew == isNew }.map { $0.used[identity] ?? CountedTime() }
    }
    return Amounts(side(false), side(true))
  }

  private func side(isNew: Bool) -> FunctionDifferences.Side {
    let own = runs.filter { $0.isNew == isNew }
    let shares = own.compactMap(\.sampledShare)
    return FunctionDifferences.Side(
      runs: own.count, samples: own.reduce(0) { $0 + $1.total.samples },
      leastShare: shares.count == own.count ? shares.min() : nil)
  }
}

/// What one function used in each run of both sides.
private struct Amounts {
  let base: [CountedTime]
  let new: [CountedTime]

  init(_ base: [CountedTime], _ new: [CountedTime]) { (self.base, self.new) = (base, new) }

  var sumOfMeans: Double { Self.mean(base) + Self.mean(new) }
  var p: Double { PermutationTest.p(base.map { Double($0.time) }, new.map { Double($0.time) }) }

  private static func mean(_ times: [CountedTime]) -> Double {
    times.reduce(0) { $0 + Double($1.time) } / Double(max(1, times.count))
  }

  /// Of the mean.
  private static func variance(_ times: [CountedTime]) -> Double {
    times.reduce(0) { $0 + $1.variance } / Double(max(1, times.count * times.count))
  }

  func change(p: Double?, _ rule: TimingRule) -> FunctionDifferences.Change {
    let (before, after) = (Self.mean(base), Self.mean(new))
    // What counting alone makes of it: with one run nothing else is known.
    let margin = 2 * (Self.variance(base) + Self.variance(new)).squareRoot()
    let isClear = abs(after - before) > margin
    let range = MeanDifference(base.map { Double($0.time) }, new.map { Double($0.time) })?.reaching(margin)
    // As the rule has it: by how many times, as a logarithm.
    let times = range.map { $0.mapped { Self.logarithm(of: before + $0, to: before) } }
    let verdict = times.map { rule.verdict($0, p: p, runs: (base.count, new.count)) } ?? .unclear
    let isChange = verdict == .slower || verdict == .faster
    return FunctionDifferences.Change(
      base: Self.whole(before), new: Self.whole(after), low: Self.whole(range?.low ?? 0),
      high: Self.whole(range?.high ?? 0), p: p, isClear: isClear, verdict: isChange && !isClear ? .unclear : verdict)
  }

  private static func logarithm(of value: Double, to base: Double) -> Double {
    if base > 0 { return value > 0 ? log(value / base) : -.infinity }
    return value > 0 ? .infinity : value < 0 ? -.infinity : 0
  }

  private static func whole(_ value: Double) -> Nanoseconds {
    Nanoseconds(exactly: value.rounded()) ?? (value > 0 ? .max : .min)
  }
}

extension Profile.Function.Identity {
  fileprivate var sortingKey: String { "\(name)\u{0}\(module ?? "")" }
}
