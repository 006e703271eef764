import OpTraceModel

/// By how much a range is widened for what no simulation shows.
struct Margin {
  private let share: Double
  private let variation: Double

  /// Two runs of one program differ by this much on a machine that is busy, though nothing changed.
  private static let leastShare = 0.02
  /// Of a model that does not hold.
  private static let distrustShare = 0.02

  init(_ replay: Replay, _ latencies: Latencies) {
    let replayed = max(abs(replay.errorShare ?? 0), (replay.finishErrorP95Share ?? 0) / 2)
    share = min(1, Self.leastShare + replayed + (replay.isTrusted ? 0 : Self.distrustShare))
    variation = Double(latencies.variation)
  }

  /// - Parameter steps: of the critical path, each of which may begin later or sooner.
  func widened(_ wall: Prediction.Wall, steps: Int) -> Prediction.Wall {
    let jitter = variation * Double(steps)
    func bounded(_ time: Double) -> Nanoseconds { Nanoseconds(max(0, min(time, Double(Int64.max) / 2))) }
    return Prediction.Wall(
      likely: wall.likely, low: bounded(Double(wall.low) * (1 - share) - jitter),
      high: bounded(Double(wall.high) * (1 + share) + jitter))
  }
}
