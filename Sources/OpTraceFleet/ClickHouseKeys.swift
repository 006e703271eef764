import OpTraceTables

/// By what rows of a table are told apart, and how their columns lie on the disk.
enum ClickHouseKeys {
  /// A column that only ClickHouse has: the row's number in its trace's part of the table, from 0.
  static let place = "row"

  /// Behind `trace`. A table that is not here is told apart by its `id`. Where the clock alone tells rows apart, and two may come at
  /// one moment, their place in the trace stands last.
  private static let keys: [String: [String]] = [
    "traces": [],
    "dependencies": ["operation", "dependency", "added", place],
    "queue_changes": ["queue", "time", place],
    "waits": ["thread", "began", place],
    "spans": ["thread", "began", place],
    "span_work": ["work"],
    "marks": ["thread", "time", place],
    "stacks": ["stack", "depth"],
    "critical_path": ["step"],
    "finding_operations": ["finding", "operation", place],
    "busy_threads": ["time"],
    "queue_depth": ["queue", "time"],
  ]

  /// Columns whose neighbours have little to do with each other.
  private static let scattered: Set = [
    "wait_dependencies", "wait_slot", "running", "duration", "cpu", "thread", "queue", "line", "target", "pending",
    "executing", "threads", "enqueued_thread", "signal_thread", "priority", "pid", "system_id",
  ]

  static func columns(of table: TraceTable) -> [String] { keys[table.name] ?? ["id"] }
  static func hasPlace(_ table: TraceTable) -> Bool { columns(of: table).last == place }

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
