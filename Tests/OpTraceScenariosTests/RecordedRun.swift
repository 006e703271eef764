import Foundation
import OpTraceAnalysis
import OpTraceModel
import OpTraceScenarios
import TestSupport
import Testing

/// All scenarios run one after the other: each is a program of its own, and some have the default recorder.
@Suite("Scenarios", .serialized, .ownThread)
enum ScenarioTests {}

/// A scenario that was run for real, and what its trace says.
struct RecordedRun: RecordedProgram {
  let trace: Trace
  let lines: [String]

  /// Runs the scenario on a thread of its own, so that it holds none of the pool's. Every trace has to be whole, valid
  /// and small.
  init(_ name: String, _ configure: (inout ScenarioSettings) -> Void = { _ in }) async throws {
    let scenario = try #require(Scenario.named(name))
    var settings = ScenarioSettings()
    configure(&settings)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("scenario-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let printed = Log<String>()
    let chosen = settings
    let url = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<URL, any Error>) in
      // It names itself when it has started: other ways of naming it are lost or late with Foundation on Linux.
      let hasStarted = DispatchSemaphore(value: 0)
      let thread = Thread {
        hasStarted.wait()
        Thread.current.name = "program"
        continuation.resume(
          with: Result {
            try scenario.run(recordingTo: folder.appendingPathComponent("run.optrace"), settings: chosen) {
              printed.add($0)
            }
          })
      }
      thread.start()
      hasStarted.signal()
    }
    lines = printed.all
    let bytes = [UInt8](try Data(contentsOf: url))
    #expect(bytes.count < 64 * 1024)
    #expect(TraceValidator.check(try TraceReader.events(bytes: bytes)).map(\.description) == [])
    trace = try TraceReader.read(bytes: bytes)
    #expect(trace.header.isClosed)
    #expect(trace.loss == LossReport())
    if scenario.health == .healthy, !settings.isStuck {
      let trouble = Diagnosis(of: trace).findings.filter(DoctorTableTests.isTrouble)
      #expect(trouble.isEmpty, "\(trouble.map { "\($0.code): \($0.title)" })")
    }
  }
}

extension OperationRecord {
  /// From the moment when its own code began until it was finished. Nil when it never began.
  var run: Range<Nanoseconds>? {
    guard let began = executionBegan?.time, let finished = finished?.time else { return nil }
    return began..<max(began, finished)
  }

  func overlaps(_ other: OperationRecord) -> Bool {
    guard let run, let others = other.run else { return false }
    return run.overlaps(others)
  }

  /// It was finished when the other began.
  func isOver(before other: OperationRecord) -> Bool {
    guard let run, let others = other.run else { return false }
    return run.upperBound <= others.lowerBound
  }

  func depends(on other: OperationRecord) -> Bool { dependencies.contains { $0.on == other.id && $0.removed == nil } }
}

/// How many of the operations ran at the same time at most.
func peak(_ operations: [OperationRecord]) -> Int {
  let runs = operations.compactMap(\.run)
  return runs.map { run in runs.count { $0.contains(run.lowerBound) } }.max() ?? 0
}

/// With one processor there is one thread for all that blocks.
let hasSeveralProcessors = ProcessInfo.processInfo.activeProcessorCount > 1
