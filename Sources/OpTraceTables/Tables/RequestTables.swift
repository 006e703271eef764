import OpTraceKernel
import OpTraceModel
import OpTraceRequests

/// Units of work, and what they are called.
struct RequestRows {
  let requests: Requests
  let ids: RequestIDs
  /// Index of a unit, and of one of its parts.
  let parts: [(unit: Int, part: Requests.Part)]

  init(_ trace: Trace) {
    requests = Requests(of: trace)
    ids = RequestIDs(requests)
    let all = requests
    parts = all.units.indices.flatMap { unit in all.parts(ofUnitAt: unit).map { (unit, $0) } }
  }
}

extension TraceTable {
  static let requests = TraceTable(
    "requests", "one row for each unit of work that is over, such as a request", isCostly: true,
    key: ["request"], of: { source -> [Int] in Array(source.requests.requests.units.indices) },
    [
      ColumnOf("request", .integer, "its number in this table, from 1") { _, unit in .integer(Int64(unit + 1)) },
      ColumnOf("name", .text, "'#17' is a whole task, '#17:3' the third round of it: 'timeline --around' takes it") {
        source, unit in .text(source.requests.ids.text(unit))
      },
      ColumnOf("kind", .text, "the function or span that it is a unit of") { source, unit in
        .text(source.requests.requests.kind(ofUnitAt: unit).name)
      },
      ColumnOf("work", .integer, "operations.id, blocks.id or tasks.id: what it is, or is a round of") { source, unit in
        TableValue(source.requests.requests.units[unit].work)
      },
      ColumnOf("began", .integer, "when it began") { source, unit in
        TableValue(source.requests.requests.units[unit].began)
      },
      ColumnOf("ended", .integer, "when it was over") { source, unit in
        TableValue(source.requests.requests.units[unit].ended)
      },
      ColumnOf("seconds", .real, "from began to ended") { source, unit in
        .real(Double(source.requests.requests.units[unit].length) / 1e9)
      },
      ColumnOf("failed", .integer, "1: it was cancelled or ended with an error") { source, unit in
        .integer(source.requests.requests.units[unit].isFailed ? 1 : 0)
      },
    ])

  static let requestParts = TraceTable(
    "request_parts", "one row for each thing that a unit of work spent time with", isCostly: true,
    key: ["request"], isNumbered: true, of: { $0.requests.parts },
    [
      ColumnOf("request", .integer, "requests.request") { _, row in .integer(Int64(row.unit + 1)) },
      ColumnOf("what", .text, Requests.What.allCases.map(\.rawValue).joined(separator: ", ")) { source, row in
        .text(source.requests.cause(row.part).what.rawValue)
      },
      ColumnOf("who", .text, "the actor, queue or lock; null: none") { source, row in
        let who = source.requests.cause(row.part).who
        return TableValue(who.isEmpty ? nil : who)
      },
      ColumnOf("function", .text, "what ran, waited, or held what was waited for") { source, row in
        TableValue(source.requests.location(row.part)?.function)
      },
      ColumnOf("file", .text, "where that is; null: not known") { source, row in
        TableValue(source.requests.location(row.part)?.file)
      },
      ColumnOf("line", .integer, "where it is in the file") { source, row in
        TableValue(source.requests.location(row.part)?.line)
      },
      ColumnOf("seconds", .real, "how long") { _, row in .real(Double(row.part.length) / 1e9) },
    ])
}

extension RequestRows {
  fileprivate func cause(_ part: Requests.Part) -> Requests.Cause { requests.causes[Int(part.cause)] }
  fileprivate func location(_ part: Requests.Part) -> CodeLocation? { requests.location(of: cause(part)) }
}
