import Foundation
import OpTraceAnalysis
import OpTraceModel
import TestSupport
import Testing

/// A program waits for an operation before it adds that operation to a queue.
@Suite(.ownThread) struct WaitBeforeAddingTests {
  /// The awaited operation is not in the trace yet. The wait is recorded by the recorder of the waiting operation.
  @Test(arguments: ["explicit", "default"])
  func waitBeforeAddingIsRecorded(recorder: String) throws {
    let scratch = try Scratch()
    let file = scratch.file()
    let program = try RunningProgram(
      Built.program("RecorderTestProgram"), ["blocking-before-adding", file.path, recorder])
    try eventually("the wait is told", whileRunning: program) {
      (try? TraceReader.read(path: file.path))?.waitsInWords == ["outer for inner"]
    }
    try Data().write(to: scratch.file("run.optrace.go"))
    try eventually("it is added", whileRunning: program) {
      (try? TraceReader.read(path: file.path))?.operations.contains { $0.name == "inner" && $0.enqueued != nil } == true
    }
    program.signal(SIGKILL)
    _ = program.end()
    let events = try TraceReader.events(path: file.path)
    #expect(TraceValidator.check(events).map(\.description) == [])
    let trace = TraceBuilder.build(events)
    #expect(trace.operations.first { $0.name == "inner" }?.coverage == .full)
    var options = DoctorOptions()
    options.now = trace.lastEvent + 3_600_000_000_000
    #expect(Diagnosis(of: trace, options: options).findings.map(\.code) == ["queue-self-wait"])
  }
}
