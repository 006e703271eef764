import OpTraceAnalysis
import OpTraceTables
import TestSupport
import Testing

@testable import OpTraceModel
@testable import OpTraceSQL

extension TableSet {
  /// The tables of a program with all rules of the library.
  fileprivate static let all = TableSet(of: Capability.analysis)
}

@Suite("Querying a trace in SQL")
struct TraceDatabaseTests {
  /// Two queues, one of which has one slot; "late" waits for a dependency and for it.
  static func trace() -> Trace {
    var make = HandmadeTrace()
    let net = make.queue("net", limit: 1)
    let disk = make.queue("disk")
    let first = make.operation("load 1", on: net, began: 1, ended: 5)
    make.operation("load 2", on: net, thread: 3, ready: 0, began: 5, ended: 9)
    let store = make.operation("store", on: disk, after: [first], ready: 5, began: 6, ended: 7, error: "no room")
    make.operation("late", on: net, after: [store])
    make.operation(nil)
    make.operation("never", on: disk, cancelled: 4)
    return make.trace
  }

  static func rows(_ query: String, of traces: [Trace] = [trace()], timeout: Double? = nil) throws -> [[TableValue]] {
    var rows: [[TableValue]] = []
    try TraceDatabase(traces.map { TableSource($0) }, as: .all).run(
      query, timeout: timeout, columns: { _ in }, row: { rows.append($0) })
    return rows
  }

