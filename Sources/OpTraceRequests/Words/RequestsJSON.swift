import OpTraceKernel
import OpTraceModel
package import OpTraceText

/// The form of `optrace requests --json`; its keys are a contract (Documentation/json.md).
package struct RequestsJSON {
  private let requests: Requests
  private let ids: RequestIDs

  package init(_ requests: Requests) {
    self.requests = requests
    ids = RequestIDs(requests)
  }

  /// `name`: only kinds of this name; nil: all.
  package func value(named name: String? = nil, slowest: Int) -> JSONValue {
    let kinds = requests.kinds.filter { name == nil || $0.name == name }
    return .members([
      "version": .integer(1), "open": .integer(requests.open), "kinds": .array(kinds.map { kind($0, slowest) }),
      "loops": .array(name == nil ? requests.loopFigures.map(\.json) : []),
      "actors": .array(name == nil ? requests.actorFigures.map(\.json) : []),
    ])
  }

  private func kind(_ kind: RequestKind, _ slowest: Int) -> JSONValue {
    .object(
      kind.figures.members + [
        .init("breakdown", .array(kind.breakdown.map(share))),
        .init("examples", .array(requests.slowest(of: kind, most: slowest).map(example))),
        .init("difference", .string(requests.sentence(kind))),
      ])
  }

  private func share(_ share: RequestKind.Share) -> JSONValue {
    let cause = requests.causes[Int(share.cause)]
    let location = requests.location(of: cause)
    return .members([
      "what": .string(cause.what.rawValue),
      "who": .optional(cause.who.isEmpty ? nil : cause.who) { .string($0) },
      "function": .optional(location?.function) { .string($0) },
      "file": .optional(location?.file) { .string($0) },
      "line": .optional(location?.line) { .integer($0) },
      "medianSeconds": .seconds(share.median),
      "tailSeconds": .seconds(share.tail),
    ])
  }

  private func example(_ unit: Int) -> JSONValue {
    .members([
      "id": .string(ids.text(unit)), "beganSeconds": .seconds(requests.units[unit].began),
      "seconds": .seconds(requests.units[unit].length),
    ])
  }
}
