import Foundation
import OpTraceModel
import OpTraceScenarios
import TestSupport
import Testing

/// A broken program that ran in its own process, and its trace.
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
    // At most two seconds of silence show that nothing moves. The doctor's threshold does not matter here.
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
    // A killed or crashed process does not close its trace.
    #expect(trace.header.isClosed == (ending == .exited(status: 0)))
  }

  var isSilent: Bool {
    if case .silent = ending { return true }
    return false
  }

  func titles(_ isIncluded: (OperationRecord) -> Bool) -> [String] { trace.operations.filter(isIncluded).map(\.title) }

  /// The wait for `target` that is open at the end: of the operation `waiting`, or of a plain thread if that is nil.
  func openWait(for target: OperationRecord, inside waiting: OperationRecord?) throws -> WaitRecord {
    try #require(
      trace.waits.first { $0.target == .operation(target.id) && $0.inside == waiting?.id && $0.ended == nil },
      "nobody waits for \(target.title)")
  }

  /// Whether the operation is started and not finished.
  func isRunning(_ operation: OperationRecord) -> Bool { operation.started != nil && operation.finished == nil }
}
