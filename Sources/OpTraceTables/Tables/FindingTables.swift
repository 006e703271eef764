import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

/// An operation, block or task that a finding names.
struct FindingOperation {
  var finding: Int
  var work: WorkID
  var isInCycle: Bool

  static func all(_ rows: [FindingRow]) -> [FindingOperation] {
    rows.flatMap { row in
      let cycle = Set(row.finding.cycle)
      let others = row.finding.operations.filter { !cycle.contains($0) }
      return row.finding.cycle.map { FindingOperation(finding: row.number, work: $0, isInCycle: true) }
        + others.map { FindingOperation(finding: row.number, work: $0, isInCycle: false) }
    }
  }
}

/// A finding and its number.
struct FindingRow {
  var number: Int
  var finding: Finding
}

extension TraceTable {
  static let findings = TraceTable(
    "findings", "one row for each finding of the doctor", isCostly: true,
    of: { $0.findingRows },
    [
      ColumnOf("id", .integer, "from 1, the most severe first") { _, row in TableValue(row.number) },
      ColumnOf("code", .text, "as optrace doctor --explain knows it") { _, row in .text(row.finding.code.rawValue) },
      ColumnOf("severity", .text, "error, warning, note") { _, row in .text(row.finding.severity.rawValue) },
      ColumnOf("proven", .integer, "1: the trace proves it") { _, row in TableValue(row.finding.isProven) },
      ColumnOf("title", .text, "in one sentence") { _, row in .text(row.finding.title) },
      ColumnOf("explanation", .text, "why") { _, row in .text(row.finding.explanation) },
      ColumnOf("fix", .text, "what to do") { _, row in .text(row.finding.fix) },
      ColumnOf("operations", .integer, "how many it names") { _, row in TableValue(row.finding.operations.count) },
      ColumnOf("behind", .integer, "how many more cannot go on because of it") { _, row in
        TableValue(row.finding.behind)
      },
    ] as [ColumnOf<FindingRow>])

  static let findingOperations = TraceTable(
    "finding_operations", "one row for each operation, block or task that a finding names", isCostly: true,
    sortedBy: "finding", key: ["finding", "operation"], isNumbered: true, of: { $0.findingOperations },
    [
      ColumnOf("finding", .integer, "findings.id") { _, row in TableValue(row.finding) },
      ColumnOf("operation", .integer, "operations.id, blocks.id or tasks.id") { _, row in TableValue(row.work) },
      ColumnOf("kind", .text, "operation, block, task") { source, row in TableValue(source.kind(of: row.work)) },
      ColumnOf("in_cycle", .integer, "1: a part of a cycle of waiting") { _, row in TableValue(row.isInCycle) },
    ] as [ColumnOf<FindingOperation>])
}

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
    key: ["step"], of: { $0.pathRows },
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
      ColumnOf("wait_thread", .integer, "of the step") { _, row in TableValue(row.step.waitingForThread) },
    ] as [ColumnOf<PathRow>])
}
