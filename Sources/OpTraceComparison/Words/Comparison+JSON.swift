package import OpTraceText
import OpTraceModel

extension Comparison {
  /// The form of `optrace diff --json`; its keys are a contract (Documentation/json.md).
  ///
  /// - Parameters:
  ///   - failed: the conditions of a gate that hold.
  ///   - wallPrediction: what the times mean for the wall time, under its key; null: not known.
  ///   - others: what other capabilities compare, behind the rest.
  package func json(
    failed: [Gate.Condition] = [], wallPrediction: JSONValue = .null, and others: [JSONValue.Member] = []
  ) -> JSONValue {
    var more: [JSONValue.Member] = []
    if let functions, functions.isComparable { more.append(.init("processorTime", functions.json)) }
    return .members(
      [
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
          "foreseen": wallPrediction,
        ]),
        "failedOn": .array(failed.map { .string($0.rawValue) }),
      ], and: more + others)
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
  package var members: [JSONValue.Member] {
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
