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

  /// Runs the healthy programs of these seeds to their end, and leaves their traces.
  static func healthy(_ seeds: Range<Int>) throws -> RandomProcess {
    let process = try RandomProcess("healthy", seed: seeds.lowerBound, count: seeds.count)
    var last = ""
    while last != "done", let line = process.program.line() { last = line }
    process.program.kill()
    try #require(last == "done", "\(last) does not end: its trace is in \(process.folder.path)")
    return process
  }

  func trace(_ seed: Int) -> String { folder.appendingPathComponent("\(seed).optrace").path }

  /// For successful tests only: after a failure the traces are needed.
  func removeTraces() { try? FileManager.default.removeItem(at: folder) }
}

extension Finding {
  var line: String { "\(severity) \(code)\(isProven ? "" : " (unproven)"): \(title)" }
}

/// What a program says that it planted.
struct Plant {
  var seed: Int
  var code: DoctorCode
  /// How many of the culprits, the main thread among them, wait for ever.
  var waits: Int
  var behind: Int
  var culprits: Set<String>

  init?(_ line: String) {
    let words = line.split(separator: " ").map(String.init)
    guard words.count == 5, let seed = Int(words[0]), let waits = Int(words[2]), let behind = Int(words[3]) else {
      return nil
    }
    self.seed = seed
    code = DoctorCode(rawValue: words[1])
    self.waits = waits
    self.behind = behind
    culprits = Set(words[4].split(separator: ",").map(String.init))
  }

  /// Whether the program hangs: all planted waits have begun, and everything else is finished.
  func isSettled(in trace: Trace) -> Bool {
    let isOver = trace.operations.allSatisfy { !$0.title.hasPrefix("operation ") || $0.finished != nil }
    return isOver && waiters(in: trace) >= waits
  }

  /// How many culprits, and the main thread, wait for operations or queues. Waits for semaphores do not count: with
  /// them culprits wait until all have begun. A waiter for a queue may also wait for its operations, and counts once.
  private func waiters(in trace: Trace) -> Int {
    let waiters = trace.waits.compactMap { wait -> OperationID?? in
      if wait.ended != nil { return nil }
      if case .object = wait.target { return nil }
      guard let inside = wait.inside else { return .some(nil) }
      return culprits.contains(trace.operation(inside)?.title ?? "") ? .some(inside) : nil
    }
    return Set(waiters).count
  }
}
