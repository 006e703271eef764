import OpTraceAnalysis
import OpTraceModel

/// A step of the critical path and its number.
struct PathRow {
  var number: Int
  var step: CriticalPath.Step

  var causeWord: String {
    switch step.cause {
    case .start: "start"
    case .dependency: "dependency"
    case .slot: "slot"
    case .submission: "submission"
    case .signal: "signal"
    }
  }
}

extension TraceTable {
  static let criticalPath = TraceTable(
    "critical_path", "one row for each step of what decided the wall time", isCostly: true,
    of: { $0.pathRows },
    [
      ColumnOf("step", .integer, "from 1, in the order of time") { _, row in TableValue(row.number) },
      ColumnOf("work", .integer, "operations.id, blocks.id or tasks.id") { _, row in TableValue(row.step.work) },
      ColumnOf("kind", .text, "operation, block, task") { source, row in
        TableValue(source.kind(of: row.step.work))
      },
      ColumnOf("cause", .text, "what it waited for last: start, dependency, slot, submission, signal") { _, row in
        .text(row.causeWord)
      },
      ColumnOf("cause_work", .integer, "of which work") { _, row in TableValue(row.step.cause.work) },
      ColumnOf("began", .integer, "where the step before ended") { _, row in TableValue(row.step.began) },
      ColumnOf("ended", .integer, "where the next begins") { _, row in TableValue(row.step.ended) },
      ColumnOf("wait_dependencies", .integer, "of the step") { _, row in TableValue(row.step.waitingForDependencies) },
      ColumnOf("wait_slot", .integer, "of the step") { _, row in TableValue(row.step.waitingForSlot) },
      ColumnOf("running", .integer, "of the step") { _, row in TableValue(row.step.running) },
    ] as [ColumnOf<PathRow>])
}
