import OpTraceTables

/// By what rows of a table are told apart, and how their columns lie on the disk.
enum ClickHouseKeys {
  /// Behind `trace`. A table that is not here is told apart by its `id`.
  private static let keys: [String: [String]] = [
    "traces": [],
    "dependencies": ["operation", "dependency", "added"],
    "queue_changes": ["queue", "time", "thread", "change"],
    "waits": ["thread", "began"],
    "spans": ["thread", "began", "name"],
    "span_work": ["work"],
    "marks": ["thread", "time", "name"],
    "stacks": ["stack", "depth"],
    "critical_path": ["step"],
    "finding_operations": ["finding", "operation"],
    "busy_threads": ["time"],
    "queue_depth": ["queue", "time"],
  ]

  /// Columns whose neighbours have little to do with each other.
  private static let scattered: Set = [
    "wait_dependencies", "wait_slot", "running", "duration", "cpu", "thread", "queue", "line", "target", "pending",
    "executing", "threads", "enqueued_thread", "signal_thread", "priority", "pid", "system_id",
  ]

  static func columns(of table: TraceTable) -> [String] { keys[table.name] ?? ["id"] }

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
