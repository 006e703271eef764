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

  static func all(_ trace: Trace, by rules: RuleSet) -> [FindingRow] {
    Diagnosis(of: trace, by: rules).findings.enumerated().map { FindingRow(number: $0 + 1, finding: $1) }
  }
}

extension TraceTable {
  /// What these rules find.
  static func findings(by rules: RuleSet) -> [TraceTable] {
    let found = TableFacts { FindingRow.all($0.trace, by: rules) }
    return [findings(found), findingOperations(found)]
  }

  private static func findings(_ found: TableFacts<[FindingRow]>) -> TraceTable {
    TraceTable(
      "findings", "one row for each finding of the doctor", isCostly: true, of: { $0[found] },
      [
        ColumnOf("id", .integer, "from 1, the most severe first") { _, row in TableValue(row.number) },
        ColumnOf("code", .text, "the finding's code; optrace doctor --explain CODE describes it") { _, row in
          .text(row.finding.code.rawValue)
        },
        ColumnOf("severity", .text, "error, warning, note") { _, row in .text(row.finding.severity.rawValue) },
        ColumnOf("proven", .integer, "1: the trace proves it") { _, row in TableValue(row.finding.isProven) },
        ColumnOf("title", .text, "the finding in one sentence") { _, row in .text(row.finding.title) },
        ColumnOf("explanation", .text, "why the doctor reports it") { _, row in .text(row.finding.explanation) },
        ColumnOf("fix", .text, "how to fix it") { _, row in .text(row.finding.fix) },
        ColumnOf("operations", .integer, "how many operations, blocks and tasks the finding names") { _, row in
          TableValue(row.finding.operations.count)
        },
        ColumnOf("behind", .integer, "how many other operations are blocked because of it") { _, row in
          TableValue(row.finding.behind)
        },
      ])
  }

  private static func findingOperations(_ found: TableFacts<[FindingRow]>) -> TraceTable {
    TraceTable(
      "finding_operations", "one row for each operation, block or task that a finding names", isCostly: true,
      sortedBy: "finding", key: ["finding", "operation"], isNumbered: true, of: { FindingOperation.all($0[found]) },
      [
        ColumnOf("finding", .integer, "findings.id") { _, row in TableValue(row.finding) },
        ColumnOf("operation", .integer, "operations.id, blocks.id or tasks.id") { _, row in TableValue(row.work) },
        ColumnOf("kind", .text, "operation, block, task") { source, row in TableValue(source.kind(of: row.work)) },
        ColumnOf("in_cycle", .integer, "1: part of a cycle in which each waits for the next") { _, row in
          TableValue(row.isInCycle)
        },
      ])
  }
}
