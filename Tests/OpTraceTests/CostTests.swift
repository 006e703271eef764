import COpTrace
import CRecorderInside
import Foundation
import OpTraceFormat
import OpTraceModel
import TestSupport
import Testing

@testable import OpTrace

/// What makes recording cheap, as far as it is no question of time.
@Suite(.ownThread) struct CostTests {
  @Test func theRoomInsideOfAnOperationIsWhatTheRecorderNeeds() {
    #expect(MemoryLayout<OperationProbe.Storage>.size == Int(optrace_operation_words) * 8)
  }

  /// Threads that record at the same time must not wait for each other's cache lines: an event changes what is its thread's
  /// alone.
  @Test func anEventWritesNothingThatThreadsShare() throws {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(writingTo: scratch.file())
    let operation = TracedOperation()
    recorder.introduce(operation)
    recorder.mark("the thread has its place")
    // Meanwhile the recorder's own thread may have looked after the file, so that the two sums differ: it rests most of the time.
    let isUntouched = (0..<100).contains { _ in
      let before = test_shared(recorder.core)
      recorder.mark("12345678")
      operation.cancel()
      operation.probe.record(.ready)
      return test_shared(recorder.core) == before
    }
    #expect(isUntouched)
    try recorder.stop()
  }

  /// What was done with an operation before it met a recorder is asked of it; of one with which nothing was done, nothing is.
  @Test func operationsThatWereUsedBeforeAreSeenAsTheyAre() throws {
    let trace = try recorded { recorder in
      let cancelled = TracedBlockOperation(name: "cancelled") {}
      cancelled.cancel()
      let async = EarlyEnd()
      async.name = "ended early"
      async.finish()
      let fresh = TracedBlockOperation(name: "fresh") {}
      fresh.addDependency(cancelled)
      let queue = TracedOperationQueue(name: "queue", recorder: recorder)
      queue.addOperations([cancelled, async, fresh], waitUntilFinished: true)
    }
    #expect(try trace.operation(named: "cancelled").cancelRequested != nil)
    #expect(try trace.operation(named: "cancelled").executionBegan == nil)
    #expect(try trace.operation(named: "ended early").finished != nil)
    let fresh = try trace.operation(named: "fresh")
    #expect(fresh.coverage == .full && fresh.executionEnded != nil)
    #expect(fresh.dependencies.count == 1)
  }

  /// That there is no default recorder is noted, so that asking for it costs nothing; until there is one.
  @Test func aDefaultThatComesLateIsUsed() throws {
    let scratch = try Scratch()
    #expect(try Program.run(["late-default", scratch.file().path]).status == 0)
    let trace = try TraceReader.read(path: scratch.file().path)
    #expect(trace.operations.map { $0.name } == ["seen"])
    #expect(try trace.operation(named: "seen").finished != nil)
  }
}

private final class EarlyEnd: TracedAsyncOperation, @unchecked Sendable {
  override func execute() { finish() }
}
