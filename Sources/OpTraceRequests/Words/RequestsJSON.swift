import OpTraceBlame
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
        .init("blame", .array(requests.lost(kind, least: 0, most: .max).map(blamed))),
      ])
  }

  private func blamed(_ one: Requests.Blamed) -> JSONValue {
    .members([
      "culprit": .string(one.culprit.word), "name": .optional(one.culprit.name) { .string($0) },
      "function": place(one.culprit.location).0, "file": place(one.culprit.location).1,
      "line": place(one.culprit.location).2,
      "share": .number(one.share), "medianSeconds": .seconds(one.median), "tailSeconds": .seconds(one.tail),
      "ends": .array(
        one.ends.prefix(Self.mostEnds).map { end in
          .members([
            "kind": .string(end.end.kind.rawValue),
            "name": .optional(end.end.name.isEmpty ? nil : end.end.name) { .string($0) },
            "function": place(end.end.location).0, "file": place(end.end.location).1, "line": place(end.end.location).2,
            "share": .number(end.share),
          ])
        }),
      "holders": .array(
        one.holders.prefix(Self.mostEnds).map { holder in
          .members([
            "kind": .optional(holder.kind < 0 ? nil : requests.kinds[Int(holder.kind)].name) { .string($0) },
            "share": .number(holder.share),
          ])
        }),
    ])
  }

  private static let mostEnds = 5

  private func place(_ location: Int32?) -> (JSONValue, JSONValue, JSONValue) {
    let place = location.flatMap { $0 < 0 ? nil : requests.locations[Int($0)] }
    return (
      .optional(place?.function) { .string($0) }, .optional(place?.file) { .string($0) },
      .optional(place?.line) { .integer($0) }
    )
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
