package import OpTraceTables

/// OpTrace's tables in ClickHouse: those of every export, one row after the other of many traces, with what distinguishes hosts and versions
/// apart (https://clickhouse.com/docs/sql-reference/statements/create/table).
///
/// Rows are sorted by trace first, and those with equal keys are one after a merge. Each table has the day on which its trace began:
/// it is kept by that day, and dropped by the week.
package struct ClickHouseSchema: Sendable {
  /// What is made where one is made at all.
  package var database = "optrace"
  /// Days after which a trace goes; nil: never.
  package var retention: Int? = 90
  /// For several nodes: each statement runs on this cluster, and tables are copies of each other.
  package var cluster: String?

  private let tables: TableSet

  /// With the defaults of `optrace fleet schema`.
  /// - Parameter tables: what an export has.
  package init(of tables: TableSet) { self.tables = tables }

  /// Rises with the tables' columns or with what the fleet's own mean.
  package static let version = 2

  /// A database's name that needs no quotes.
  package static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 64 && text.utf8.allSatisfy { $0 == 0x5F || $0.isLetter || $0.isDigit }
      && text.utf8.first?.isDigit == false
  }

  /// All statements, in an order in which they can be run one by one with the database chosen; each does nothing where it has run
  /// before, or makes it anew where it holds no rows.
  package var statements: [String] {
    [facts, loads] + tables.tables.map { table($0) } + ClickHouseDialect.functions.map { function($0.name, $0.body) }
      + tables.views.map { view($0.name, $0.meaning, $0.query) }
      + [view("operations_at", "operations with the times of the wall clock, as their hosts had them", Self.wallTimes)]
      + (tables.questions + FleetQuestion.all).map {
        view("question_" + ClickHouseDialect.identifier($0.name), $0.text, ClickHouseDialect.query($0))
      }
  }

  /// Makes the database itself.
  package var databaseStatement: String { "CREATE DATABASE IF NOT EXISTS \(database)\(onCluster)" }

  /// For `clickhouse-client`, with a word on each part.
  package var script: String {
    let head = """
      -- OpTrace's tables, version \(Self.version). Run it with: clickhouse-client --multiquery
      -- Running it again changes nothing that has rows.
      \(databaseStatement);
      USE \(database);
      """
    return ([head] + statements.map { $0 + ";" }).joined(separator: "\n\n") + "\n"
  }

  private var onCluster: String { cluster.map { " ON CLUSTER \($0)" } ?? "" }

  // MARK: Tables

  /// What `load` asks before it sends anything. Where tables are there already it stays what they are.
  private var facts: String {
    """
    CREATE VIEW IF NOT EXISTS \(database).schema_version\(onCluster) AS SELECT toUInt32(\(Self.version)) AS version
    """
  }

  private var engine: String { cluster == nil ? "ReplacingMergeTree" : "ReplicatedReplacingMergeTree" }
  /// How many insertions the server knows again.
  private var window: String {
    (cluster == nil ? "non_replicated" : "replicated") + "_deduplication_window = 100000"
  }

  /// Of use while something is loaded, and no longer than a trace.
  private var loads: String {
    """
    -- loads that were begun, including unfinished ones
    CREATE TABLE IF NOT EXISTS \(database).loads\(onCluster) (
      trace LowCardinality(String), content FixedString(16), generation UInt32, at DateTime DEFAULT now()
    ) ENGINE = \(engine) ORDER BY (trace, generation)\(retention.map { "\nTTL at + INTERVAL \($0) DAY" } ?? "")
    SETTINGS \(window)
    """
  }

  private func table(_ table: TraceTable) -> String {
    var columns = [
      "  trace LowCardinality(String) COMMENT 'the trace''s hash, the same in all tables'",
      "  day Date CODEC(DoubleDelta, ZSTD(1)) COMMENT 'the day on which the trace began, by its host''s clock'",
    ]
    let keys = ClickHouseKeys.columns(of: table)
    for column in table.columns.dropFirst() {
      let type = ClickHouseKeys.type(of: column, isKey: keys.contains(column.name))
      columns.append(
        "  \(ClickHouseDialect.quoted(column.name)) \(type) \(ClickHouseKeys.codec(of: column, in: table)) COMMENT \(ClickHouseDialect.text(column.meaning))"
      )
    }
    if table.isNumbered {
      columns.append(
        "  `\(ClickHouseKeys.row)` UInt32 CODEC(DoubleDelta, ZSTD(1)) COMMENT 'the row''s number within the trace'")
    }
    if table.name == "traces" { columns += Self.fleetColumns }
    return """
      -- \(table.meaning)
      CREATE TABLE IF NOT EXISTS \(database).\(table.name)\(onCluster) (
      \(columns.joined(separator: ",\n"))
      ) ENGINE = \(engine)
      PARTITION BY toMonday(day) ORDER BY (\((["trace"] + keys).map(ClickHouseDialect.quoted).joined(separator: ", ")))\(timeToLive)
      SETTINGS \(window), ttl_only_drop_parts = 1
      COMMENT \(ClickHouseDialect.text(table.meaning))
      """
  }

  private var timeToLive: String { retention.map { "\nTTL day + INTERVAL \($0) DAY" } ?? "" }

  /// What a trace itself does not know.
  private static let fleetColumns = [
    "  host LowCardinality(String) COMMENT 'the host, from --label host=… or a folder host=…'",
    "  version LowCardinality(String) COMMENT 'the program''s version, from --label version=… or a folder version=…'",
    "  labels Map(LowCardinality(String), String) COMMENT 'all other labels'",
    "  content FixedString(16) COMMENT 'a checksum of the trace''s content'",
    "  loaded DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'when it was loaded, by the server''s clock'",
  ]

  // MARK: Views and functions

  private func view(_ name: String, _ meaning: String, _ query: String) -> String {
    "-- \(meaning)\nCREATE OR REPLACE VIEW \(database).\(name)\(onCluster) AS\n\(query)"
  }

  private func function(_ name: String, _ body: String) -> String {
    "CREATE OR REPLACE FUNCTION \(name)\(onCluster) AS (x) -> \(body)"
  }

  private static let wallTimes = """
    SELECT t.host AS host, t.version AS version, t.program AS program, o.*,
      fromUnixTimestamp64Nano(assumeNotNull(t.started_at) + assumeNotNull(o.enqueued)) AS enqueued_at,
      if(o.finished IS NULL, NULL, fromUnixTimestamp64Nano(assumeNotNull(t.started_at) + assumeNotNull(o.finished))) AS finished_at
    FROM operations o JOIN traces t ON t.trace = o.trace WHERE o.enqueued IS NOT NULL
    """
}

