import OpTraceModel
package import OpTraceText

extension WhatIf {
  /// The form of `optrace whatif --json`; its keys are a contract (Documentation/json.md).
  package var json: JSONValue {
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

extension WhatIf {
  /// What the report's page shows of it, below "What would help" (`why.mjs`). Times in nanoseconds.
  package var pageJSON: JSONValue {
    var seen: Set<String> = []
    let assumptions = scenarios.flatMap(\.assumptions).filter { seen.insert($0).inserted }
    return .members([
      "recorded": .optional(recordedWall) { .integer(Int($0)) },
      "replayed": .optional(replay.wall) { .integer(Int($0)) },
      "reasons": .array(replay.reasons.map { .string($0) }),
      "assumptions": .array(assumptions.map { .string($0) }),
      "scenarios": .array(
        scenarios.compactMap { scenario in
          scenario.wall.map { wall in
            .members([
              "words": .string(scenario.changes.map(\.words).joined(separator: ", ")),
              "options": .string(scenario.changes.map(\.shellText).joined(separator: " ")),
              "wall": .integer(Int(wall.likely)), "low": .integer(Int(wall.low)), "high": .integer(Int(wall.high)),
            ])
          }
        }),
    ])
  }
}
