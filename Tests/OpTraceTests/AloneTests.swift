import Foundation
import OpTraceModel
import TestSupport
import Testing

/// Classes with their own `start()` and states: see `Tests/RecorderTestProgram/AloneModes.swift`.
@Suite(.ownThread) struct AloneTests {
  private func run(_ mode: String) throws -> Trace {
    let scratch = try Scratch()
    let result = try Program.run([mode, scratch.file().path])
    #expect(result.status == 0)
    let events = try TraceReader.events(path: scratch.file().path)
    #expect(TraceValidator.check(events).map(\.description) == [])
    let trace = TraceBuilder.build(events)
    #expect(trace.header.isClosed && trace.loss.isComplete)
    return trace
  }

  /// The recorder first meets the operation in a wait, after its start, which was not recorded.
  @Test func unrecordedStartMakesTheOperationPartial() throws {
    let trace = try run("unseen-start")
    for name in ["plain", "traced"] {
      let operation = try trace.operation(named: name)
      #expect(operation.coverage == .partial && operation.started == nil, "\(name)")
      #expect(operation.executionBegan != nil && operation.finishCount == 1, "\(name)")
      #expect(operation.isAsynchronous, "\(name)")
    }
  }

  private func expectWhole(_ trace: Trace, _ names: [String]) throws {
    for name in names {
      let operation = try trace.operation(named: name)
      #expect(operation.coverage == .full && operation.startCount == 1 && operation.finishCount == 1, "\(name)")
      #expect(operation.executionBegan != nil && operation.executionEnded != nil, "\(name)")
      #expect(operation.startReturned != nil && operation.isAsynchronous, "\(name)")
    }
  }

  @Test func tracedClassesWithTheirOwnStartAreRecordedInFull() throws {
    let trace = try run("alone-everywhere")
    let kinds = ["alone", "polite", "fetch"]
    #expect(trace.operations.count == kinds.count * 3 + 1)
    try expectWhole(
      trace, kinds.flatMap { kind in ["by hand", "in plain", "in traced"].map { "\(kind) \($0)" } })
    let cancelled = try trace.operation(named: "cancelled")
    #expect(cancelled.cancelRequested != nil && cancelled.startCount == 1 && cancelled.finishCount == 1)
  }

  @Test func aTracedQueueAloneRecordsThemInFull() throws {
    try expectWhole(try run("alone-in-traced"), ["alone in traced", "polite in traced", "fetch in traced"])
  }

  /// The first one is started by hand before there are hooks. A wait for it finds that it runs, and installs the hooks.
  @Test func withoutHooksAStartByHandIsRecordedInPart() throws {
    let trace = try run("alone-by-hand")
    let alone = try trace.operation(named: "alone by hand")
    #expect(alone.coverage == .partial && alone.started == nil)
    try expectWhole(trace, ["polite by hand", "fetch by hand"])
  }
}
