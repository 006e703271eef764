import BenchmarkSupport
import Foundation

/// What asking a trace in SQL takes, and handing it over.
enum Tables {
  /// The fifteen that are measured against a goal; there are more.
  private static let questions = [
    "waits-by-class", "starved-queues", "cross-queue", "slowest", "busy-threads", "queue-depth", "path-by-class",
    "never-started", "cancelled-early", "fan-in-out", "idle-slots", "thread-waits", "retries", "traces-that-differ",
    "failures",
  ]

  static func run(_ context: Context) throws -> [Row] {
    let count = context.amount(1_000_000, short: 10_000)
    let trace = try context.trace(count, "pipeline")
    let rounds = context.isShort ? 1 : 3
    let nothing = "SELECT id FROM operations LIMIT 1"
    let asked = try interleaved([nothing] + questions.map { "@" + $0 }, rounds: rounds) {
      try context.run(["sql", trace, $0])
    }
    let first = asked[nothing] ?? []
    let reading = Spread(first.map(\.cpu)).median
    // Without the reading, which each of them does anew.
    let each = questions.map { Spread((asked["@" + $0] ?? []).map { $0.cpu - reading }).median }
    var rows = [
      Row("tables", "sql: first row of \(count) operations", Spread(first.map(\.wall)), "s", atMost: 1.5),
      Row(
        "tables", "sql: memory an operation", Spread(first.map { Double($0.peak) / Double(count) }), "B", atMost: 450),
      Row(
        "tables", "sql: fifteen questions, CPU", each.reduce(0, +), "s", atMost: 12, note: "without reading the trace"),
    ]
    for (format, goal) in [("parquet", 2.0), ("otlp", 4), ("csv", nil), ("sqlite", nil)] as [(String, Double?)] {
      let runs = try (0..<rounds).map { _ in
        let folder = context.file("export")
        try? FileManager.default.removeItem(atPath: folder)
        return try context.run(["export", trace, "-o", folder, "--format", format])
      }
      let cpu = Spread(runs.map { $0.cpu - reading })
      rows.append(
        Row(
          "tables", "export \(format): CPU a million operations", scaled(cpu, 1_000_000 / Double(count)), "s",
          atMost: goal,
          note: "without reading the trace"))
      let size = try bytes(context.file("export")) { _ in true }
      let goalBytes = format == "parquet" ? 40.0 : nil
      if format == "parquet" {
        let changes = try bytes(context.file("export")) { $0.contains("busy_threads/") || $0.contains("queue_depth/") }
        rows.append(
          Row(
            "tables", "export parquet: bytes an operation, without the two of load over time",
            Double(size - changes) / Double(count), "B", atMost: goalBytes))
      }
      rows.append(
        Row("tables", "export \(format): bytes an operation", Double(size) / Double(count), "B", atMost: goalBytes))
    }
    return rows
  }

  private static func scaled(_ spread: Spread, _ factor: Double) -> Spread {
    var result = spread
    (result.median, result.low, result.high) = (spread.median * factor, spread.low * factor, spread.high * factor)
    return result
  }

  /// Of the files below a folder.
  private static func bytes(_ folder: String, _ isCounted: (String) -> Bool) throws -> Int {
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return try names.filter(isCounted).reduce(0) { sum, name in
      let facts = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)
      return facts[.type] as? FileAttributeType == .typeRegular ? sum + ((facts[.size] as? Int) ?? 0) : sum
    }
  }
}
