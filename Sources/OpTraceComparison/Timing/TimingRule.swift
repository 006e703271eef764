import Foundation

/// When a difference in times is told as one. Measured on repeated runs: Documentation/performance.md.
public struct TimingRule: Sendable, Equatable {
  /// Smaller changes are none: 0.03 is 3 %.
  public var threshold = 0.03
  /// What takes less of the wall time is not tested: its times are as they come.
  public var leastShare = 0.005
  /// How often a change may be told that is none, over all patterns of a comparison: in 2 of 100 something is slower that
  /// is not, in 2 of 100 faster.
  public var significance = 0.04
  /// With fewer runs on a side no split of them is rare enough to prove anything: three and three have 20.
  public static let leastRuns = 5
  /// At most so many patterns are tested: those that run longest.
  public static let mostTests = 1000

  /// The standard rule.
  public init() {}

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
}

/// What the times of two sides say.
public enum TimingVerdict: String, Sendable, CaseIterable {
  /// The new runs take longer.
  case slower
  /// The new runs take less time.
  case faster
  /// No change above the threshold.
  case same
  /// Too few runs, or too much noise, to tell.
  case unclear
}
