import OpTraceDoctor
import OpTraceModel
import OpTracePage
import OpTracePageParts
import OpTraceReport
import OpTraceSQL
import OpTraceTables
import TestSupport
import Testing

@testable import OpTraceFleet
@testable import optrace_cli

/// What the columns contribute fits together.
@Suite("Capabilities of the command")
struct CapabilityTests {
  @Test("each code has one rule")
  func rules() {
    #expect(Set(RuleSet.command.rules.map(\.code)).count == RuleSet.command.rules.count)
  }

  @Test("the names of tables and their order are a contract; new ones may stand between them")
  func tables() {
    let known = [
      "traces", "operations", "dependencies", "queues", "queue_changes", "threads", "waits", "blocks", "tasks",
      "suspensions", "actor_waits", "spans", "span_attributes", "span_links", "span_work", "marks", "stacks",
      "samples", "requests", "request_parts", "allocations", "memory_use", "critical_path", "findings",
      "finding_operations", "busy_threads", "queue_depth",
    ]
    #expect(TableSet.command.tables.map(\.name).filter(known.contains) == known)
    let views = ["runs", "transitions"]
    #expect(TableSet.command.views.map(\.name).filter(views.contains) == views)
  }

  @Test("the order of tabs is a contract; new ones may stand between them")
  func tabs() {
    let known = ["timeline", "graph", "why", "findings", "requests", "memory", "flame", "comparison", "prediction"]
    #expect(ReportPage.command.parts.map(\.name).filter(known.contains) == known)
    #expect(ReportPage.standard.parts.map(\.name).filter(known.contains) == known)
  }

  @Test("each table has columns with different names, and the first is the trace")
  func columns() {
    let tables = TableSet.command.tables
    for table in tables {
      #expect(table.columns.first?.name == "trace")
      #expect(Set(table.columns.map(\.name)).count == table.columns.count)
    }
    #expect(Set(tables.map(\.name)).count == tables.count)
  }

  @Test("each view and question asks tables that there are", arguments: [Zoo.trace(), HandmadeTrace().trace])
  func queries(of trace: Trace) throws {
    let database = try TraceDatabase([TableSource(trace)], as: .command)
    let views = TableSet.command.views.map { "SELECT * FROM \($0.name)" }
    for query in views + TableSet.command.questions.map(\.query) {
      var columns: [String] = []
      #expect(throws: Never.self, "\(query)") { try database.run(query, columns: { columns = $0 }, row: { _ in }) }
      #expect(Set(columns).count == columns.count && columns.count > 1, "\(query)")
    }
    #expect(Set(TableSet.command.questions.map(\.name)).count == TableSet.command.questions.count)
  }

  @Test("the key columns of each table exist", arguments: TableSet.command.tables.map(\.name))
  func keys(name: String) throws {
    let table = try #require(TableSet.command[name])
    for key in ClickHouseKeys.columns(of: table) {
      #expect(table.column(key) != nil || key == ClickHouseKeys.row, "\(key)")
    }
    #expect(table.column(ClickHouseKeys.row) == nil)
  }

  /// Dependencies, marks and spans that occur twice at the same time.
  static func atOneMoment() -> Trace {
    var make = HandmadeTrace(end: 100)
    let queue = make.queue("work")
    let first = make.operation("first", on: queue, began: 1, ended: 2)
    let second = make.operation("second", on: queue, after: [first, first], began: 3, ended: 4)
    let stamp = Stamp(HandmadeTrace.nanoseconds(3), ThreadID(1))
    make.trace.marks = (0..<2).map { _ in MarkRecord(name: "again", operation: second, at: stamp) }
    make.trace.spans = (1...2).map {
      SpanRecord(id: SpanID($0), name: "again", operation: second, began: stamp, ended: stamp)
    }
    return make.trace
  }

  @Test("no two rows of a trace have the same key", arguments: TableSet.command.tables.map(\.name))
  func uniqueKeys(name: String) throws {
    let table = try #require(TableSet.command[name])
    let keys = ClickHouseKeys.columns(of: table).compactMap { table.column($0) }
    let hasRow = table.isNumbered
    for trace in [Zoo.trace(), PhotoImport.stuck(), PhotoImport.healthy(), Self.atOneMoment()] {
      let rows = table.rows(of: TableSource(trace))
      let all = (0..<rows.count).map { row in keys.map { rows[row, $0] } + (hasRow ? [.integer(Int64(row))] : []) }
      #expect(Set(all).count == all.count)
    }
  }
}