extension UInt8 {
  fileprivate var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }
  fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
}

/// What identifies the rows of a table, and how their columns lie on the disk.
enum ClickHouseKeys {
  /// A column that only ClickHouse has: the row's number in its trace's part of the table, from 0.
  static let row = "row"

  /// Columns whose neighbours have little to do with each other.
  private static let scattered: Set = [
    "wait_dependencies", "wait_slot", "wait_thread", "running", "duration", "cpu", "thread", "queue", "line", "target",
    "pending",
    "executing", "threads", "enqueued_thread", "signal_thread", "priority", "pid", "system_id",
  ]

  /// Behind `trace`.
  static func columns(of table: TraceTable) -> [String] { table.key + (table.isNumbered ? [row] : []) }

  static func type(of column: TraceTable.Column, isKey: Bool) -> String {
    switch column.type {
    case .integer: isKey ? "Int64" : "Nullable(Int64)"
    case .real: "Nullable(Float64)"
    case .text: isKey ? "LowCardinality(String)" : "LowCardinality(Nullable(String))"
    }
  }

  static func codec(of column: TraceTable.Column, in table: TraceTable) -> String {
    switch column.type {
    case .integer where columns(of: table).first == column.name && column.name != "time":
      "CODEC(DoubleDelta, ZSTD(1))"
    case .integer where scattered.contains(column.name) && !(table.name == "queue_depth" && column.name == "queue"):
      "CODEC(T64, ZSTD(1))"
    case .integer: "CODEC(Delta(8), ZSTD(1))"
    case .real, .text: "CODEC(ZSTD(1))"
    }
  }
}

/// What ClickHouse says otherwise than SQLite.
package enum ClickHouseDialect {
  /// Functions of SQLite's that the questions call, by the same names.
  static let functions: [(name: String, body: String)] =
    [("p50", "0.5"), ("p75", "0.75"), ("p90", "0.9"), ("p95", "0.95"), ("p99", "0.99"), ("p999", "0.999")].map {
      // By the nearest rank: the engine takes the value behind so many, the rank is the value up to so many.
      ($0.0, "quantileExact(\(less($0.1)))(x)")
    } + [("name_pattern", namePattern)]

  private static func less(_ share: String) -> String {
    // 0.99 as 0.989999999999.
    let digits = share.dropFirst(2)
    let whole = (Int(digits) ?? 0) * tenTo(12 - digits.count) - 1
    let text = String(whole)
    return "0." + String(repeating: "0", count: 12 - text.count) + text
  }

  private static func tenTo(_ power: Int) -> Int { (0..<power).reduce(1) { product, _ in product * 10 } }

  /// Words, and what is between them; numbers, checksums, addresses and UUIDs become a mark.
  private static let namePattern = """
    replaceRegexpAll(arrayStringConcat(arrayMap(\
    w -> if(match(w, '^(0x[0-9a-fA-F]+|[0-9a-fA-F]{8}-[-0-9a-fA-F]{27}|[0-9a-fA-F]{8,})$') AND match(w, '[0-9]'), '#', \
    replaceRegexpAll(w, '[0-9]+', '#')), \
    extractAll(assumeNotNull(x), \
    '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}|[0-9A-Za-z]+|[^0-9A-Za-z]+'))), '#+', '#')
    """

  /// A question's text as ClickHouse runs it: outer joins leave null where there is nothing, as everywhere else.
  package static func query(_ question: Question) -> String { question.query + "\nSETTINGS join_use_nulls = 1" }

  /// `waits-by-class` as `waits_by_class`.
  package static func identifier(_ name: String) -> String { name.replacing("-", with: "_") }

  static func quoted(_ name: String) -> String { "`\(name)`" }

  /// Quoted, for a statement.
  package static func text(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}
