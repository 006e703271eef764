import OpTraceKernel
import OpTraceModel
import OpTraceSamples
import OpTraceText

extension FunctionDifferences {
  /// What `processorTime` of `optrace diff --json` holds (Documentation/json.md).
  var json: JSONValue {
    .members([
      "base": base.json, "new": new.json, "total": .object(total.members), "named": .bool(hasNames),
      "functions": .array(
        rows.map { row in
          .members(
            [
              "function": .string(row.function.name), "module": .optional(row.function.module) { .string($0) },
              "file": .optional(row.function.file) { .string($0) },
              "line": .optional(row.function.line) { .integer($0) },
            ], and: row.change.members)
        }),
    ])
  }
}

extension FunctionDifferences.Side {
  fileprivate var json: JSONValue {
    .members([
      "runs": .integer(runs), "samples": .integer(samples), "sampledShare": .optional(leastShare) { .number($0) },
    ])
  }
}

extension FunctionDifferences.Change {
  fileprivate var members: [JSONValue.Member] {
    [
      .init("baseSeconds", .seconds(base)), .init("newSeconds", .seconds(new)), .init("lowSeconds", .seconds(low)),
      .init("highSeconds", .seconds(high)), .init("p", .optional(p) { .number($0) }), .init("clear", .bool(isClear)),
      .init("verdict", .string(verdict.rawValue)),
    ]
  }
}
