import OpTraceFormat
import OpTraceModel
import TestSupport
import Testing

/// When a program is killed in a call that adds to a queue and does not return, the call is in the trace, in each way
/// of recording.
@Suite(.ownThread) struct AddingTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var way: Way
    var ring: Bool
    var testDescription: String { "\(way.rawValue), \(ring ? "flight recorder" : "streaming")" }
  }

  static let cases = [Way.traced, .foreign, .instrumented, .recorded].flatMap { way in
    [false, true].map { Case(way: way, ring: $0) }
  }

  /// On a busy machine a call that returns may also be recorded as open for a while.
  private func isAdding(_ name: String) -> (Trace) -> Bool {
    { trace in trace.operations.contains { $0.name == name && $0.addingSince != nil } }
  }

  @Test(arguments: cases) func aHangingCallIsRecorded(_ item: Case) throws {
    let program = try HangingProgram(.addingHangs, item.way, ring: item.ring)
    try program.follow(until: isAdding("cancelled"))
    let (events, trace) = try program.kill()
    #expect(TraceValidator.check(events).map(\.description) == [])
    let added = try trace.operation(named: "cancelled")
    let since = try #require(added.addingSince)
    #expect(since.thread == trace.main)
    #expect(added.enqueued?.thread == trace.main)
    let enqueued = try #require(added.enqueued?.time)
    #expect(enqueued <= since.time)
    // The other calls returned.
    #expect(trace.operations.count { $0.addingSince != nil } == 1)
    // The barrier is pending: enqueued on the same queue, and not started.
    #expect(trace.barrier?.queue == added.queue)
    #expect(trace.barrier?.enqueued != nil)
    #expect(trace.barrier?.started == nil)
    // The call is not a wait. (Hooks also record the main thread's waits at its gates.)
    #expect(trace.waits.allSatisfy { $0.inside == nil && $0.ended != nil })
    #expect(trace.objects.allSatisfy { $0.kind == .semaphore })
  }

  @Test(arguments: [Way.traced, .foreign, .instrumented, .recorded])
  func addingSeveralRecordsTheFirstHangingOne(_ way: Way) throws {
    let program = try HangingProgram(.addingSeveralHangs, way)
    try program.follow(until: isAdding("cancelled"))
    let trace = try program.kill().trace
    #expect(trace.operations.filter { $0.addingSince != nil }.map(\.name) == ["cancelled"])
    #expect(try trace.operation(named: "second").enqueued != nil)
  }

  @Test(arguments: [Way.traced, .foreign, .instrumented, .recorded])
  func nestedCallsRecordTheInnerHangingOne(_ way: Way) throws {
    let program = try HangingProgram(.innerAddingHangs, way)
    try program.follow(until: isAdding("cancelled"))
    let trace = try program.kill().trace
    #expect(trace.operations.filter { $0.addingSince != nil }.map(\.name) == ["cancelled"])
    #expect(try trace.operation(named: "outer").enqueued != nil)
  }

  @Test(arguments: [Way.traced, .foreign, .instrumented, .recorded])
  func aSlowCallIsNoLongerOpenAfterItsReturn(_ way: Way) throws {
    let program = try HangingProgram(.addingReturns, way)
    let seen = try program.follow(until: isAdding("slow"))
    #expect(try seen.operation(named: "slow").addingSince?.thread != seen.main)
    try program.go()
    try program.follow { trace in trace.operations.contains { $0.name == "slow" && $0.finished != nil } }
    let (events, trace) = try program.kill()
    #expect(TraceValidator.check(events).map(\.description) == [])
    #expect(!isAdding("slow")(trace))
  }
}
