import OpTraceModel

/// How operations' times differ between two simulated runs.
enum OperationDifferences {
  /// Smaller differences are noise of the clock's resolution, in nanoseconds.
  private static let least: Nanoseconds = 1000

  /// Those that differ, the most first. O(n log n).
  static func list(_ trace: Trace, _ before: MachineOutcome, _ after: MachineOutcome) -> [Prediction.OperationChange] {
    var result: [Prediction.OperationChange] = []
    for place in trace.operations.indices {
      guard let (oldWall, oldWait) = times(place, before), let (newWall, newWait) = times(place, after) else {
        continue
      }
      let change = Prediction.OperationChange(
        id: trace.operations[place].id, wall: newWall - oldWall, wait: newWait - oldWait)
      if max(change.wall.magnitude, change.wait.magnitude) >= UInt64(least) { result.append(change) }
    }
    return result.sorted { ($1.wall.magnitude, $0.id) < ($0.wall.magnitude, $1.id) }
  }

  private static func times(_ place: Int, _ outcome: MachineOutcome) -> (wall: Nanoseconds, wait: Nanoseconds)? {
    let never = MachineOutcome.never
    guard outcome.began[place] != never, outcome.finished[place] != never else { return nil }
    let from = outcome.enqueued[place] == never ? outcome.began[place] : outcome.enqueued[place]
    return (span(from, outcome.finished[place]), span(from, outcome.began[place]))
  }
}
