public import OpTraceModel
public import OpTracePrediction

/// What slower and faster patterns mean for the wall time, by a model of one base run: most of a slower class may hide behind
/// others, and wall times themselves hardly tell.
public struct Foresight: Sendable, Equatable {
  /// One pattern alone as much slower, or faster, as it was found to be.
  public struct Effect: Sendable, Equatable {
    /// Which operations.
    public var timing: Comparison.Timing
    /// Nil: the run would never end.
    public var wall: Prediction.Wall?
  }

  /// Of the base run that the model stands for, in nanoseconds.
  public var recordedWall: Nanoseconds
  /// How well the model runs that run again, unchanged.
  public var replay: Replay
  /// The one that changes the wall time most first.
  public var effects: [Effect]
  /// All of ``effects`` at once; nil: the run would never end.
  public var together: Prediction.Wall?

  /// Above this the model takes longer than the comparison: `optrace whatif` does it, with `--faster`.
  public static let mostOperations = 10_000
  private static let mostPatterns = 5

  /// What `comparison` found slower or faster, put into a run of its base. Without enough runs to tell chance from change it
  /// takes what changed most. Nil: nothing did, or the run cannot be foreseen. O(patterns · predictions).
  ///
  /// - Parameters:
  ///   - trace: a base run.
  ///   - processors: as for `Predictor`.
  public init?(_ comparison: Comparison, base trace: Trace, processors: Int? = nil) {
    let timings = Self.timings(comparison)
    guard !timings.isEmpty, trace.operations.count <= Self.mostOperations,
      let predictor = try? Predictor(trace, processors: processors), let recorded = predictor.recordedWall
    else { return nil }
    let places = comparison.members(in: trace)
    func change(_ timing: Comparison.Timing) -> Change? {
      guard let places = places[timing.pattern], timing.ratio > 1e-6, timing.ratio < 1e6 else { return nil }
      return Change(text: "", .faster(places.map { Int32(clamping: $0) }, 1 / timing.ratio))
    }
    let changes = timings.compactMap { timing in change(timing).map { (timing, $0) } }
    guard !changes.isEmpty else { return nil }
    recordedWall = recorded
    replay = predictor.replay
    effects = changes.map { Effect(timing: $0, wall: predictor.predict([$1]).wall) }
      .sorted { Self.size($0, recorded) > Self.size($1, recorded) }
    together = changes.count == 1 ? effects[0].wall : predictor.predict(changes.map(\.1)).wall
  }

  private static func size(_ effect: Effect, _ recorded: Nanoseconds) -> Nanoseconds {
    effect.wall.map { abs($0.likely - recorded) } ?? .max
  }

  private static func timings(_ comparison: Comparison) -> [Comparison.Timing] {
    let isTested = min(comparison.base.runs, comparison.new.runs) >= TimingRule.leastRuns
    let telling = comparison.timings.filter {
      isTested ? $0.verdict == .slower || $0.verdict == .faster : abs($0.ratio - 1) > comparison.rule.threshold
    }
    // What a pattern's change amounts to where nothing hides it.
    func amount(_ timing: Comparison.Timing) -> Double { abs(timing.ratio - 1) * Double(timing.running) }
    return Array(telling.sorted { amount($0) > amount($1) }.prefix(mostPatterns))
  }
}
