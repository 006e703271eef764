package import OpTraceModel

/// The predicted run with some changes. Times are nanoseconds.
package struct Prediction: Sendable, Equatable {
  /// From the first enqueueing to the last finish.
  package struct Wall: Sendable, Equatable {
    /// The most likely.
    package var likely: Nanoseconds
    /// It may be as short as this,
    package var low: Nanoseconds
    /// or as long as this.
    package var high: Nanoseconds

    package init(likely: Nanoseconds, low: Nanoseconds, high: Nanoseconds) {
      (self.likely, self.low, self.high) = (likely, low, high)
    }
  }

  /// How an operation's times differ from those of the replayed run.
  package struct OperationChange: Sendable, Equatable {
    /// Its number in the trace.
    package var id: OperationID
    /// From its enqueueing to its finish: how much longer it takes, or less where negative.
    package var wall: Nanoseconds
    /// The part of that before its own code begins.
    package var wait: Nanoseconds
  }

  /// The changes; empty: none.
  package var changes: [Change]
  /// Nil: it never ends.
  package var wall: Wall?
  /// Operations that finished in the recorded run, and would not in this one; by their number.
  package var neverEnds: [OperationID]
  /// The assumptions, each in a sentence.
  package var assumptions: [String]
  /// In order; empty where nothing ends.
  package var criticalPath: [OperationID]
  /// Operations whose times change, the largest change first.
  package var operations: [OperationChange]
  /// How often, more than in the replayed run, what operations wait for gets a thread only when the system adds one to the pool: these
  /// waits hold all that it has.
  package var shortages = 0
}

/// How well the machine runs the recorded run again, unchanged.
package struct Replay: Sendable, Equatable {
  /// Nil: it does not end in the machine, or did not in the trace.
  package var wall: Nanoseconds?
  /// The difference to the recorded wall time as a part of that; nil without one of them.
  package var errorShare: Double?
  /// 95 of 100 operations finish within so much of their recorded moment, as a part of the wall time.
  package var finishErrorP95Share: Double?
  /// Predictions of such a run were within 5 % in 99 of 100 cases; else less often.
  package var isTrusted: Bool { reasons.isEmpty }
  /// Why it is not trusted, each in a sentence.
  package var reasons: [String]
}

/// Why nothing can be predicted from a trace.
package enum PredictionError: Error, Sendable, Equatable {
  /// There is nothing to simulate.
  case noOperations
  /// Too much of it is missing.
  case incomplete(String)

  /// A sentence without a capital letter, to follow a prefix.
  package var description: String {
    switch self {
    case .noOperations: "no operation was given to a queue, so there is nothing to predict"
    case .incomplete(let reason): "too much is missing for a prediction: \(reason)"
    }
  }
}

/// How operations' times differ between two simulated runs.
enum OperationDifferences {
  /// Smaller differences are noise of the clock's resolution, in nanoseconds.
  private static let least: Nanoseconds = 1000

  /// Operations that differ, the largest change first. O(n log n).
  static func list(_ trace: Trace, _ before: MachineOutcome, _ after: MachineOutcome) -> [Prediction.OperationChange] {
    var result: [Prediction.OperationChange] = []
    for index in trace.operations.indices {
      guard let (oldWall, oldWait) = times(index, before), let (newWall, newWait) = times(index, after) else {
        continue
      }
      let change = Prediction.OperationChange(
        id: trace.operations[index].id, wall: newWall - oldWall, wait: newWait - oldWait)
      if max(change.wall.magnitude, change.wait.magnitude) >= UInt64(least) { result.append(change) }
    }
    return result.sorted { ($1.wall.magnitude, $0.id) < ($0.wall.magnitude, $1.id) }
  }

  private static func times(_ index: Int, _ outcome: MachineOutcome) -> (wall: Nanoseconds, wait: Nanoseconds)? {
    let never = MachineOutcome.never
    guard outcome.began[index] != never, outcome.finished[index] != never else { return nil }
    let from = outcome.enqueued[index] == never ? outcome.began[index] : outcome.enqueued[index]
    return (span(from, outcome.finished[index]), span(from, outcome.began[index]))
  }
}
