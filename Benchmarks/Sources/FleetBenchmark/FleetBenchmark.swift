import BenchmarkSupport
import Foundation

/// Ten hosts in ClickHouse: `FleetBenchmark OPTRACE PYTHON SERVER [--operations N] [--hosts N]`.
///
/// Records so many operations for each host, one of which is slow in one class; exports them as Parquet, loads them into ClickHouse's
/// engine behind its HTTP interface (SERVER, run by PYTHON), and asks it all questions. Ends with 1 where the slow host is not found.
@main
enum FleetBenchmark {
  static func main() throws {
    var arguments = Array(CommandLine.arguments.dropFirst())
    func number(_ name: String, _ usual: Int) -> Int {
      guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return usual }
      defer { arguments.removeSubrange(index...index + 1) }
      return Int(arguments[index + 1]) ?? usual
    }
    let operations = number("--operations", 1_000_000)
    let hosts = number("--hosts", 10)
    guard arguments.count == 3 else {
      FileHandle.standardError.write(
        Data("usage: FleetBenchmark OPTRACE PYTHON SERVER [--operations N] [--hosts N]\n".utf8))
      exit(64)
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("optrace-fleet-\(getpid())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let isFound = try run(
      Fleet(optrace: arguments[0], folder: folder, operations: operations, hosts: hosts), arguments[1], arguments[2])
    try FileManager.default.removeItem(atPath: folder)
    exit(isFound ? 0 : 1)
  }

  /// Whether the slow host is found.
  private static func run(_ fleet: Fleet, _ python: String, _ script: String) throws -> Bool {
    let total = Double(fleet.operations * fleet.hosts)
    let export = try fleet.record()
    var rows = [
      Row(
        "fleet", "export parquet: CPU a million operations", export / total * 1e6, "s", note: "with reading the traces")
    ]
    let server = try Server(python, script)
    defer { server.stop() }
    let load = try Child.run([
      fleet.optrace, "fleet", "load", fleet.lake, "--url", server.url, "--create", "--retention", "0",
    ])
    guard load.status == 0 else { throw Failed(what: "optrace fleet load") }
    rows.append(Row("fleet", "load of \(Int(total)) operations: wall", load.wall, "s"))
    let counted = try server.ask("SELECT count() FROM operations")
    guard counted == String(Int(total)) else { throw Failed(what: "the load, which has \(counted) operations") }
    // As merges in the background would leave them in time.
    let tables = "SELECT name FROM system.tables WHERE database = 'optrace' AND engine LIKE '%MergeTree'"
    for table in try server.ask(tables).split(separator: "\n") { _ = try server.ask("OPTIMIZE TABLE \(table) FINAL") }
    func bytes(_ condition: String) throws -> Double {
      let sum = "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = 'optrace'\(condition)"
      return (Double(try server.ask(sum)) ?? .nan) / total
    }
    rows.append(
      Row(
        "fleet", "ClickHouse: bytes an operation, without the two of load over time",
        try bytes(" AND table NOT IN ('busy_threads', 'queue_depth')"), "B", atMost: 35))
    rows.append(Row("fleet", "ClickHouse: bytes an operation", try bytes(""), "B", atMost: 35))
    var quick = 0
    for name in Self.questions {
      let begin = DispatchTime.now().uptimeNanoseconds
      _ = try server.ask("SELECT * FROM question_\(name.replacingOccurrences(of: "-", with: "_"))")
      let seconds = Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e9
      rows.append(Row("fleet", "@\(name): wall", seconds, "s"))
      if Self.measured.contains(name), seconds < 5 { quick += 1 }
    }
    rows.append(Row("fleet", "questions of fifteen that take less than 5 s", Double(quick), "", atLeast: 12))
    for row in rows { print(row.text(showsGoal: total >= 1e7)) }
    let slow = try server.ask("SELECT host, class FROM question_hosts_that_differ LIMIT 1")
    print("  the slow host: \(slow.replacingOccurrences(of: "\t", with: ", "))")
    return slow == "host-\(fleet.slow)\tScale"
  }

  private static let measured = [
    "waits-by-class", "starved-queues", "cross-queue", "slowest", "busy-threads", "queue-depth", "path-by-class",
    "never-started", "cancelled-early", "fan-in-out", "idle-slots", "thread-waits", "retries", "traces-that-differ",
    "failures",
  ]
  private static let questions =
    measured + ["slot-holders", "adders", "findings", "hosts-that-differ", "versions-that-differ", "since-when"]
}

/// The hosts, and what they recorded.
private struct Fleet {
  var optrace: String
  var folder: String
  var operations: Int
  var hosts: Int

  var lake: String { folder + "/lake" }
  /// Which host is slow.
  var slow: Int { hosts / 2 + 1 }

  /// Seconds of CPU that exporting took.
  func record() throws -> Double {
    let makeTrace = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("MakeTrace").path
    var seconds = 0.0
    for host in 1...hosts {
      let trace = folder + "/host.optrace"
      let spin = host == slow ? ["2000"] : []
      guard try Child.run([makeTrace, "\(operations)", trace, "pipeline"] + spin).status == 0 else {
        throw Failed(what: "MakeTrace")
      }
      let export = try Child.run([optrace, "export", trace, "-o", "\(lake)/host=host-\(host)/version=1.0"])
      guard export.status == 0 else { throw Failed(what: "optrace export") }
      seconds += export.cpu
      try FileManager.default.removeItem(atPath: trace)
    }
    return seconds
  }
}

/// ClickHouse's engine in a program of its own, which ends with its standard input.
private final class Server {
  let url: String
  private let process = Process()
  private let input = Pipe()

  init(_ python: String, _ script: String) throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: python)
    process.arguments = [script]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    var text = ""
    while !text.hasSuffix("\n") {
      let piece = output.fileHandleForReading.availableData
      if piece.isEmpty { throw Failed(what: "the server") }
      text += String(decoding: piece, as: UTF8.self)
    }
    url = "http://127.0.0.1:" + text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  func ask(_ query: String) throws -> String {
    let child = try Child.run(
      ["curl", "-sS", "--fail-with-body", "--data-raw", query, url + "/?database=optrace"], keepsOutput: true)
    let text = String(decoding: child.output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    guard child.status == 0 else { throw Failed(what: "\(query): \(text)") }
    return text
  }

  func stop() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
