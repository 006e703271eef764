import OpTraceModel
import OpTraceSamples
import OpTraceTables
import TestSupport
import Testing

@testable import OpTraceMemory

@Suite("Memory as tables") struct MemoryTablesTests {
  /// The values of some columns, row by row.
  private func rows(_ name: String, _ columns: [String], of trace: Trace) throws -> [[TableValue]] {
    let table = try #require(TableSet.memory[name])
    let indexes = try columns.map { try #require(table.column($0), "\($0)") }
    let rows = table.rows(of: TableSource(trace))
    return (0..<rows.count).map { row in indexes.map { rows[row, $0] } }
  }

  @Test("an allocation tells what it was, what it stands for, and what became of it")
  func allocations() throws {
    var made = MemoryTrace()
    let stack = made.sampled.stack(["main", "load()", "libFoundation.so!decode", "libswiftCore.so!swift_slowAlloc"])
    let freed = made.allocate(500, at: 20, in: stack, thread: 3)
    made.free(freed, at: 30)
    made.allocate(1000, at: 40, in: stack, type: "Photos.Item")
    made.sampled.add("50 t9 resized a2 size=4000")
    let found = try rows(
      "allocations",
      [
        "time", "thread", "size", "bytes", "count", "variance", "live_bytes", "freed", "call", "type", "function",
        "work",
      ],
      of: made.trace())
    #expect(
      found == [
        [
          .integer(20_000_000), .integer(3), .integer(500), .real(500), .real(1), .real(0), .real(0),
          .integer(30_000_000), .text("malloc"), .null, .text("load()"), .null,
        ],
        [
          .integer(40_000_000), .integer(2), .integer(1000), .real(1000), .real(1), .real(0), .real(4000), .null,
          .text("malloc"), .text("Photos.Item"), .text("load()"), .null,
        ],
      ])
  }

  @Test("the sums of the table are those of the report, with the same error")
  func sums() throws {
    var made = MemoryTrace(interval: 65_536)
    let stack = made.sampled.stack(["main", "load()"])
    for index in 0..<200 {
      let block = made.allocate(1000 + index * 700, at: index * 10, in: stack)
      if index % 3 == 0 { made.free(block, at: 5000) }
    }
    let report = try #require(try made.report())
    let found = try rows("allocations", ["bytes", "count", "variance", "live_bytes"], of: made.trace())
    func sum(_ column: Int) -> Double {
      found.reduce(0) { sum, row in
        guard case .real(let value) = row[column] else { return sum }
        return sum + value
      }
    }
    #expect(abs(sum(0) - report.all.allocated.bytes) < 1 && abs(sum(1) - report.all.allocated.count) < 1e-6)
    #expect(report.all.allocated.error > 0 && abs(sum(2).squareRoot() - report.all.allocated.error) < 1)
    #expect(report.all.live.bytes > 0 && abs(sum(3) - report.all.live.bytes) < 1)
  }

  @Test("what the process had in memory stands beside what lived then")
  func use() throws {
    var made = MemoryTrace()
    let stack = made.sampled.stack(["main", "load()"])
    made.look(at: 0, resident: 20_000, anonymous: 2000)
    let block = made.allocate(5000, at: 500, in: stack)
    made.look(at: 1000, resident: 30_000, anonymous: 3000, lost: 2)
    made.free(block, at: 1500)
    made.look(at: 2000, resident: 25_000, anonymous: 3000, lost: 2)
    let found = try rows("memory_use", ["time", "resident", "anonymous", "live_bytes", "lost"], of: made.trace())
    #expect(
      found == [
        [.integer(0), .integer(20_480_000), .integer(2_048_000), .real(0), .integer(0)],
        [.integer(1_000_000_000), .integer(30_720_000), .integer(3_072_000), .real(5000), .integer(2)],
        [.integer(2_000_000_000), .integer(25_600_000), .integer(3_072_000), .real(0), .integer(2)],
      ])
  }

  @Test("a trace without samples of memory has empty tables")
  func none() throws {
    let trace = TraceBuilder.build(try TraceText.parse(SampledTrace().text))
    for table in TableSet.memory.tables { #expect(table.rows(of: TableSource(trace)).count == 0, "\(table.name)") }
  }
}
