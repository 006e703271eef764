import OpTraceModel

extension TraceTable {
  static let tasks = TraceTable(
    "tasks", "one row for each Swift task (record --tasks)", sortedBy: "id", of: { $0.trace.tasks },
    [
      ColumnOf("id", .integer, "its number in the trace") { _, task in TableValue(task.id) },
      ColumnOf("name", .text, "its name, else its function") { _, task in .text(task.title) },
      ColumnOf("way", .text, "unstructured, detached, groupChild, asyncLet") { _, task in .text("\(task.way)") },
      ColumnOf("priority", .integer, "its priority's raw value") { _, task in TableValue(task.priority) },
      ColumnOf("parent", .integer, "tasks.id: whose child it is") { _, task in TableValue(task.parent) },
      ColumnOf("submitter", .integer, "the operation, block or task whose code created it") { _, task in
        TableValue(task.submitter)
      },
      ColumnOf("created", .integer, "when it was created") { _, task in TableValue(task.submitted) },
      ColumnOf("began", .integer, "when it first ran") { _, task in TableValue(task.began) },
      ColumnOf("completed", .integer, "when it was over") { _, task in TableValue(task.completed) },
      ColumnOf("cancelled", .integer, "when cancelling was asked for") { _, task in TableValue(task.cancelRequested) },
      ColumnOf("runs", .integer, "how often it ran") { _, task in TableValue(task.runs.count) },
      ColumnOf("running", .integer, "how long it ran, all runs together") { source, task in
        TableValue(task.runs.reduce(Nanoseconds(0)) { $0 &+ max(0, ($1.ended ?? source.trace.end) - $1.began) })
      },
      ColumnOf("suspensions", .integer, "how often it was suspended") { _, task in TableValue(task.suspensions.count) },
      ColumnOf("stack", .integer, "stacks.stack: where it was created") { _, task in TableValue(task.submittedAt) },
    ])
}
