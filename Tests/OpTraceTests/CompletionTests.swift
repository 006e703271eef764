import Foundation
import OpTrace
import OpTraceModel
import TestSupport
import Testing

@Suite(.ownThread) struct CompletionTests {
  @Test("a completion block is submitted by the thread that finishes the operation, and runs later", arguments: [1, 4])
  func blocks(limit: Int) throws {
    let trace = try recorded { recorder in
      let queue = TracedOperationQueue(name: "queue", maxConcurrentOperationCount: limit, recorder: recorder)
      let gates = DispatchGroup()
      let operations: [Operation] = [
        SyncWork(name: "sync") { _ in }, AsyncWork(name: "async") { $0.finish() },
        TracedBlockOperation(name: "block") {},
        AsyncWork(name: "failed") { $0.finish(with: CocoaError(.fileNoSuchFile)) },
      ]
      for operation in operations {
        gates.enter()
        operation.completionBlock = { gates.leave() }
      }
      queue.addOperations(operations + [SyncWork(name: "without") { _ in }], waitUntilFinished: true)
      gates.wait()
      // The blocks have left the group, and still have to return.
      while !Self.areOver(operations.count, recorder) { usleep(1000) }
    }
    for name in ["sync", "async", "block", "failed"] {
      let operation = try trace.operation(named: name)
      let completion = try #require(operation.completion, "\(name)")
      let (finished, queued) = try (#require(operation.finished), #require(completion.queued))
      let (began, ended) = try (#require(completion.began), #require(completion.ended))
      #expect(finished.time <= queued.time && queued.time <= began.time && began.time <= ended.time, "\(name)")
      #expect(queued.thread == finished.thread && began.thread == ended.thread, "\(name)")
    }
    #expect(try trace.operation(named: "without").completion == nil)
  }

  private static func areOver(_ count: Int, _ recorder: TraceRecorder) -> Bool {
    let trace = try? TraceReader.read(path: recorder.url.path)
    return trace?.operations.count { $0.completion?.ended != nil } == count
  }

  /// An override is the program's code: the recorder must not call it.
  private final class Overrides: TracedOperation, @unchecked Sendable {
    nonisolated(unsafe) static var calls = 0
    override var completionBlock: (@Sendable () -> Void)? {
      get {
        Self.calls += 1
        return super.completionBlock
      }
      set {
        Self.calls += 1
        super.completionBlock = newValue
      }
    }
  }

  @Test("the recorder does not call an overridden completionBlock") func overrides() throws {
    let over = DispatchSemaphore(value: 0)
    let trace = try recorded { recorder in
      let operation = Overrides(name: "own")
      operation.completionBlock = { over.signal() }
      TracedOperationQueue(recorder: recorder).addOperations([operation], waitUntilFinished: true)
      over.wait()
    }
    #expect(Overrides.calls == 1)
    #expect(try trace.operation(named: "own").completion?.began != nil)
  }

  @Test("a completion block that is removed does not run and is not recorded") func takenAway() throws {
    let trace = try recorded { recorder in
      let operation = SyncWork(name: "work") { $0.completionBlock = nil }
      operation.completionBlock = { Issue.record("it was taken away") }
      TracedOperationQueue(recorder: recorder).addOperations([operation], waitUntilFinished: true)
    }
    #expect(try trace.operation(named: "work").completion == nil)
  }
}

@Suite struct ProcessorTimeTests {
  /// Computes long enough for the clock of a thread.
  private static func compute() -> Double {
    (0..<3_000_000).reduce(0.0) { $0 + Double($1).squareRoot() }
  }

  private func times(_ configuration: TraceRecorder.Configuration) throws -> [String: Nanoseconds?] {
    let trace = try recorded(configuration) { recorder in
      let queue = TracedOperationQueue(name: "queue", recorder: recorder)
      queue.addOperations(
        [
          SyncWork(name: "computes") { _ in #expect(Self.compute() > 0) },
          SyncWork(name: "sleeps") { _ in Thread.sleep(forTimeInterval: 0.05) },
          AsyncWork(name: "elsewhere") { work in Thread.detachNewThread { work.finish() } },
        ], waitUntilFinished: true)
      let events = try TraceReader.events(path: recorder.url.path)
      #expect(TraceValidator.check(events).map(\.description) == [])
    }
    #expect(trace.header.processors == ProcessInfo.processInfo.activeProcessorCount)
    return Dictionary(uniqueKeysWithValues: trace.operations.map { ($0.name ?? "", $0.processorTime) })
  }

  @Test("computing uses processor time, sleeping does not") func used() throws {
    let times = try times(TraceRecorder.Configuration(recordsCPUTime: true))
    let (computes, sleeps) = try (#require(times["computes"] ?? nil), #require(times["sleeps"] ?? nil))
    #expect(computes > 0 && sleeps < computes)
  }

  @Test("processor time is not recorded by default") func unasked() throws {
    #expect(try times(.init()).values.allSatisfy { $0 == nil })
  }
}
