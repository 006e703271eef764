import Foundation
import OpTraceAnalysis
import OpTraceModel
import TestSupport
import Testing

/// A process that runs random programs, with a folder for their traces.
struct RandomProcess {
  let folder: URL
  let program: RunningProgram

  init(_ mode: String, seed: Int, count: Int) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("optrace-random-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("OPTRACE_") }
    environment["SWIFT_BACKTRACE"] = "enable=no"
    program = try RunningProgram(
      Built.program("RandomProgram"), [mode, "\(seed)", "\(count)", folder.path], environment: environment,
      errors: .inherited)
  }

  /// Runs so many programs that come to their end. Their traces are left.
  static func healthy(_ seeds: Range<Int>) throws -> RandomProcess {
    let process = try RandomProcess("healthy", seed: seeds.lowerBound, count: seeds.count)
    var last = ""
    while last != "done", let line = process.program.line() { last = line }
    process.program.kill()
    try #require(last == "done", "\(last) does not end: its trace is in \(process.folder.path)")
    return process
  }

  func trace(_ seed: Int) -> String { folder.appendingPathComponent("\(seed).optrace").path }

  /// Only when nothing went wrong: else somebody wants to look at the traces.
  func removeTraces() { try? FileManager.default.removeItem(at: folder) }
}

extension Finding {
  var line: String { "\(severity) \(code)\(isProven ? "" : " (unproven)"): \(title)" }
}
