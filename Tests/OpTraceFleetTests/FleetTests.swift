import OpTraceAnalysis
import OpTraceModel
import OpTraceTables
import TestSupport
import Testing

@testable import OpTraceFleet

@Suite("Traces in ClickHouse")
struct FleetTests {
  @Test("the key columns of each table exist", arguments: TraceTable.all.map(\.name))
  func keys(name: String) throws {
    let table = try #require(TraceTable.named(name))
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

  @Test("no two rows of a trace have the same key", arguments: TraceTable.all.map(\.name))
  func uniqueKeys(name: String) throws {
    let table = try #require(TraceTable.named(name))
    let keys = ClickHouseKeys.columns(of: table).compactMap { table.column($0) }
    let hasRow = table.isNumbered
    for trace in [Zoo.trace(), PhotoImport.stuck(), PhotoImport.healthy(), Self.atOneMoment()] {
      let rows = table.rows(of: TableSource(trace, by: .all))
      let all = (0..<rows.count).map { row in keys.map { rows[row, $0] } + (hasRow ? [.integer(Int64(row))] : []) }
      #expect(Set(all).count == all.count)
    }
  }

  @Test("traces are found in folders of any depth, and folder names give labels")
  func folders() {
    let hash = "f6b5946b0703c199"
    let tree: [String: [String]] = [
      "lake": ["host=a", "host=b", "readme.txt"],
      "lake/host=a": ["version=1"], "lake/host=a/version=1": ["traces", "operations"],
      "lake/host=a/version=1/traces": ["trace=\(hash)", "trace=nothing", "trace=F6B5946B0703C199", "x"],
      "lake/host=b": ["traces"], "lake/host=b/traces": [],
    ]
    let found = ExportedTrace.all(in: "lake") { tree[$0] ?? [] }
    #expect(found.map(\.hash) == [hash])
    #expect(found.first?.labels == ["host": "a", "version": "1"])
    #expect(found.first?.folder == "lake/host=a/version=1")
    // A cycle of links ends.
    #expect(ExportedTrace.all(in: "x") { _ in ["x"] }.isEmpty)
  }

  @Test("hostile names stay quoted in SQL")
  func quotes() throws {
    let table = try #require(TraceTable.named("traces"))
    var trace = try #require(ExportedTrace.all(in: "l") { $0 == "l" ? ["traces"] : ["trace=f6b5946b0703c199"] }.first)
    trace.labels = ["host": "a'); DROP TABLE traces; --", "x\\": "\\'"]
    let statement = LoadPlan(trace, content: "0123456789abcdef", day: "2026-11-24").insertion(
      into: table, generation: 0)
    #expect(
      statement.contains(#", 'a\'); DROP TABLE traces; --', '', map('x\\', '\\\''), '0123456789abcdef' FROM input("#))
    #expect(!ClickHouseSchema.isName("a b") && !ClickHouseSchema.isName("1a") && ClickHouseSchema.isName("runs_2"))
  }

  @Test("the row in the table traces is inserted last and deleted first")
  func order() throws {
    #expect(LoadPlan.order.last?.name == "traces" && LoadPlan.order.count == TraceTable.all.count)
    let trace = try #require(ExportedTrace.all(in: "l") { $0 == "l" ? ["traces"] : ["trace=f6b5946b0703c199"] }.first)
    let plan = LoadPlan(trace, content: "0123456789abcdef", day: "2026-11-24")
    #expect(plan.deletions.first == "DELETE FROM traces WHERE trace = 'f6b5946b0703c199'")
    // The same state gives the same statement, another state another one.
    let table = try #require(TraceTable.named("marks"))
    #expect(plan.insertion(into: table, generation: 1) == plan.insertion(into: table, generation: 1))
    #expect(plan.insertion(into: table, generation: 1) != plan.insertion(into: table, generation: 2))
  }
}
