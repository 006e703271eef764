import OpTraceComparison
import OpTraceModel
import OpTracePrediction
import OpTraceText

/// What slower and faster patterns mean for the wall time, predicted from one base run. Most of a slower class may be
/// hidden behind others, and measured wall times say little.
struct WallTimeEffect: Sendable, Equatable {
  /// The effect of one pattern alone, made as much slower or faster as it was found to be.
  struct Effect: Sendable, Equatable {
    /// The pattern of operations.
    var timing: Comparison.Timing
    /// Nil: the run would never end.
    var wall: Prediction.Wall?
  }

  /// The wall time of the base run that is replayed, in nanoseconds.
  var recordedWall: Nanoseconds
  /// How well the replay of the unchanged run matches it.
  var replay: Replay
  /// Sorted by the change of the wall time, the largest first.
  var effects: [Effect]
  /// All of ``effects`` at once; nil: the run would never end.
  var together: Prediction.Wall?

  /// With more operations, the simulation takes longer than the comparison; use `optrace whatif --faster` instead.
  static let mostOperations = 10_000
  private static let mostPatterns = 5

  /// Applies what `comparison` found slower or faster to a run of its base. Without enough runs to tell chance from
  /// change, it takes what changed most. Nil: nothing did, or the run cannot be predicted. O(patterns · predictions).
  ///
  /// - Parameters:
  ///   - trace: a base run.
  ///   - processors: as for `Predictor`.
  init?(_ comparison: Comparison, base trace: Trace, processors: Int? = nil) {
    let timings = Self.timings(comparison)
    guard !timings.isEmpty, trace.operations.count <= Self.mostOperations,
      let predictor = try? Predictor(trace, processors: processors), let recorded = predictor.recordedWall
    else { return nil }
    let members = comparison.members(in: trace)
    func change(_ timing: Comparison.Timing) -> Change? {
      guard let indexes = members[timing.pattern], timing.ratio > 1e-6, timing.ratio < 1e6 else { return nil }
      return Change(text: "", .faster(indexes.map { Int32(clamping: $0) }, 1 / timing.ratio))
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
    let telling = comparison.timings.filter {
      comparison.isTested
        ? $0.verdict == .slower || $0.verdict == .faster : abs($0.ratio - 1) > comparison.rule.threshold
    }
    // How much a pattern's change adds up to, if nothing hides it.
    func amount(_ timing: Comparison.Timing) -> Double { abs(timing.ratio - 1) * Double(timing.running) }
    return Array(telling.sorted { amount($0) > amount($1) }.prefix(mostPatterns))
  }
}

// MARK: - Words

extension WallTimeEffect {
  /// A part of the text of `optrace diff`; ends with a line end.
  func text(style: TextStyle) -> String {
    let trust = replay.isTrusted ? "" : style.paint(.warning, ", so these predictions are not reliable")
    var text = style.paint(.strong, "What that means for the wall time") + "\n"
    text +=
      "  a base run, \(duration(recordedWall)) recorded, replayed in a simulator: "
      + "\(replay.wall.map(duration) ?? "never ends")\(trust)\n"
    for effect in effects {
      text +=
        "  \(TerminalText.printable(effect.timing.pattern.title)) \(ComparisonFigures.ratio(effect.timing.ratio)): "
        + "\(Self.text(effect.wall))\n"
    }
    if effects.count > 1 { text += "  all of these: \(Self.text(together))\n" }
    return text
  }

  private static func text(_ wall: Prediction.Wall?) -> String {
    wall.map { "\(duration($0.likely)) (\(duration($0.low)) to \(duration($0.high)))" } ?? "never ends"
  }

  /// The content of `wall.foreseen` in `optrace diff --json`.
  var json: JSONValue {
    .members(
      [
        "recordedSeconds": .seconds(recordedWall), "trusted": .bool(replay.isTrusted),
        "reasons": .array(replay.reasons.map { .string($0) }),
        "patterns": .array(
          effects.map {
            .object($0.timing.pattern.members + [.init("ratio", .number($0.timing.ratio))] + Self.members($0.wall))
          }),
      ], and: Self.members(together))
  }

  private static func members(_ wall: Prediction.Wall?) -> [JSONValue.Member] {
    [
      .init("wallSeconds", .optional(wall) { .seconds($0.likely) }),
      .init("lowSeconds", .optional(wall) { .seconds($0.low) }),
      .init("highSeconds", .optional(wall) { .seconds($0.high) }),
    ]
  }
}
