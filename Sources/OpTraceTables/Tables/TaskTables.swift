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
    "suspensions", "one row for each suspension of a task", sortedBy: "task", key: ["task", "began"], isNumbered: true,
    of: { TaskPart.all($0.trace, \.suspensions) },
    [
      ColumnOf("task", .integer, "tasks.id") { source, row in TableValue(source.trace.tasks[row.task].id) },
      ColumnOf("reason", .text, "what it waited for: unknown, task, continuation, group, executor, sleep") { _, row in
        .text("\(row.part.reason)")
      },
      ColumnOf("began", .integer, "when it was suspended") { _, row in TableValue(row.part.from) },
      ColumnOf("enqueued", .integer, "when it could continue") { _, row in TableValue(row.part.enqueued) },
      ColumnOf("ended", .integer, "when it continued") { _, row in TableValue(row.part.to) },
      ColumnOf("awaited", .integer, "tasks.id: the task that it awaited") { _, row in
        TableValue(row.part.awaited)
      },
      ColumnOf("resumed", .integer, "when its continuation was resumed") { _, row in
        TableValue(row.part.resumed)
      },
      ColumnOf("how", .text, "how the continuation was resumed: value, throwing, error") { _, row in
        TableValue(row.part.resumption.map { "\($0)" })
      },
      ColumnOf("resumer", .integer, "operations.id, blocks.id or tasks.id: what resumed it") { _, row in
        TableValue(row.part.resumer)
      },
      ColumnOf("resumer_kind", .text, "operation, block, task; null if resumer is null") { source, row in
        TableValue(row.part.resumer.flatMap(source.kind(of:)))
      },
      ColumnOf("stack", .integer, "stacks.stack: where it continues") { _, row in TableValue(row.part.at) },
    ])

  static let actorWaits = TraceTable(
    "actor_waits", "one row each time a task was enqueued on an actor", sortedBy: "task", key: ["task", "queued"],
    isNumbered: true, of: { TaskPart.all($0.trace, \.actorWaits) },
    [
      ColumnOf("task", .integer, "tasks.id") { source, row in TableValue(source.trace.tasks[row.task].id) },
      ColumnOf("actor", .integer, "the actor's number; a later actor at the same address has the same") { _, row in
        TableValue(row.part.actor.number == 0 ? nil : row.part.actor.number)
      },
      ColumnOf("class", .text, "the actor's class") { _, row in
        TableValue(row.part.actor.className.isEmpty ? nil : row.part.actor.className)
      },
      ColumnOf("function", .text, "the function that runs on the actor") { source, row in
        let task = source.trace.tasks[row.task]
        let stack = row.part.suspension.flatMap { task.suspensions[$0].at }
        return .text(source.trace.stacks.codeLocation(stack)?.function ?? task.kind)
      },
      ColumnOf("queued", .integer, "when the task was enqueued on the actor") { _, row in TableValue(row.part.queued) },
      ColumnOf("began", .integer, "when the task ran on the actor") { _, row in TableValue(row.part.began) },
      ColumnOf("seconds", .real, "from queued to began, in seconds") { _, row in
        TableValue(row.part.began.map { Double(max(0, $0 - row.part.queued.time)) / 1e9 })
      },
      ColumnOf("by_kind", .text, "operation, block, task; null if by is null") { source, row in
        TableValue(row.part.by.flatMap(source.kind(of:)))
      },
      ColumnOf(
        "by", .integer, "operations.id, blocks.id or tasks.id: what enqueued it; null: the task itself, or none of them"
      ) { _, row in
        TableValue(row.part.by)
      },
    ])
}
