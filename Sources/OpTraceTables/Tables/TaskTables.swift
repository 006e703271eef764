import OpTraceAnalysis
import OpTraceModel

/// A stretch in which a task did not run, with the task's index.
struct SuspensionRow {
  let task: Int
  let suspension: TaskRecord.Suspension

  static func all(_ trace: Trace) -> [SuspensionRow] {
    trace.tasks.indices.flatMap { task in
      trace.tasks[task].suspensions.map { SuspensionRow(task: task, suspension: $0) }
    }
  }
}

/// A wait of a task for an actor, with the task's index.
struct ActorWaitRow {
  let task: Int
  let wait: TaskRecord.ActorWait

  static func all(_ trace: Trace) -> [ActorWaitRow] {
    trace.tasks.indices.flatMap { task in
      trace.tasks[task].actorWaits.map { ActorWaitRow(task: task, wait: $0) }
    }
  }
}

extension TraceTable {
  static let suspensions = TraceTable(
    "suspensions", "one row whenever a task was suspended", sortedBy: "task", of: { $0.suspensions },
    [
      ColumnOf("task", .integer, "tasks.id") { source, row in TableValue(source.trace.tasks[row.task].id) },
      ColumnOf("reason", .text, "unknown, task, continuation, group, executor, sleep") { _, row in
        .text("\(row.suspension.reason)")
      },
      ColumnOf("began", .integer, "when it stopped") { _, row in TableValue(row.suspension.from) },
      ColumnOf("enqueued", .integer, "when it could go on") { _, row in TableValue(row.suspension.enqueued) },
      ColumnOf("ended", .integer, "when it went on") { _, row in TableValue(row.suspension.to) },
      ColumnOf("awaited", .integer, "tasks.id: for which one it waited") { _, row in
        TableValue(row.suspension.awaited)
      },
      ColumnOf("resumed", .integer, "when its continuation was resumed") { _, row in
        TableValue(row.suspension.resumed)
      },
      ColumnOf("how", .text, "value, throwing, error: how that was done") { _, row in
        TableValue(row.suspension.resumption.map { "\($0)" })
      },
      ColumnOf("resumer", .integer, "the operation, block or task that let it go on") { _, row in
        TableValue(row.suspension.resumer)
      },
      ColumnOf("resumer_kind", .text, "operation, block, task; null where resumer is") { source, row in
        TableValue(row.suspension.resumer.flatMap(source.kind(of:)))
      },
      ColumnOf("stack", .integer, "stacks.stack: where it goes on") { _, row in TableValue(row.suspension.at) },
    ])

  static let actorWaits = TraceTable(
    "actor_waits", "one row whenever a task was given to an actor", sortedBy: "task", of: { $0.actorWaits },
    [
      ColumnOf("task", .integer, "tasks.id") { source, row in TableValue(source.trace.tasks[row.task].id) },
      ColumnOf("actor", .integer, "its number; a later actor at its address has the same") { _, row in
        TableValue(row.wait.actor.number == 0 ? nil : row.wait.actor.number)
      },
      ColumnOf("class", .text, "the actor's class") { _, row in
        TableValue(row.wait.actor.className.isEmpty ? nil : row.wait.actor.className)
      },
      ColumnOf("function", .text, "what goes on then") { source, row in
        let task = source.trace.tasks[row.task]
        let stack = row.wait.suspension.flatMap { task.suspensions[$0].at }
        return .text(source.trace.stacks.codeLocation(stack)?.function ?? task.kind)
      },
      ColumnOf("queued", .integer, "when it was given to the actor") { _, row in TableValue(row.wait.queued) },
      ColumnOf("began", .integer, "when it ran") { _, row in TableValue(row.wait.began) },
      ColumnOf("seconds", .real, "from queued to began") { _, row in
        TableValue(row.wait.began.map { Double(max(0, $0 - row.wait.queued.time)) / 1e9 })
      },
      ColumnOf("by_kind", .text, "operation, block, task; null where by is") { source, row in
        TableValue(row.wait.by.flatMap(source.kind(of:)))
      },
      ColumnOf("by", .integer, "what gave it; null: the task went there by itself, or none") { _, row in
        TableValue(row.wait.by)
      },
    ])
}
