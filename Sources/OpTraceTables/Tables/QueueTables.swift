import OpTraceModel

extension TraceTable {
  static let queues = TraceTable(
    "queues", "one row for each operation queue", sortedBy: "id", of: { $0.trace.queues },
    [
      ColumnOf("id", .integer, "its number in the trace") { _, queue in TableValue(queue.id) },
      ColumnOf("name", .text, "its name, else its number and where it was made") { _, queue in .text(queue.title) },
      ColumnOf("max_concurrent", .integer, "how many run at once, at the trace's end; null: no limit") { _, queue in
        TableValue(queue.limit < 0 ? nil : queue.limit)
      },
      ColumnOf("suspended", .integer, "1: it starts nothing, at the trace's end") { _, queue in
        TableValue(queue.isSuspended)
      },
      ColumnOf("main", .integer, "1: it runs on the main thread") { _, queue in TableValue(queue.isMain) },
      ColumnOf("created", .integer, "when it was seen first") { _, queue in TableValue(queue.created) },
      ColumnOf("released", .integer, "when it was gone") { _, queue in TableValue(queue.released) },
      ColumnOf("file", .text, "where it was made") { _, queue in TableValue(queue.codeLocation?.file) },
      ColumnOf("line", .integer, "where it was made") { _, queue in TableValue(queue.codeLocation?.line) },
    ])

  static let queueChanges = TraceTable(
    "queue_changes", "one row for each change of a queue", sortedBy: "queue", key: ["queue", "time"], isNumbered: true,
    of: { $0.queueChanges },
    [
      ColumnOf("queue", .integer, "queues.id") { _, row in TableValue(row.queue) },
      ColumnOf("time", .integer, "when") { _, row in TableValue(row.change.time) },
      ColumnOf("thread", .integer, "threads.id: who did it") { _, row in TableValue(row.change.thread) },
      ColumnOf("change", .text, "limit, suspended, resumed, cancelled_all") { _, row in .text(word(row.change.kind)) },
      ColumnOf("max_concurrent", .integer, "the new limit; null: no limit, or another change") { _, row in
        guard case .limit(let limit) = row.change.kind, limit >= 0 else { return .null }
        return TableValue(limit)
      },
    ])

  private static func word(_ kind: QueueRecord.ChangeKind) -> String {
    switch kind {
    case .limit: "limit"
    case .suspended: "suspended"
    case .resumed: "resumed"
    case .cancelledAll: "cancelled_all"
    }
  }
}
