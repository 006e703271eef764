import OpTraceFormat
import OpTraceModel
import TestSupport
import Testing

/// Calls that add to a queue and do not return are in the trace, whichever way it was made, when the program is killed.
@Suite(.ownThread) struct AddingTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var way: Way
    var ring: Bool
    var testDescription: String { "\(way.rawValue), \(ring ? "flight recorder" : "streaming")" }
  }

  static let cases = [Way.traced, .foreign, .instrumented, .recorded].flatMap { way in
    [false, true].map { Case(way: way, ring: $0) }
  }

  /// Calls that return may take so long on a busy machine that they are told of, too.
  private func isAdding(_ name: String) -> (Trace) -> Bool {
    { trace in trace.operations.contains { $0.name == name && $0.addingSince != nil } }
  }

  @Test(arguments: cases) func aCallThatHangsIsToldOf(_ item: Case) throws {
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
    // The others' calls returned.
    #expect(trace.operations.count { $0.addingSince != nil } == 1)
    // The barrier is pending: given to the same queue, and not begun.
    #expect(trace.barrier?.queue == added.queue)
    #expect(trace.barrier?.enqueued != nil)
    #expect(trace.barrier?.started == nil)
    // It is no wait. (The main thread's gates are seen where it is recorded by hooks.)
    #expect(trace.waits.allSatisfy { $0.inside == nil && $0.ended != nil })
    #expect(trace.objects.allSatisfy { $0.kind == .semaphore })
  }

  @Test(arguments: [Way.traced, .foreign, .instrumented, .recorded])
  func ofSeveralTheFirstIsToldOf(_ way: Way) throws {
    let program = try HangingProgram(.addingSeveralHangs, way)
    try program.follow(until: isAdding("cancelled"))
    let trace = try program.kill().trace
    #expect(trace.operations.filter { $0.addingSince != nil }.map(\.name) == ["cancelled"])
    #expect(try trace.operation(named: "second").enqueued != nil)
  }

  @Test(arguments: [Way.traced, .foreign, .instrumented, .recorded])
  func ofTwoCallsInsideOfEachOtherTheInnerOneIsToldOf(_ way: Way) throws {
    let program = try HangingProgram(.innerAddingHangs, way)
    try program.follow(until: isAdding("cancelled"))
    let trace = try program.kill().trace
    #expect(trace.operations.filter { $0.addingSince != nil }.map(\.name) == ["cancelled"])
    #expect(try trace.operation(named: "outer").enqueued != nil)
  }

  @Test(arguments: [Way.traced, .foreign, .instrumented, .recorded])
  func aCallThatReturnsAfterAllIsNotToldOf(_ way: Way) throws {
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
