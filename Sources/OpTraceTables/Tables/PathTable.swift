import OpTraceKernel
import OpTraceModel

/// A step of the critical path and its number.
struct PathRow {
  var number: Int
  var step: CriticalPath.Step

  static func all(_ source: TableSource) -> [PathRow] {
    CriticalPath(of: source.trace, source[WorkWaits.facts].threadWaits).steps.enumerated().map {
      PathRow(number: $0 + 1, step: $1)
    }
  }

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
    "critical_path", "one row for each step of the critical path, the chain of work that decided the wall time",
    isCostly: true,
    key: ["step"], of: PathRow.all,
    [
      ColumnOf("step", .integer, "the step's number, from 1, in order of time") { _, row in TableValue(row.number) },
      ColumnOf("work", .integer, "operations.id, blocks.id or tasks.id") { _, row in TableValue(row.step.work) },
      ColumnOf("kind", .text, "operation, block, task") { source, row in
        TableValue(source.kind(of: row.step.work))
      },
      ColumnOf("cause", .text, "what the step waited for last: start, dependency, slot, submission, signal") { _, row in
        .text(row.causeWord)
      },
      ColumnOf("cause_work", .integer, "operations.id, blocks.id or tasks.id: the work that ended this wait") {
        _, row in TableValue(row.step.cause.work)
      },
      ColumnOf("began", .integer, "when the step began: when the one before ended") { _, row in
        TableValue(row.step.began)
      },
      ColumnOf("ended", .integer, "when the step ended: when the next one begins") { _, row in
        TableValue(row.step.ended)
      },
      ColumnOf("wait_dependencies", .integer, "how long the step waited for dependencies") { _, row in
        TableValue(row.step.waitingForDependencies)
      },
      ColumnOf("wait_slot", .integer, "how long the step waited for a slot of its queue") { _, row in
        TableValue(row.step.waitingForSlot)
      },
      ColumnOf("running", .integer, "how long the step ran") { _, row in TableValue(row.step.running) },
      ColumnOf("wait_thread", .integer, "how long the step waited for a thread") { _, row in
        TableValue(row.step.waitingForThread)
      },
    ] as [ColumnOf<PathRow>])
}
