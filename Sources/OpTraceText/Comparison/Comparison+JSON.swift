public import OpTraceComparison
import OpTraceModel
import OpTracePrediction

extension Comparison {
  /// The form of `optrace diff --json`; its keys are a contract (Documentation/json.md).
  ///
  /// - Parameters:
  ///   - failed: the conditions of a gate that hold.
  ///   - foresight: what the times mean for the wall time; nil: not known.
  public func json(failed: [Gate.Condition] = [], foresight: Foresight? = nil) -> JSONValue {
    .members([
      "version": .integer(1),
      "runs": .members(["base": .integer(base.runs), "new": .integer(new.runs)]),
      "structure": structure.json,
      "timings": .array(timings.map(\.json)),
      "wall": .members([
        "baseSeconds": .optional(base.wall) { .seconds($0) },
        "newSeconds": .optional(new.wall) { .seconds($0) },
        "ratio": .optional(wall) { .number($0.ratio) },
        "low": .optional(wall) { .number($0.low) },
        "high": .optional(wall) { .number($0.high) },
        "p": .optional(wall) { .number($0.p) },
        "verdict": .string((wall?.verdict ?? .unclear).rawValue),
        "foreseen": .optional(foresight, \.json),
      ]),
      "failedOn": .array(failed.map { .string($0.rawValue) }),
    ])
  }
}

extension Foresight {
  fileprivate var json: JSONValue {
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

extension StructureDifferences {
  fileprivate var json: JSONValue {
    .members([
      "changed": .bool(isChanged),
      "operations": .array(operations.map { .object($0.pattern.members + $0.counts.members) }),
      "edges": .array(
        edges.map {
          .members(
            ["waiter": .object($0.waiter.members), "dependency": .object($0.dependency.members)], and: $0.counts.members
          )
        }),
      "queues": .array(queues.map { .members(["queue": .string($0.queue)], and: $0.counts.members) }),
      "limits": .array(
        limits.map {
          .members(["queue": .string($0.queue), "limit": .optional($0.limit) { .integer($0) }], and: $0.counts.members)
        }),
      "states": .array(
        ends.map {
          .object(
            $0.pattern.members + [.init("state", .string($0.state?.rawValue ?? "unknown"))] + $0.counts.members)
        }),
      "findings": .array(
        findings.map {
          .members([
            "code": .string($0.code), "change": .string($0.isNew ? "came" : "went"),
            "severity": $0.isError ? .string("error") : .string("other"),
            "baseRuns": .integer($0.runs.base), "newRuns": .integer($0.runs.new),
          ])
        }),
    ])
  }
}

extension StructureDifferences.Counts {
  /// The least and the most of all runs; `change` says which way.
  fileprivate var members: [JSONValue.Member] {
    [
      .init("change", .string(change?.rawValue ?? "same")),
      .init("base", .array([.integer(base.lowerBound), .integer(base.upperBound)])),
      .init("new", .array([.integer(new.lowerBound), .integer(new.upperBound)])),
    ]
  }
}

extension WorkPattern {
  fileprivate var members: [JSONValue.Member] {
    [
      .init("pattern", .string(name)), .init("class", .string(className)),
      .init("queue", .optional(queue) { .string($0) }), .init("function", .optional(function) { .string($0) }),
    ]
  }
}

extension Comparison.Timing {
  fileprivate var json: JSONValue {
    .object(
      pattern.members + [
        .init("ratio", .number(ratio)), .init("low", .number(low)), .init("high", .number(high)),
        .init("p", .optional(p) { .number($0) }), .init("verdict", .string(verdict.rawValue)),
      ])
  }
}
