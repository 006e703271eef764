import OpTraceTables
import TestSupport
import Testing

@testable import OpTraceFleet

@Suite("Traces in ClickHouse")
struct FleetTests {
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
    let table = try #require(TableSet.recorded["traces"])
    var trace = try #require(ExportedTrace.all(in: "l") { $0 == "l" ? ["traces"] : ["trace=f6b5946b0703c199"] }.first)
    trace.labels = ["host": "a'); DROP TABLE traces; --", "x\\": "\\'"]
    let statement = LoadPlan(trace, as: .recorded, content: "0123456789abcdef", day: "2026-11-24").insertion(
      into: table, generation: 0)
    #expect(
      statement.contains(#", 'a\'); DROP TABLE traces; --', '', map('x\\', '\\\''), '0123456789abcdef' FROM input("#))
    #expect(!ClickHouseSchema.isName("a b") && !ClickHouseSchema.isName("1a") && ClickHouseSchema.isName("runs_2"))
  }

  @Test("the row in the table traces is inserted last and deleted first")
  func order() throws {
    let order = TableSet.recorded.inOrderOfWriting
    #expect(order.last?.name == "traces" && order.count == TableSet.recorded.tables.count)
    let trace = try #require(ExportedTrace.all(in: "l") { $0 == "l" ? ["traces"] : ["trace=f6b5946b0703c199"] }.first)
    let plan = LoadPlan(trace, as: .recorded, content: "0123456789abcdef", day: "2026-11-24")
    #expect(plan.deletions.first == "DELETE FROM traces WHERE trace = 'f6b5946b0703c199'")
    // The same state gives the same statement, another state another one.
    let table = try #require(TableSet.recorded["marks"])
    #expect(plan.insertion(into: table, generation: 1) == plan.insertion(into: table, generation: 1))
    #expect(plan.insertion(into: table, generation: 1) != plan.insertion(into: table, generation: 2))
  }
}
