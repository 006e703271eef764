import Foundation
import OpTraceModel
import OpTraceScenarios
import TestSupport
import Testing

/// A broken program that was run for real in a process of its own, and what its trace says.
struct BrokenRun: RecordedProgram {
  let trace: Trace
  let lines: [String]
  let ending: ScenarioProcess.Ending

  init(_ name: String, fixed: Bool = false) async throws {
    let scenario = try #require(Scenario.broken.first { $0.name == name })
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("broken-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let place = folder.appendingPathComponent("run.optrace")
    let program = try Built.program("BrokenProgram")
    let printed = Log<String>()
    // Until nothing moves; how long a doctor wants it to be silent is not asked here.
    let silence = min(2, scenario.silence)
    let process = try ScenarioProcess(
      program, arguments: [name, fixed ? "fixed" : "broken", place.path], silence: silence, errors: .nullDevice
    ) { printed.add($0) }
    ending = process.ending
    lines = printed.all
    #expect(process.trace?.path == place.path)
    let events = try TraceReader.events(path: place.path)
    #expect(TraceValidator.check(events).map(\.description) == [])
    trace = try TraceReader.read(path: place.path)
    #expect(trace.header.processName == name)
    #expect(trace.loss == LossReport())
    #expect(trace.operations.allSatisfy { $0.coverage == .full })
    // Who was killed or crashed has closed nothing.
    #expect(trace.header.isClosed == (ending == .exited(status: 0)))
  }

  var isSilent: Bool {
    if case .silent = ending { return true }
    return false
  }

  func titles(_ isIncluded: (OperationRecord) -> Bool) -> [String] { trace.operations.filter(isIncluded).map(\.title) }

  /// The wait for this operation that is still open at the end, of those inside of that one (nil: of a plain thread).
  func openWait(for target: OperationRecord, inside waiting: OperationRecord?) throws -> WaitRecord {
    try #require(
      trace.waits.first { $0.target == .operation(target.id) && $0.inside == waiting?.id && $0.ended == nil },
      "nobody waits for \(target.title)")
  }

  /// Between its start and its end.
  func isRunning(_ operation: OperationRecord) -> Bool { operation.started != nil && operation.finished == nil }
}
