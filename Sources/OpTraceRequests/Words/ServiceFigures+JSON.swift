import OpTraceKernel
import OpTraceModel
package import OpTraceText

/// What `requests --json` and `top --json` say alike; the keys are a contract (Documentation/json.md).
extension RequestFigures {
  /// The members of an object, which others may follow.
  package var members: [JSONValue.Member] {
    [.init("name", .string(name))] + CodeLocation.members(location) + [
      .init("count", .integer(count)), .init("perSecond", .number(perSecond)), .init("p50Seconds", .seconds(p50)),
      .init("p95Seconds", .seconds(p95)), .init("p99Seconds", .seconds(p99)), .init("maxSeconds", .seconds(max)),
      .init("failed", .integer(failed)),
    ]
  }
}

extension LoopFigures {
  package var json: JSONValue {
    .members(
      [
        "name": .string(name), "thread": .integer(Int(thread.rawValue)), "turns": .integer(turns),
        "busyShare": .share(busy), "longestSeconds": .seconds(longest), "longTurns": .integer(longTurns),
        "longSeconds": .seconds(longTime),
      ], and: CodeLocation.members(mostly))
  }
}

extension ActorFigures {
  package var json: JSONValue {
    .members(
      [
        "name": .string(title), "class": .string(className), "usedShare": .share(used), "waits": .integer(waits),
        "p50WaitSeconds": .seconds(p50Wait), "p99WaitSeconds": .seconds(p99Wait), "deepest": .integer(deepest),
      ], and: CodeLocation.members(holder))
  }
}

extension CodeLocation {
  fileprivate static func members(_ location: CodeLocation?) -> [JSONValue.Member] {
    [
      .init("function", .optional(location?.function) { .string($0) }),
      .init("file", .optional(location?.file) { .string($0) }),
      .init("line", .optional(location?.line) { .integer($0) }),
    ]
  }
}

extension JSONValue {
  /// 0 to 1, in ten-thousandths.
  fileprivate static func share(_ share: Double) -> JSONValue { .number((share * 10_000).rounded() / 10_000) }
}
