import OpTraceModel
public import OpTraceText

extension WhatIf {
  /// What the report's page shows of it, below "What would help" (`why.mjs`). Times in nanoseconds.
  public var pageJSON: JSONValue {
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
