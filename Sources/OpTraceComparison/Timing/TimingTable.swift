import Foundation
import OpTraceModel

/// How long each operation of the first run took in every run, as far as it has a partner there.
struct TimingTable {
  /// Logarithms of nanoseconds by index in the first run; NaN: no partner, or its time is not known. Of each run.
  private(set) var base: [[Float]] = []
  private(set) var new: [[Float]] = []

  /// From the beginning of an operation's own code to its finish; nil where not both were seen.
  private static func running(_ operation: borrowing OperationRecord) -> Nanoseconds? {
    guard operation.coverage == .full, let began = operation.executionBegan?.time, let ended = operation.finished?.time
    else { return nil }
    let (time, isTooLong) = ended.subtractingReportingOverflow(began)
    return isTooLong || time <= 0 ? nil : time
  }

  /// - Parameter partners: for each operation of the first run, its index in this one.
  mutating func add(_ trace: Trace, partners: [Int32], isNew: Bool) {
    let times = partners.map { partner -> Float in
      guard partner >= 0, let time = Self.running(trace.operations[Int(partner)]) else { return .nan }
      return Float(log(Double(time)))
    }
    if isNew { new.append(times) } else { base.append(times) }
  }

  /// The times of one pattern's operations.
  struct Scores {
    /// For each run, how far its times are from the mean over all runs: the mean over the operations, as a logarithm.
    var base: [Double] = []
    var new: [Double] = []
    /// The sum of the times in the base runs, per run, in nanoseconds.
    var running = 0.0
    /// The same over the runs of both sides: it does not depend on which run is of which side.
    var runningInAll = 0.0
    /// Where a side has one run, how far the operations themselves are from one another, ascending; else empty.
    var differences: [Double] = []
  }

  /// Operations count where every side has a time of them. Each is compared with itself in other runs, so that a pattern may hold
  /// short and long ones. O(runs * operations).
  func scores(patterns: [Int32], count: Int) -> [Scores] {
    let sides = base + new
    // By pattern, then run.
    var sums = [Double](repeating: 0, count: count * sides.count)
    var counts = [Int32](repeating: 0, count: sums.count)
    var running = [Double](repeating: 0, count: count)
    var runningInAll = [Double](repeating: 0, count: count)
    let isSingle = min(base.count, new.count) == 1
    var differences = [[Double]](repeating: [], count: isSingle ? count : 0)
    for index in patterns.indices {
      let pattern = Int(patterns[index])
      let (bases, baseCount) = Self.sum(base, index)
      let (news, newCount) = Self.sum(new, index)
      guard baseCount > 0, newCount > 0 else { continue }
      let center = (bases / baseCount + news / newCount) / 2
      running[pattern] += exp(bases / baseCount)
      if isSingle { differences[pattern].append(news / newCount - bases / baseCount) }
      var time = 0.0
      for run in sides.indices where !sides[run][index].isNaN {
        sums[pattern * sides.count + run] += Double(sides[run][index]) - center
        counts[pattern * sides.count + run] += 1
        time += exp(Double(sides[run][index]))
      }
      runningInAll[pattern] += time / (baseCount + newCount)
    }
    return (0..<count).map { pattern in
      var scores = Scores(running: running[pattern], runningInAll: runningInAll[pattern])
      if isSingle { scores.differences = differences[pattern].sorted() }
      for run in sides.indices where counts[pattern * sides.count + run] > 0 {
        let mean = sums[pattern * sides.count + run] / Double(counts[pattern * sides.count + run])
        if run < base.count { scores.base.append(mean) } else { scores.new.append(mean) }
      }
      return scores
    }
  }

  private static func sum(_ runs: [[Float]], _ index: Int) -> (Double, Double) {
    var (sum, count) = (0.0, 0.0)
    for run in runs where !run[index].isNaN {
      sum += Double(run[index])
      count += 1
    }
    return (sum, count)
  }
}

/// When a difference in times gets a verdict. Measured on repeated runs: Documentation/performance.md.
package struct TimingRule: Sendable, Equatable {
  /// Smaller changes are none: 0.03 is 3 %.
  package var threshold = 0.03
  /// What takes less of the wall time is not tested: its times vary too much.
  package var leastShare = 0.005
  /// How often there may be a verdict without a change, over all patterns of a comparison: in 2 of 100 something is slower that
  /// is not, in 2 of 100 faster.
  package var significance = 0.04
  /// With fewer runs on a side no split of them is rare enough to prove anything: three and three have 20.
  package static let leastRuns = 5
  /// At most so many patterns are tested: those that run longest.
  package static let mostTests = 1000

  /// The standard rule.
  package init() {}

  /// Slower or faster: proven, and by more than the threshold. The same: the whole range lies inside of the threshold, or
  /// the change is proven and small.
  func verdict(_ difference: MeanDifference, p: Double?, runs: (Int, Int)) -> TimingVerdict {
    guard min(runs.0, runs.1) >= Self.leastRuns else { return .unclear }
    let most = log1p(max(0, threshold))
    if let p, p < significance {
      if difference.difference > most { return .slower }
      if difference.difference < -most { return .faster }
      return .same
    }
    return difference.low >= -most && difference.high <= most ? .same : .unclear
  }

  /// How many runs of each side it takes to prove anything; nil: there are enough. Holm's correction multiplies the smallest p by the
  /// number of tests: with few runs even that is not rare enough.
  func runsNeeded(tests: Int, runs: (Int, Int)) -> Int? {
    let tests = Double(tests)
    guard tests > 0, min(runs.0, runs.1) > 0, tests * PermutationTest.least(runs.0, runs.1) >= significance else {
      return nil
    }
    return (Self.leastRuns...100).first { tests * PermutationTest.least($0, $0) < significance }
  }
}

/// The verdict on the times of two sides.
package enum TimingVerdict: String, Sendable, CaseIterable {
  /// The new runs take longer.
  case slower
  /// The new runs take less time.
  case faster
  /// No change above the threshold.
  case same
  /// Too few runs, or too much noise, to decide.
  case unclear

  /// In the order in which verdicts are shown, the most important first.
  var rank: Int {
    switch self {
    case .slower: 0
    case .faster: 1
    case .unclear: 2
    case .same: 3
    }
  }
}
