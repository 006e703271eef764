import OpTraceBlame
import OpTraceKernel
import OpTraceModel
import OpTraceSamples
package import OpTraceText

/// The form of `optrace requests --json`; its keys are a contract (Documentation/json.md).
package struct RequestsJSON {
  private let requests: Requests
  private let memory: UnitMemory?
  private let ids: RequestIDs

  /// - Parameter memory: what the units allocate; nil: not sampled.
  package init(_ requests: Requests, memory: UnitMemory? = nil) {
    self.requests = requests
    self.memory = memory
    ids = RequestIDs(requests)
  }

  /// `name`: only kinds of this name; nil: all.
  package func value(named name: String? = nil, slowest: Int) -> JSONValue {
    let kinds = requests.kinds.indices.filter { name == nil || requests.kinds[$0].name == name }
    return .members([
      "version": .integer(1), "open": .integer(requests.open), "kinds": .array(kinds.map { kind($0, slowest) }),
      "loops": .array(name == nil ? requests.loopFigures.map(\.json) : []),
      "actors": .array(name == nil ? requests.actorFigures.map(\.json) : []),
    ])
  }

  private func kind(_ index: Int, _ slowest: Int) -> JSONValue {
    let kind = requests.kinds[index]
    return .object(
      kind.figures.members + [
        .init("breakdown", .array(kind.breakdown.map(share))),
        .init("examples", .array(requests.slowest(of: kind, most: slowest).map(example))),
        .init("difference", .string(requests.sentence(kind))),
        .init("blame", .array(requests.lost(kind, least: 0, most: .max).map(blamed))),
      ] + (memory.map { [.init("memory", memory($0[index], of: kind.count))] } ?? []))
  }

  /// Of one unit, on average.
  private func memory(_ sums: UnitMemory.Sums, of count: Int) -> JSONValue {
    func whole(_ value: Double) -> JSONValue { .integer(Int(min(max(value.rounded(), 0), 9e18))) }
    let (each, left) = (sums.allocated.each(of: count), sums.left.each(of: count))
    return .members([
      "samples": .integer(sums.allocated.samples), "allocatedBytes": whole(each.bytes),
      "allocatedErrorBytes": whole(each.error), "leftBytes": whole(left.bytes), "leftErrorBytes": whole(left.error),
      "function": .optional(sums.function) { .string($0.name) },
      "file": .optional(sums.function?.file) { .string($0) },
      "line": .optional(sums.function?.line) { .integer($0) },
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
