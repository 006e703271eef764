import OpTraceModel

/// A change of a queue, with the queue.
struct QueueChange {
  let queue: QueueID
  let change: QueueRecord.Change

  static func all(_ trace: Trace) -> [QueueChange] {
    trace.queues.flatMap { queue in queue.changes.map { QueueChange(queue: queue.id, change: $0) } }
  }
}

extension TraceTable {
  static let queues = TraceTable(
    "queues", "one row for each operation queue", sortedBy: "id", of: { $0.trace.queues },
    [
      ColumnOf("id", .integer, "its number in the trace") { _, queue in TableValue(queue.id) },
      ColumnOf("name", .text, "its name; without one, its number and where it was created") { _, queue in
        .text(queue.title)
      },
      ColumnOf("max_concurrent", .integer, "maxConcurrentOperationCount at the trace's end; null: no limit") {
        _, queue in
        TableValue(queue.limit < 0 ? nil : queue.limit)
      },
      ColumnOf("suspended", .integer, "1: it was suspended at the trace's end") { _, queue in
        TableValue(queue.isSuspended)
      },
      ColumnOf("main", .integer, "1: it runs its operations on the main thread") { _, queue in TableValue(queue.isMain)
      },
      ColumnOf("created", .integer, "when it was first recorded") { _, queue in TableValue(queue.created) },
      ColumnOf("released", .integer, "when it was deallocated") { _, queue in TableValue(queue.released) },
      ColumnOf("file", .text, "the source file where it was created") { _, queue in TableValue(queue.codeLocation?.file)
      },
      ColumnOf("line", .integer, "the line where it was created") { _, queue in TableValue(queue.codeLocation?.line) },
    ])

  static let queueChanges = TraceTable(
    "queue_changes", "one row for each change of a queue", sortedBy: "queue", key: ["queue", "time"], isNumbered: true,
    of: { QueueChange.all($0.trace) },
    [
      ColumnOf("queue", .integer, "queues.id") { _, row in TableValue(row.queue) },
      ColumnOf("time", .integer, "when it changed") { _, row in TableValue(row.change.time) },
      ColumnOf("thread", .integer, "threads.id: the thread that changed it") { _, row in TableValue(row.change.thread)
      },
      ColumnOf("change", .text, "limit, suspended, resumed, cancelled_all") { _, row in .text(word(row.change.kind)) },
      ColumnOf("max_concurrent", .integer, "the new limit; null: no limit, or not a change of the limit") { _, row in
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
