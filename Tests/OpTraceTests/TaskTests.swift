#if os(Linux)
  import Foundation
  import OpTraceModel
  import TestSupport
  import Testing

  /// Tasks of a program that records itself: see `Tests/RecorderTestProgram/TaskModes.swift`.
  @Suite("Tasks of a program that records itself", .ownThread) struct TaskTests {
    @Test("earlier tasks are recorded from their next run on, and an operation's task belongs to it")
    func tasks() throws {
      let scratch = try Scratch()
      let result = try Program.run(["tasks", scratch.file().path])
      #expect(result.status == 0)
      let events = try TraceReader.events(path: scratch.file().path)
      #expect(TraceValidator.check(events).map(\.description) == [])
      let trace = TraceBuilder.build(events)
      #expect(trace.loss.isComplete)
      let before = trace.tasks.filter { $0.submitted == nil }
      #expect(before.count == 1 && before.first?.completed != nil, "\(trace.tasks)")
      let operation = try trace.operation(named: "by task")
      let own = trace.tasks.filter { $0.submitter == operation.id }
      #expect(own.count == 1 && own.allSatisfy { !$0.runs.isEmpty })
      // Including the two that wait. Changes after `stop()` are not recorded.
      #expect(trace.tasks.count == 4)
    }
  }
#endif
