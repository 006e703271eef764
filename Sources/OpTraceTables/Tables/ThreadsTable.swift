import OpTraceModel

extension TraceTable {
  static let threads = TraceTable(
    "threads", "one row for each thread that recorded something", sortedBy: "id", of: { $0.trace.threads },
    [
      ColumnOf("id", .integer, "its number in the trace") { _, thread in TableValue(thread.id) },
      ColumnOf("system_id", .integer, "the system's number") { _, thread in TableValue(thread.systemID) },
      ColumnOf("name", .text, "its name when it first recorded") { _, thread in
        TableValue(thread.name.isEmpty ? nil : thread.name)
      },
      ColumnOf("main", .integer, "1: the main thread") { _, thread in TableValue(thread.isMain) },
    ])
}