  static func text(_ query: String, of traces: [Trace] = [trace()]) throws -> [String] {
    try rows(query, of: traces).map { row in
      row.map { value in
        switch value {
        case .null: "null"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): text
        case .blob(let bytes): "\(bytes)"
        }
      }.joined(separator: " | ")
    }
  }

  @Test("tasks have their waits for actors, and who resumed them")
  func actors() throws {
    let traces = [try GoldenTrace.actors()]
    #expect(
      try Self.text("SELECT task, actor, class, queued, began, by_kind, by FROM actor_waits", of: traces) == [
        "1 | 1 | Printer | 3100 | 40000 | task | 1", "1 | 2 | null | 62100 | 70000 | task | 3",
        "1 | null | Printer | 140100 | 150000 | task | 1", "2 | 1 | Printer | 2100 | 20000 | task | 1",
        "4 | 1 | Printer | 170100 | null | null | null",
      ])
    #expect(
      try Self.text("SELECT reason, resumed, how, resumer, ended FROM suspensions", of: traces) == [
        "executor | null | null | 1 | 40000", "continuation | 62000 | value | 3 | 70000",
        "continuation | 90000 | error | null | 100000", "continuation | 110000 | throwing | 1 | 120100",
        "executor | null | null | 1 | 150000", "continuation | null | null | null | null",
      ])
  }

  @Test("blocks and tasks have a state, and it is unknown if a ring lost their end")
  func states() throws {
    let tasks = try Self.text(
      "SELECT id, state, completed IS NULL FROM tasks ORDER BY id", of: [GoldenTrace.actors()])
    #expect(
      Set(tasks.map { $0.split(separator: " ")[2] }).isSubset(of: ["waiting", "running", "suspended", "completed"]))
    #expect(tasks.allSatisfy { $0.contains("completed") != $0.hasSuffix("1") }, "\(tasks)")
    #expect(
      try Self.text("SELECT id, state FROM tasks WHERE completed IS NULL", of: [GoldenTrace.actors()]) == [
        "1 | suspended", "4 | waiting",
      ])
    var events = try TraceText.parse(
      TypedTrace().text(
        """
        0 t1 dispatch-queue d1 width=1 "d"
        10 t1 task #1 priority=21 enqueued
        20 t2 task-run #1
        12 t1 submitted #3 queue=d1
        30 t3 run #3
        900 t1 task #5 priority=21 enqueued
        """, in: .microseconds))
    events.ring = (500_000, [])
    let lost = TraceBuilder.build(events)
    #expect(
      try Self.text("SELECT id, state, running FROM tasks", of: [lost]) == ["1 | unknown | 0", "5 | waiting | 0"])
    #expect(try Self.text("SELECT id, state FROM blocks", of: [lost]) == ["3 | unknown"])
  }

  @Test("samples have their work, thread and stack")
  func samples() throws {
    let traces = [TraceBuilder.build(try TraceText.parse(SampledTrace.photos().text))]
    #expect(
      try Self.text(
        "SELECT work_kind, work, count(*), sum(weight) FROM samples GROUP BY 1, 2 ORDER BY 1, 2", of: traces) == [
          "null | null | 5 | 5000000", "block | 2 | 4 | 4000000", "operation | 1 | 8 | 8000000",
          "task | 3 | 3 | 3000000",
        ])
    #expect(
      try Self.text("SELECT time, thread, weight FROM samples WHERE work IS NULL AND thread = 2", of: traces) == [
        "60000000 | 2 | 1000000"
      ])
    #expect(
      try Self.text(
        "SELECT count(DISTINCT samples.stack) FROM samples JOIN stacks ON stacks.stack = samples.stack", of: traces)
        == ["6"])
  }

  @Test("every table has the rows and columns of the model, cell by cell")
  func cells() throws {
    let source = TableSource(Self.trace())
    for table in TableSet.all.tables {
      let rows = table.rows(of: source)
      let found = try Self.rows("SELECT * FROM \(table.name)")
      #expect(found.count == rows.count, "\(table.name)")
      #expect(table.columns.first?.name == "trace")
      for (number, row) in found.enumerated() {
        for (column, value) in row.enumerated() {
          #expect(value == rows[number, column], "\(table.name) \(table.columns[column].name) \(number)")
        }
      }
    }
  }

  @Test("the columns of operations are a contract")
  func operations() throws {
    #expect(
      TableSet.all["operations"]?.columns.map(\.name) == [
        "trace", "id", "name", "class", "function", "file", "line", "queue", "created", "enqueued", "ready", "started",
        "began", "ended", "finished", "cancelled", "released", "state", "thread", "enqueued_thread", "held_by",
        "held_by_kind", "wait_dependencies", "wait_slot", "running", "cpu", "wait_thread",
      ])
    #expect(
      try Self.text(
        "SELECT id, name, queue, enqueued, began, finished, state, thread, held_by, held_by_kind FROM operations")
        == [
          "1 | load 1 | 1 | 0 | 1000000 | 5000000 | finished | 2 | null | null",
          "2 | load 2 | 1 | 0 | 5000000 | 9000000 | finished | 3 | 1 | operation",
          "3 | store | 2 | 0 | 6000000 | 7000000 | failed | 2 | null | null",
          "4 | late | 1 | 0 | null | null | pending | null | null | null",
          "5 | Step | null | null | null | null | pending | null | null | null",
          "6 | never | 2 | 0 | null | null | pending | null | null | null",
        ])
    #expect(
      try Self.text(
        "SELECT wait_dependencies, wait_slot, wait_thread, running, cancelled FROM operations WHERE id IN (2, 3, 5, 6)")
        == [
          "0 | 4000000 | 1000000 | 4000000 | null", "5000000 | 0 | 1000000 | 1000000 | null",
          "null | null | null | null | null", "9000000 | 0 | 0 | null | 4000000",
        ])
  }

  @Test("a lookup by number finds its rows, whatever the type of its bounds")
  func bounds() throws {
    let all = try Self.rows("SELECT id FROM operations").map { $0[0] }
    for (condition, expected) in [
      ("id = 3", [3]), ("id = 3.0", [3]), ("id = '3'", [3]), ("id = 3.5", []), ("id = NULL", []), ("id > 4", [5, 6]),
      ("id >= 4.5", [5, 6]), ("id < 3 AND id > 1", [2]), ("id BETWEEN 2 AND 4", [2, 3, 4]), ("id > 6", []),
      ("id < 1", []),
      ("id = 9223372036854775807", []), ("id > 'x'", []), ("id IN (6, 1)", [1, 6]), ("+id = 3", [3]),
    ] as [(String, [Int64])] {
      let found = try Self.rows("SELECT id FROM operations WHERE \(condition) ORDER BY id").map { $0[0] }
      #expect(found == expected.map { .integer($0) }, "\(condition)")
    }
    #expect(try Self.rows("SELECT id FROM operations ORDER BY id DESC").map { $0[0] } == all.reversed())
    #expect(try Self.text("SELECT dependency FROM dependencies WHERE operation = 4") == ["3"])
  }

  @Test("tables have the rows of all traces, each with its trace's name")
  func several() throws {
    var other = Self.trace()
    other.header.startMonotonic = 7
    let counts = try Self.text("SELECT count(*), count(DISTINCT trace) FROM operations", of: [Self.trace(), other])
    #expect(counts == ["12 | 2"])
    #expect(
      try Self.text("SELECT name FROM operations WHERE id = 3 ORDER BY trace", of: [Self.trace(), other]).count == 2)
    #expect(TableSource(other).hash != TableSource(Self.trace()).hash)
    #expect(TableSource(other).hash.count == 16)
  }

  @Test("the tables of load have busy threads and depths of queues over time")
  func load() throws {
    #expect(
      try Self.text("SELECT time, threads FROM busy_threads") == [
        "1000000 | 1", "6000000 | 2", "7000000 | 1", "9000000 | 0",
      ])
    #expect(
      try Self.text("SELECT time, pending, ready, executing FROM queue_depth WHERE queue = 1") == [
        "0 | 2 | 1 | 0", "1000000 | 1 | 1 | 1", "5000000 | 1 | 0 | 1", "9000000 | 1 | 0 | 0",
      ])
  }

  @Test("intervals of load have no gaps, up to the end of the trace")
  func intervals() throws {
    #expect(
      try Self.text("SELECT sum(until - time), min(time), max(until) FROM busy_threads") == [
        "8000000 | 1000000 | 9000000"
      ])
    #expect(
      try Self.text("SELECT queue, sum(until - time), max(until) FROM queue_depth GROUP BY queue") == [
        "1 | 9000000 | 9000000", "2 | 9000000 | 9000000",
      ])
  }

  @Test("the views runs and transitions have the work and states of operations")
  func views() throws {
    #expect(
      try Self.text("SELECT kind, work, thread, began FROM runs ORDER BY began") == [
        "operation | 1 | 2 | 1000000", "operation | 2 | 3 | 5000000", "operation | 3 | 2 | 6000000",
      ])
    #expect(
      try Self.text("SELECT transition FROM transitions WHERE operation = 3 ORDER BY time") == [
        "enqueued", "ready", "started", "began", "ended", "finished",
      ])
  }

  @Test("percentiles are by nearest rank, so each is one of the values")
  func percentiles() throws {
    let values = "WITH v(x) AS (VALUES (3), (1), (2), (NULL), (10))"
    #expect(
      try Self.text("\(values) SELECT p50(x), p90(x), p99(x), median(x), p75(x) FROM v") == ["2 | 10 | 10 | 2 | 3"])
    #expect(try Self.text("\(values) SELECT p50(x) FROM v WHERE x > 100") == ["null"])
    #expect(try Self.text("SELECT p50(1.5), p50('x'), p50('7')") == ["1.5 | null | 7"])
    // Integers that a Double cannot represent.
    #expect(
      try Self.text("SELECT p50(9007199254740993), p99(1795241200452905504)")
        == ["9007199254740993 | 1795241200452905504"])
    #expect(try Self.text("WITH v(x) AS (VALUES (3), (1.5), (2)) SELECT p50(x), p99(x) FROM v") == ["2.0 | 3.0"])
    #expect(
      try Self.text("SELECT name_pattern('tile 7' || char(0) || ' x 9') = 'tile #' || char(0) || ' x #'") == ["1"])
    for count in 1...40 {
      let list = (1...count).map { "(\($0))" }.joined(separator: ",")
      let rank = (count * 95 + 99) / 100
      #expect(try Self.text("WITH v(x) AS (VALUES \(list)) SELECT p95(x) FROM v") == ["\(rank)"])
    }
    #expect(try Self.text("SELECT name_pattern('tile 17 of 20'), name_pattern(NULL)") == ["tile # of # | null"])
  }

  @Test(
    "statements that write are refused",
    arguments: [
      "DELETE FROM operations", "UPDATE operations SET name = 'x'", "INSERT INTO marks VALUES (1, 2, 3, 4, 5)",
      "CREATE TABLE x(a)", "CREATE TEMP TABLE x AS SELECT 1", "DROP VIEW runs", "ATTACH '/tmp/x.db' AS x",
      "PRAGMA journal_mode = WAL", "SELECT load_extension('x')", "BEGIN", "VACUUM INTO '/tmp/x.db'",
    ])
  func readOnly(_ query: String) {
    let error = #expect(throws: SQLError.self) { try Self.rows(query) }
    let isRefused = error?.message == "a trace is only read here: no query may change anything"
    #expect(isRefused || query.hasPrefix("BEGIN"), "\(query): \(String(describing: error))")
  }

  @Test("an error in a query has its offset and the unknown name")
  func errors() {
    let column = #expect(throws: SQLError.self) { try Self.rows("SELECT id, o.nmae FROM operations o") }
    #expect(column == SQLError(.query, "no such column: o.nmae", offset: 11))
    #expect(column?.unknownName == "nmae")
    let table = #expect(throws: SQLError.self) { try Self.rows("SELECT * FROM operation") }
    #expect(table?.unknownName == "operation")
    let syntax = #expect(throws: SQLError.self) { try Self.rows("SELECT FROM") }
    #expect(syntax?.offset == 7)
    #expect(#expect(throws: SQLError.self) { try Self.rows("  -- nothing\n") }?.message == "there is no query")
    #expect(#expect(throws: SQLError.self) { try Self.rows("SELECT 1; SELECT 2") }?.reason == .query)
    #expect(throws: Never.self) { try Self.rows("SELECT 1; -- done\n ") }
  }

  @Test("a query that never ends is stopped")
  func timeout() {
    let endless = "WITH RECURSIVE c(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM c) SELECT sum(x) FROM c"
    let error = #expect(throws: SQLError.self) { try Self.rows(endless, timeout: 0.05) }
    #expect(error?.reason == .timeout)
  }

  @Test("the caller can end a running query")
  func ended() {
    let endless = "WITH RECURSIVE c(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM c) SELECT sum(x) FROM c"
    let error = #expect(throws: SQLError.self) {
      try TraceDatabase([TableSource(Self.trace())], as: .all).run(
        endless, isOver: { true }, columns: { _ in }, row: { _ in })
    }
    #expect(error == .interrupted)
  }

  @Test("an unknown name in double quotes is an error, not text, in each version of SQLite")
  func quotedNames() {
    let error = #expect(throws: SQLError.self) { try Self.rows("SELECT \"nmae\" FROM operations") }
    #expect(error?.unknownName == "nmae")
    #expect(
      SQLError(.query, "no such column: \"o.nmae\" - should this be a string literal in single-quotes?").unknownName
        == "nmae")
  }

  /// The rows of an answer, with bars between cells.
  private static func answer(_ question: String, _ columns: String, of traces: Trace...) throws -> [String] {
    let query = try #require(TableSet.all.question(named: question)).query
    return try text("SELECT \(columns) FROM (\(query))", of: traces)
  }

  @Test("the time of unfinished work lasts up to the end of the trace")
  func unfinished() throws {
    var make = HandmadeTrace(end: 100)
    let (net, disk) = (make.queue("net"), make.queue("disk"))
    let stuck = make.operation("stuck", on: net, began: 10)
    make.operation("behind", on: disk, after: [stuck])
    for number in 0..<20 { make.operation("quick \(number)", on: net, began: 1, ended: 2) }
    #expect(
      try Self.answer("slowest", "name, state, took", of: make.trace) == [
        "stuck | executing | 100000000", "behind | pending | 100000000",
      ])
    #expect(
      try Self.answer("cross-queue", "queue, waits_for, dependencies, until_finished", of: make.trace)
        == ["disk | net | 1 | 100000000"])
  }

  @Test("a removed dependency counts as a wait up to its removal, but not as fan-in")
  func removed() throws {
    var make = HandmadeTrace(end: 100)
    let (net, disk) = (make.queue("net"), make.queue("disk"))
    let first = make.operation("first", on: net, began: 10, ended: 90)
    let second = make.operation("second", on: disk, after: [first], began: 31, ended: 40)
    make[second].dependencies[0].removed = 30_000_000
    #expect(try Self.answer("cross-queue", "dependencies, until_finished", of: make.trace) == ["1 | 30000000"])
    #expect(try Self.answer("fan-in-out", "name", of: make.trace) == [])
  }

  @Test("a trace is compared only with the other traces")
  func elsewhere() throws {
    func trace(_ process: UInt32, _ milliseconds: Double) -> Trace {
      var make = HandmadeTrace(end: 100)
      let queue = make.queue("work")
      make.operation("a", on: queue, began: 0, ended: milliseconds)
      var trace = make.trace
      trace.header.processID = process
      return trace
    }
    #expect(
      try Self.answer("traces-that-differ", "running, usual, times", of: trace(1, 40), trace(2, 10), trace(3, 10))
        == ["40000000.0 | 10000000.0 | 4.0", "10000000.0 | 25000000.0 | 0.4", "10000000.0 | 25000000.0 | 0.4"])
    #expect(try Self.answer("traces-that-differ", "times", of: trace(1, 40)) == ["null"])
  }

  @Test("a sink that throws ends the query")
  func sink() throws {
    struct Full: Error {}
    #expect(throws: Full.self) {
      try TraceDatabase([TableSource(Self.trace())], as: .all).run(
        "SELECT * FROM operations", columns: { _ in }, row: { _ in throw Full() })
    }
  }

  @Test("hostile names stay text")
  func hostile() throws {
    var make = HandmadeTrace()
    let queue = make.queue("q'); DROP TABLE x; --")
    for name in ["", "a\u{0}b", "'\"`;--", "=1+1", "\u{1F600}\u{202E}"] {
      make.operation(name, on: queue, began: 1, ended: 2)
    }
    let names = try Self.rows("SELECT name FROM operations", of: [make.trace]).map { $0[0] }
    #expect(names == [.text(""), .text("a\u{0}b"), .text("'\"`;--"), .text("=1+1"), .text("\u{1F600}\u{202E}")])
  }

  @Test("every built-in question has an answer", arguments: TableSet.all.questions.map(\.name))
  func questions(_ name: String) throws {
    let question = try #require(TableSet.all.question(named: name))
    var columns: [String] = []
    try TraceDatabase([TableSource(Self.trace())], as: .all).run(
      question.query, columns: { columns = $0 }, row: { _ in })
    #expect(columns.count > 1)
    #expect(Set(columns).count == columns.count)
    // An empty trace must not fail either.
    #expect(throws: Never.self) { try Self.rows(question.query, of: [HandmadeTrace().trace]) }
  }

  @Test("there are at least fifteen questions with different names")
  func questionNames() {
    #expect(TableSet.all.questions.count >= 15)
    #expect(Set(TableSet.all.questions.map(\.name)).count == TableSet.all.questions.count)
  }
}
