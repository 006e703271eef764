import Foundation
import OpTraceModel

/// How long each operation of the first run took in every run, as far as it has a partner there.
struct TimingTable {
  /// Logarithms of nanoseconds by place in the first run; NaN: no partner, or its time is not known. Of each run.
  private(set) var base: [[Float]] = []
  private(set) var new: [[Float]] = []

  /// From the beginning of an operation's own code to its finish; nil where not both were seen.
  private static func running(_ operation: borrowing OperationRecord) -> Nanoseconds? {
    guard operation.coverage == .full, let began = operation.executionBegan?.time, let ended = operation.finished?.time
    else { return nil }
    let (time, isTooLong) = ended.subtractingReportingOverflow(began)
    return isTooLong || time <= 0 ? nil : time
  }

  /// - Parameter partners: for each operation of the first run, its place in this one.
  mutating func add(_ trace: Trace, partners: [Int32], isNew: Bool) {
    let times = partners.map { partner -> Float in
      guard partner >= 0, let time = Self.running(trace.operations[Int(partner)]) else { return .nan }
      return Float(log(Double(time)))
    }
    if isNew { new.append(times) } else { base.append(times) }
  }

  /// What one pattern's operations say.
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
    for place in patterns.indices {
      let pattern = Int(patterns[place])
      let (bases, baseCount) = Self.sum(base, place)
      let (news, newCount) = Self.sum(new, place)
      guard baseCount > 0, newCount > 0 else { continue }
      let center = (bases / baseCount + news / newCount) / 2
      running[pattern] += exp(bases / baseCount)
      if isSingle { differences[pattern].append(news / newCount - bases / baseCount) }
      var time = 0.0
      for run in sides.indices where !sides[run][place].isNaN {
        sums[pattern * sides.count + run] += Double(sides[run][place]) - center
        counts[pattern * sides.count + run] += 1
        time += exp(Double(sides[run][place]))
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

  private static func sum(_ runs: [[Float]], _ place: Int) -> (Double, Double) {
    var (sum, count) = (0.0, 0.0)
    for run in runs where !run[place].isNaN {
      sum += Double(run[place])
      count += 1
    }
    return (sum, count)
  }
}
