import OpTraceKernel
import OpTraceModel
package import OpTraceTables

extension TableSet {
  /// Units of work, and what they spent their time with.
  package static let requests = TableSet([.requests, .requestParts])
}

/// The units of work of a trace, and what they are called.
private final class FoundRequests {
  static let facts = TableFacts { FoundRequests($0.trace) }

  let requests: Requests
  let ids: RequestIDs

  private init(_ trace: Trace) {
    requests = Requests(of: trace)
    ids = RequestIDs(requests)
  }
}

/// A unit of work by its index.
private struct UnitRow {
  let found: FoundRequests
  let index: Int

  var unit: Requests.Unit { found.requests.units[index] }

  static func all(_ source: TableSource) -> [UnitRow] {
    let found = source[FoundRequests.facts]
    return found.requests.units.indices.map { UnitRow(found: found, index: $0) }
  }
}

/// A part of a unit's time.
private struct PartRow {
  let found: FoundRequests
  let unit: Int
  let part: Requests.Part

  var cause: Requests.Cause { found.requests.causes[Int(part.cause)] }
  var location: CodeLocation? { found.requests.location(of: cause) }

  static func all(_ source: TableSource) -> [PartRow] {
    let found = source[FoundRequests.facts]
    return found.requests.units.indices.flatMap { unit in
      found.requests.parts(ofUnitAt: unit).map { PartRow(found: found, unit: unit, part: $0) }
    }
  }
}

extension TraceTable {
  fileprivate static let requests = TraceTable(
    "requests", "one row for each finished unit of work, such as a request", isCostly: true,
    key: ["request"], of: UnitRow.all,
    [
      ColumnOf("request", .integer, "its number in this table, from 1") { _, row in .integer(Int64(row.index + 1)) },
      ColumnOf("name", .text, "'#17' is a whole task, '#17:3' its third round; 'timeline --around' accepts it") {
        _, row in .text(row.found.ids.text(row.index))
      },
      ColumnOf("kind", .text, "the function or span that it is an execution of") { _, row in
        .text(row.found.requests.kind(ofUnitAt: row.index).name)
      },
      ColumnOf("work", .integer, "operations.id, blocks.id or tasks.id: the work that it is, or is a round of") {
        _, row in
        TableValue(row.unit.work)
      },
      ColumnOf("began", .integer, "when it began") { _, row in TableValue(row.unit.began) },
      ColumnOf("ended", .integer, "when it ended") { _, row in TableValue(row.unit.ended) },
      ColumnOf("seconds", .real, "its duration in seconds") { _, row in .real(Double(row.unit.length) / 1e9) },
      ColumnOf("failed", .integer, "1: it was cancelled or ended with an error") { _, row in
        .integer(row.unit.isFailed ? 1 : 0)
      },
    ])

  fileprivate static let requestParts = TraceTable(
    "request_parts", "one row for each way in which a unit of work spent time", isCostly: true,
    key: ["request"], isNumbered: true, of: PartRow.all,
    [
      ColumnOf("request", .integer, "requests.request") { _, row in .integer(Int64(row.unit + 1)) },
      ColumnOf("what", .text, Requests.What.allCases.map(\.rawValue).joined(separator: ", ")) { _, row in
        .text(row.cause.what.rawValue)
      },
      ColumnOf("who", .text, "the actor, queue or lock that it waited for; null: none") { _, row in
        TableValue(row.cause.who.isEmpty ? nil : row.cause.who)
      },
      ColumnOf("function", .text, "the function that ran, that waited, or that held what was waited for") { _, row in
        TableValue(row.location?.function)
      },
      ColumnOf("file", .text, "the source file; null: not known") { _, row in TableValue(row.location?.file) },
      ColumnOf("line", .integer, "the line in the source file") { _, row in TableValue(row.location?.line) },
      ColumnOf("seconds", .real, "how long, in seconds") { _, row in .real(Double(row.part.length) / 1e9) },
    ])
}
