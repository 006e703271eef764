import Foundation
import OpTraceTables
import TestSupport
import Testing

@testable import optrace_cli

/// DuckDB, ClickHouse's engine, pyarrow, OpenTelemetry's definitions and a collector read the exports.
/// scripts/setup-python installs them.
@Suite("Exports in other programs", .ownThread)
struct EngineTests {
  private let folder: Scratch
  private let traces: [String]

  /// Every golden trace, each with its own process id; one with hostile names; one with long names; and recorded ones.
  init() throws {
    folder = try Scratch()
    let golden = Repository.folder.appending(path: "Tests/OpTraceModelTests/Golden")
    var traces: [String] = []
    let names = try FileManager.default.contentsOfDirectory(atPath: golden.path).filter { $0.hasSuffix(".txt") }
    for (number, name) in names.sorted().enumerated() {
      let text = try String(contentsOf: golden.appending(path: name), encoding: .utf8)
      let own = text.replacingOccurrences(
        of: #"(?m)^process \d+ "#, with: "process \(1000 + number) ", options: .regularExpression)
      traces.append(try folder.write(name, Array(own.utf8)))
    }
    traces.append(try folder.write("hostile.txt", Array(Self.hostile.utf8)))
    traces.append(try folder.write("wide.txt", Array(Self.wide.utf8)))
    traces.append(Repository.folder.appending(path: "Tests/OpTracePackedTests/Golden/chain-10000.optracez").path)
    traces.append(Repository.folder.appending(path: "traces/photo-import.optrace").path)
    self.traces = traces
  }

  /// Names that fill several pages of a Parquet file, and times that are far apart.
  private static var wide: String {
    var typed = TypedTrace()
    typed.processID = 2
    var lines: [String] = []
    for number in 1...100 {
      let name = String(repeating: "né\(number)", count: number % 3 * 3000)
      lines += [
        "\(number * number) t1 created #\(number) class=\"C\"", "\(number << 40) t1 named #\(number) \"\(name)\"",
      ]
    }
    return typed.text(lines.joined(separator: "\n"), in: .nanoseconds)
  }

  private static var hostile: String {
    var lines = ["0 t1 queue q1 limit=2 \(quoted(Zoo.hostileNames[0]))"]
    for (number, name) in Zoo.hostileNames.enumerated() {
      let (id, at) = (number + 1, number * 10)
      lines += [
        "\(at) t1 created #\(id) class=\(quoted(name))", "\(at) t1 named #\(id) \(quoted(name))",
        "\(at) t1 enqueued #\(id) queue=q1 priority=0", "\(at) t1 ready #\(id)", "\(at) t2 started #\(id)",
        "\(at) t2 began #\(id)", "\(at + 5) t2 mark #\(id) \(quoted(name))", "\(at + 9) t2 ended #\(id)",
        "\(at + 9) t2 finished #\(id)", "\(at + 9) t2 start-returned #\(id)",
      ]
    }
    return TypedTrace().text(lines.joined(separator: "\n"), in: .milliseconds)
  }

  private static func quoted(_ name: String) -> String {
    var text = "\""
    for scalar in name.unicodeScalars {
      if scalar.isASCII, scalar.value >= 0x20, scalar.value < 0x7F, scalar != "\"", scalar != "\\" {
        text.unicodeScalars.append(scalar)
      } else {
        text += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return text + "\""
  }

  private func export(_ format: String) throws {
    let result = try Command.run(
      arguments: ["export", "-o", folder.path(format), "--format", format] + traces)
    // Some golden traces say that they are damaged.
    #expect([0, 65].contains(result.status), "\(result.errors)")
    #expect(result.output.split(separator: "\n").count == traces.count, "\(result.output)")
  }

  private func python(_ script: String, _ arguments: String...) throws -> ProgramResult {
    let program = Repository.folder.appending(path: "Tests/Engines/\(script)").path
    return try RunningProgram.run(try Engines.python, [program] + arguments)
  }

  @Test("all tables are the same in SQLite, pyarrow, DuckDB and ClickHouse, cell by cell")
  func tables() throws {
    for format in ["sqlite", "parquet", "csv"] { try export(format) }
    let result = try python("compare.py", folder.path("sqlite"), folder.path("parquet"), folder.path("csv"))
    #expect(result.status == 0, "\(result.errors)")
    let tables = TableSet.command.tables.count
    #expect(result.output == "\(tables * 5) comparisons of \(tables) tables, 0 differences\n")
  }

  @Test("OpenTelemetry's definitions accept every line, and a collector takes all spans")
  func spans() throws {
    try export("otlp")
    let result = try python("spans.py", folder.path("otlp"))
    #expect(result.status == 0, "\(result.errors)\(result.output)")
    #expect(result.output.hasPrefix("\(traces.count) files, "))
  }
}
