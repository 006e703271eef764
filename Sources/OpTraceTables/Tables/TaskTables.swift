import OpTraceKernel
import OpTraceModel

/// Something that happened to a task, with the task's index.
struct TaskPart<Part> {
  let task: Int
  let part: Part

  static func all(_ trace: Trace, _ parts: (TaskRecord) -> [Part]) -> [TaskPart] {
    trace.tasks.indices.flatMap { task in parts(trace.tasks[task]).map { TaskPart(task: task, part: $0) } }
  }
}

extension TraceTable {
  static let suspensions = TraceTable(
    "suspensions", "one row whenever a task was suspended", sortedBy: "task", key: ["task", "began"], isNumbered: true,
    of: { $0.suspensions },
    [
      ColumnOf("task", .integer, "tasks.id") { source, row in TableValue(source.trace.tasks[row.task].id) },
      ColumnOf("reason", .text, "unknown, task, continuation, group, executor, sleep") { _, row in
        .text("\(row.part.reason)")
      },
      ColumnOf("began", .integer, "when it stopped") { _, row in TableValue(row.part.from) },
      ColumnOf("enqueued", .integer, "when it could go on") { _, row in TableValue(row.part.enqueued) },
      ColumnOf("ended", .integer, "when it went on") { _, row in TableValue(row.part.to) },
      ColumnOf("awaited", .integer, "tasks.id: for which one it waited") { _, row in
        TableValue(row.part.awaited)
      },
      ColumnOf("resumed", .integer, "when its continuation was resumed") { _, row in
        TableValue(row.part.resumed)
      },
      ColumnOf("how", .text, "value, throwing, error: how that was done") { _, row in
        TableValue(row.part.resumption.map { "\($0)" })
      },
      ColumnOf("resumer", .integer, "the operation, block or task that let it go on") { _, row in
        TableValue(row.part.resumer)
      },
      ColumnOf("resumer_kind", .text, "operation, block, task; null where resumer is") { source, row in
        TableValue(row.part.resumer.flatMap(source.kind(of:)))
      },
      ColumnOf("stack", .integer, "stacks.stack: where it goes on") { _, row in TableValue(row.part.at) },
    ])

  static let actorWaits = TraceTable(
    "actor_waits", "one row whenever a task was given to an actor", sortedBy: "task", key: ["task", "queued"],
    isNumbered: true, of: { $0.actorWaits },
    [
      ColumnOf("task", .integer, "tasks.id") { source, row in TableValue(source.trace.tasks[row.task].id) },
      ColumnOf("actor", .integer, "its number; a later actor at its address has the same") { _, row in
        TableValue(row.part.actor.number == 0 ? nil : row.part.actor.number)
      },
      ColumnOf("class", .text, "the actor's class") { _, row in
        TableValue(row.part.actor.className.isEmpty ? nil : row.part.actor.className)
      },
      ColumnOf("function", .text, "what goes on then") { source, row in
        let task = source.trace.tasks[row.task]
        let stack = row.part.suspension.flatMap { task.suspensions[$0].at }
        return .text(source.trace.stacks.codeLocation(stack)?.function ?? task.kind)
      },
      ColumnOf("queued", .integer, "when it was given to the actor") { _, row in TableValue(row.part.queued) },
      ColumnOf("began", .integer, "when it ran") { _, row in TableValue(row.part.began) },
      ColumnOf("seconds", .real, "from queued to began") { _, row in
        TableValue(row.part.began.map { Double(max(0, $0 - row.part.queued.time)) / 1e9 })
      },
      ColumnOf("by_kind", .text, "operation, block, task; null where by is") { source, row in
        TableValue(row.part.by.flatMap(source.kind(of:)))
      },
      ColumnOf("by", .integer, "what gave it; null: the task went there by itself, or none") { _, row in
        TableValue(row.part.by)
      },
    ])
}
