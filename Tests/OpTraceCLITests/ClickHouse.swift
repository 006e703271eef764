import Foundation
import TestSupport
import Testing

/// A process that serves ClickHouse's engine over HTTP (Tests/Engines/clickhouse_server.py).
final class ClickHouse {
  private let program: RunningProgram
  private let port: String

  init(password: String? = nil) throws {
    program = try RunningProgram(
      try Engines.python,
      [Repository.folder.appending(path: "Tests/Engines/clickhouse_server.py").path]
        + (password.map { ["--password", $0] } ?? []),
      input: .pipe, output: .pipe, errors: .none)
    port = try #require(program.line(), "the engine does not begin")
  }

  deinit { program.kill() }

  var url: String { "http://127.0.0.1:\(port)" }

  /// Faults of the server from now on, such as `fail=503&times=2`.
  func faults(_ text: String) throws { _ = try curl(["\(url)/faults?\(text)"]) }

  /// The rows of the answer, with tabs between cells.
  func ask(_ query: String, in database: String = "optrace") throws -> [String] {
    let answer = try curl(["--data-raw", query, "\(url)/?database=\(database)"])
    return answer.split(separator: "\n").map { String($0) }
  }

  private func curl(_ arguments: [String]) throws -> String {
    let result = try RunningProgram.run(URL(fileURLWithPath: "/usr/bin/env"), ["curl", "-sS"] + arguments)
    try #require(result.status == 0, "\(result.errors)")
    return result.output
  }
}

/// The programs that read exports; scripts/setup-python installs them.
enum Engines {
  static var python: URL {
    get throws {
      let tools =
        ProcessInfo.processInfo.environment["OPTRACE_TOOLS"].map { URL(fileURLWithPath: $0) }
        ?? Repository.folder.appending(path: ".build-tools")
      let program = tools.appending(path: "bin/python3-databases")
      try #require(
        FileManager.default.isExecutableFile(atPath: program.path), "'scripts/setup test' installs what reads exports")
      return program
    }
  }
}
