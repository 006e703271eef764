import OpTraceModel
import TestSupport
import Testing

/// What a trace has of classes that override `isReady`, in each way of recording.
@Suite(.ownThread) struct ReadinessTests {
  static let ways: [Way] = [.traced, .foreign, .instrumented, .recorded]

  /// Whether the main thread waits for the operation.
  private func isStuck(_ trace: Trace, _ name: String) -> Bool {
    guard let operation = trace.operations.first(where: { $0.name == name }) else { return false }
    return trace.waits.contains { $0.target == .operation(operation.id) && $0.ended == nil }
  }

  @Test(arguments: ways) func operationThatIsNeverReadyHasNoReadyEvent(_ way: Way) throws {
    let program = try HangingProgram(.neverReady, way)
    try program.follow { trace in
      isStuck(trace, "unwilling") && trace.operations.contains { $0.name == "before" && $0.finished != nil }
    }
    let (events, trace) = try program.kill()
    #expect(TraceValidator.check(events).map(\.description) == [])
    let before = try trace.operation(named: "before")
    let unwilling = try trace.operation(named: "unwilling")
    #expect(unwilling.overridesReady)
    #expect(!before.overridesReady)
    // Foundation's own `isReady` is true: the dependency is finished.
    #expect(unwilling.dependencies.map(\.on) == [before.id])
    #expect(before.finished != nil)
    #expect(unwilling.ready == nil)
    #expect(unwilling.started == nil)
    #expect(unwilling.coverage == .full)
  }

  @Test(arguments: ways) func operationThatBecomesReadySilentlyNeverStarts(_ way: Way) throws {
    let program = try HangingProgram(.readyInSilence, way)
    try program.follow { isStuck($0, "silent") }
    let trace = try program.kill().trace
    let silent = try trace.operation(named: "silent")
    #expect(silent.overridesReady)
    #expect(silent.enqueued != nil)
    #expect(silent.started == nil)
  }

  @Test(arguments: ways) func operationThatIsReadyTooEarlyStartsBeforeItsDependency(_ way: Way) throws {
    let program = try HangingProgram(.readyTooEarly, way)
    try program.follow { trace in trace.operations.contains { $0.name == "hasty" && $0.startReturned != nil } }
    let (events, trace) = try program.kill()
    // The program is at fault; the trace breaks no rule.
    #expect(TraceValidator.check(events).map(\.description) == [])
    let before = try trace.operation(named: "before")
    let hasty = try trace.operation(named: "hasty")
    #expect(hasty.overridesReady)
    #expect(hasty.dependencies.map(\.on) == [before.id])
    #expect(hasty.dependencies.allSatisfy { $0.removed == nil })
    let ready = try #require(hasty.ready?.time), started = try #require(hasty.started?.time)
    #expect(ready <= started)
    #expect(hasty.finished != nil)
    #expect(before.executionBegan == nil || before.finished == nil)
  }
}
