import OpTraceKernel
package import OpTraceModel

/// Predicts a recorded run with changes.
///
/// The recorded run is replayed first; what the trace does not say is chosen so that the replay comes near, and where several
/// values do, all are tried: the range holds their results, and those of some orders that are a matter of chance.
package struct Predictor {
  /// The recorded run.
  package let trace: Trace
  /// The recorded wall time: `Trace.activity`. Nil: something has not ended.
  package let recordedWall: Nanoseconds?
  /// How well the unchanged run is simulated.
  package let replay: Replay
  package let workload: Workload
  private let calibration: Calibration
  private let outcome: MachineOutcome

  /// - Parameter processors: how many the recorded program had, where that is known.
  /// O(n log n) for n events.
  package init(_ trace: Trace, processors: Int? = nil) throws(PredictionError) {
    guard trace.operations.contains(where: { $0.enqueued != nil && $0.queue != nil }) else { throw .noOperations }
    try Completeness.check(trace)
    self.trace = trace
    var workload = WorkloadBuilder.build(trace)
    let isOver = !trace.operations.contains { $0.enqueued != nil && $0.finished == nil && $0.isOutcomeKnown }
    recordedWall = isOver ? trace.activity.map { $0.upperBound - $0.lowerBound } : nil
    calibration = Calibration(trace, workload, processors: processors ?? trace.header.processors)
    workload.assumptions.formUnion(calibration.assumptions)
    self.workload = workload
    outcome = calibration.outcome
    replay = Replay(of: trace, outcome, recordedWall: recordedWall)
  }

  /// The run with all of these changes. O(runs · s log s) for s steps; some 20 runs, fewer of large traces.
  package func predict(_ changes: [Change]) -> Prediction {
    let changed = workload.applying(changes)
    let settings = calibration.settings(for: changes)
    let runs = Runs(changed, settings, mayVary: true)
    var assumptions = workload.assumptions
    assumptions.insert(trace.operations.contains { $0.processorTime != nil } ? .sharedProcessors : .bodiesDoNotCompete)
    if !trace.blocks.isEmpty || !trace.tasks.isEmpty { assumptions.insert(.otherWork) }
    let first = runs.typical
    let neverEnds = first.finished.indices.filter {
      trace.operations[$0].finished != nil && runs.neverFinishes($0)
    }
    var prediction = Prediction(
      changes: changes, wall: nil, neverEnds: neverEnds.map { trace.operations[$0].id },
      assumptions: assumptions.sorted().map(\.sentence), criticalPath: [], operations: [])
    guard neverEnds.isEmpty, let walls = runs.wall else { return prediction }
    if runs.stuck > 0 { prediction.assumptions.insert(Self.sentence(stuck: runs.stuck, of: runs.count), at: 0) }
    prediction.shortages = max(0, first.shortages - outcome.shortages)
    if prediction.shortages > 0 { prediction.assumptions.insert(Self.shortage, at: 0) }
    let predicted = first.trace(like: trace, changed)
    prediction.criticalPath = CriticalPath(of: predicted).works
    prediction.wall = margin.widened(walls, steps: prediction.criticalPath.count)
    prediction.operations = OperationDifferences.list(trace, outcome, first)
    return prediction
  }

  /// The most likely run with these changes as a trace, so that every output can show it. O(s log s).
  package func predictedTrace(_ changes: [Change]) -> Trace {
    let changed = workload.applying(changes)
    let runs = Runs(changed, calibration.settings(for: changes), mayVary: false)
    return runs.typical.trace(like: trace, changed)
  }

  private static let shortage =
    "Operations that wait hold all threads of the pool, so that what they wait for finds none; the system adds one once a second."

  private static func sentence(stuck: Int, of count: Int) -> String {
    "In \(grouped(stuck)) of \(grouped(count)) simulated runs some operations never finish: whether the change brings a deadlock is a matter of "
      + "chance."
  }

  func typicalOutcome(_ changes: [Change]) -> MachineOutcome {
    Runs(workload.applying(changes), calibration.settings(for: changes), mayVary: false).typical
  }

  private var margin: Margin { Margin(replay, workload.latencies) }
}

/// How much a range is widened for what no simulation shows.
struct Margin {
  private let share: Double
  private let variation: Double

  /// Two runs of one program differ by this much on a machine that is busy, though nothing changed.
  private static let leastShare = 0.02
  /// Where the replay does not match.
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
