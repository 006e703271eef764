import Foundation
import OpTraceAnalysis
import OpTraceModel
import OpTraceScenarios
import TestSupport
import Testing

/// The scenarios run one after the other, as some use the default recorder.
@Suite("Scenarios", .serialized, .ownThread)
enum ScenarioTests {}

/// A scenario that ran, and its trace.
struct RecordedRun: RecordedProgram {
  let trace: Trace
  let lines: [String]

  /// Runs the scenario on its own thread, so that it takes none of the pool. Every trace must be complete, valid and
  /// small.
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
      // The thread names itself after its start. With Foundation on Linux, other ways set the name late or never.
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
  /// From the begin of its own code until its finish. Nil if it never began.
  var run: Range<Nanoseconds>? {
    guard let began = executionBegan?.time, let finished = finished?.time else { return nil }
    return began..<max(began, finished)
  }

  func overlaps(_ other: OperationRecord) -> Bool {
    guard let run, let others = other.run else { return false }
    return run.overlaps(others)
  }

  /// Whether it finished before the other began.
  func isOver(before other: OperationRecord) -> Bool {
    guard let run, let others = other.run else { return false }
    return run.upperBound <= others.lowerBound
  }

  func depends(on other: OperationRecord) -> Bool { dependencies.contains { $0.on == other.id && $0.removed == nil } }
}

/// The largest number of operations that ran at the same time.
func peak(_ operations: [OperationRecord]) -> Int {
  let runs = operations.compactMap(\.run)
  return runs.map { run in runs.count { $0.contains(run.lowerBound) } }.max() ?? 0
}

/// With one processor, one thread runs all blocking work.
let hasSeveralProcessors = ProcessInfo.processInfo.activeProcessorCount > 1
