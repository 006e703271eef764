public import OpTraceText
import OpTraceModel

extension WhatIf {
  /// The form of `optrace whatif --json`; its keys are a contract (Documentation/json.md).
  public var json: JSONValue {
    .members([
      "version": .integer(1),
      "recordedSeconds": .optional(recordedWall) { .seconds($0) },
      "replay": .members([
        "wallSeconds": .optional(replay.wall) { .seconds($0) },
        "errorShare": .optional(replay.errorShare) { .number($0) },
        "finishErrorP95Share": .optional(replay.finishErrorP95Share) { .number($0) },
        "trusted": .bool(replay.isTrusted),
        "reasons": .array(replay.reasons.map { .string($0) }),
      ]),
      "scenarios": .array(scenarios.map(json)),
    ])
  }

  private func json(_ scenario: Prediction) -> JSONValue {
    .members([
      "changes": .array(scenario.changes.map { .string($0.text) }),
      "wallSeconds": .optional(scenario.wall) { .seconds($0.likely) },
      "lowSeconds": .optional(scenario.wall) { .seconds($0.low) },
      "highSeconds": .optional(scenario.wall) { .seconds($0.high) },
      "neverEnds": .array(scenario.neverEnds.map(named)),
      "assumptions": .array(scenario.assumptions.map { .string($0) }),
      "criticalPath": .array(scenario.criticalPath.map(named)),
      "operations": .array(
        scenario.operations.map { operation in
          .members([
            "id": .integer(Int(operation.id.rawValue)),
            "name": .string(names[operation.id] ?? ""),
            "wallChangeSeconds": .seconds(operation.wall),
            "waitChangeSeconds": .seconds(operation.wait),
          ])
        }),
    ])
  }

  private func named(_ id: OperationID) -> JSONValue {
    .members(["id": .integer(Int(id.rawValue)), "name": .string(names[id] ?? "")])
  }
}
