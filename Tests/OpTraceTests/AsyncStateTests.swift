import Foundation
import OpTrace
import OpTraceModel
import TestSupport
import Testing

/// Calls to a subclass of ``TracedAsyncOperation``, in any order.
@Suite(.ownThread) struct AsyncStateTests {
  @Test func cancelBeforeStart() throws {
    let trace = try recorded { recorder in
      let queue = TracedOperationQueue(recorder: recorder)
      let executions = Counter()
      let operation = AsyncWork(name: "never") { _ in executions.add() }
      operation.cancel()
      queue.addOperations([operation], waitUntilFinished: true)
      #expect(operation.isFinished && !operation.isExecuting && executions.value == 0)
    }
    let operation = try trace.operation(named: "never")
    #expect(operation.state == .cancelled && operation.executionBegan == nil && operation.cancelRequested != nil)
  }

  @Test func cancelDuringExecutionThenFinishIsRecorded() throws {
    let trace = try recorded { recorder in
      let queue = TracedOperationQueue(recorder: recorder)
      let begun = Gate()
      let operation = AsyncWork(name: "upload") { _ in begun.open() }
      queue.addOperation(operation)
      begun.wait()
      operation.cancel()
      #expect(operation.isCancelled && operation.isExecuting)
      operation.finish()
      operation.waitUntilFinished()
    }
    let operation = try trace.operation(named: "upload")
    #expect(operation.state == .finished && operation.cancelRequested != nil)
  }

  @Test func finishFromAnotherThreadIsRecorded() throws {
    let trace = try recorded { recorder in
      let queue = TracedOperationQueue(recorder: recorder)
      let operation = AsyncWork(name: "elsewhere") { operation in
        Thread { operation.finish() }.start()
      }
      queue.addOperations([operation], waitUntilFinished: true)
    }
    let operation = try trace.operation(named: "elsewhere")
    #expect(operation.finished?.thread != operation.executionBegan?.thread)
  }

  @Test func finishTwiceIsRecordedAsMisuse() throws {
    let trace = try recorded { recorder in
      let queue = TracedOperationQueue(recorder: recorder)
      let operation = AsyncWork(name: "twice") { $0.finish() }
      queue.addOperations([operation], waitUntilFinished: true)
      operation.finish()
      operation.finish(with: CocoaError(.fileNoSuchFile))
      #expect(operation.error == nil)
    }
    let operation = try trace.operation(named: "twice")
    #expect(operation.finishCount == 3 && operation.state == .finished)
  }

  @Test func finishBeforeExecuteReturnsIsRecorded() throws {
    let trace = try recorded { recorder in
      let queue = TracedOperationQueue(maxConcurrentOperationCount: 1, recorder: recorder)
      let goOn = Gate()
      let early = AsyncWork(name: "early") {
        $0.finish()
        goOn.wait()
      }
      let next = SyncWork(name: "next") { _ in goOn.open() }
      queue.addOperations([early, next], waitUntilFinished: true)
    }
    let early = try trace.operation(named: "early"), next = try trace.operation(named: "next")
    let finished = try #require(early.finished), began = try #require(next.executionBegan)
    #expect(finished.time <= began.time)  // Its `execute()` waits for `next`.
  }

  @Test func finishBeforeStartTakesEffectAtTheStart() throws {
    let trace = try recorded { recorder in
      let queue = TracedOperationQueue(recorder: recorder)
      queue.isSuspended = true
      let executions = Counter()
      let operation = AsyncWork(name: "hasty") { _ in executions.add() }
      queue.addOperation(operation)
      operation.finish()
      #expect(!operation.isFinished)
      queue.isSuspended = false
      operation.waitUntilFinished()
      #expect(executions.value == 0)
    }
    #expect(try trace.operation(named: "hasty").finished != nil)
  }

  @Test func releaseWithoutFinishIsRecorded() throws {
    let trace = try recorded { recorder in
      var operation: AsyncWork? = AsyncWork(name: "lost") { _ in }
      // The recorder must know the operation. (A default recorder would record other tests, too.)
      if let operation { recorder.mark("known", in: operation) }
      operation?.start()
      #expect(operation?.isExecuting == true)
      operation = nil
    }
    let operation = try trace.operation(named: "lost")
    #expect(operation.state == .executing && operation.released != nil && operation.finished == nil)
  }

  @Test func errorIsKeptAndRecorded() throws {
    struct Refused: Error, CustomStringConvertible { var description: String { "refused by \"host\"" } }
    let trace = try recorded { recorder in
      let queue = TracedOperationQueue(recorder: recorder)
      let operation = AsyncWork(name: "fails") { $0.finish(with: Refused()) }
      queue.addOperations([operation], waitUntilFinished: true)
      #expect(operation.error is Refused)
    }
    let operation = try trace.operation(named: "fails")
    #expect(operation.state == .failed && operation.error == "refused by \"host\"")
  }

  @Test func startTwiceExecutesOnce() throws {
    let count = Log<Int>()
    let operation = AsyncWork { _ in count.add(1) }
    operation.start()
    operation.start()
    operation.finish()
    operation.start()
    #expect(count.all == [1] && operation.isFinished)
  }

  @Test func statesChangeTogether() {
    // isFinished and isExecuting never contradict each other.
    let operation = AsyncWork { _ in }
    #expect(!operation.isExecuting && !operation.isFinished)
    operation.start()
    #expect(operation.isExecuting && !operation.isFinished)
    operation.finish()
    #expect(!operation.isExecuting && operation.isFinished)
  }

  @Test func manyThreadsMayFinishAtOnce() throws {
    let trace = try recorded { recorder in
      let queue = TracedOperationQueue(recorder: recorder)
      // The queue is done after the first finish of each operation. The recorder must outlive the other three.
      let finishes = DispatchGroup()
      for index in 0..<50 {
        let operation = AsyncWork(name: "\(index)") { operation in
          DispatchQueue.concurrentPerform(iterations: 4) { _ in operation.finish() }
          finishes.leave()
        }
        finishes.enter()
        queue.addOperation(operation)
      }
      queue.waitUntilAllOperationsAreFinished()
      finishes.wait()
    }
    #expect(trace.operations.count == 50)
    #expect(trace.operations.allSatisfy { $0.state == .finished && $0.finishCount == 4 })
  }

  @Test func subclassesMayOverrideInit() {
    class Implicit: TracedOperation, @unchecked Sendable {}
    class Explicit: TracedAsyncOperation, @unchecked Sendable {
      let value: Int
      override init() { value = 3 }
    }
    class Block: TracedBlockOperation, @unchecked Sendable {
      override init() {}
    }
    Implicit().start()
    #expect(Explicit().value == 3)
    Block().start()
  }
}

@Suite(.ownThread) struct TaskOperationTests {
  @Test func runsAndFinishes() throws {
    let log = Log<String>()
    let trace = try recorded { recorder in
      let queue = TracedOperationQueue(maxConcurrentOperationCount: 1, recorder: recorder)
      let first = TracedTaskOperation(name: "first") {
        await Task.yield()
        log.add("first")
      }
      let second = TracedTaskOperation(name: "second") { log.add("second") }
      second.addDependency(first)
      queue.addOperations([first, second], waitUntilFinished: true)
    }
    #expect(log.all == ["first", "second"])
    #expect(try trace.operation(named: "first").state == .finished)
  }

  @Test func cancelReachesTheTask() throws {
    let trace = try recorded { recorder in
      let queue = TracedOperationQueue(recorder: recorder)
      let begun = Gate()
      // High priority, to run before tests that wait for a thread of the same pool.
      let operation = TracedTaskOperation(name: "sleeper", priority: .userInitiated) {
        begun.open()
        try await Task.sleep(nanoseconds: 60_000_000_000)
      }
      queue.addOperation(operation)
      begun.wait()
      operation.cancel()
      operation.waitUntilFinished()
      #expect(operation.error == nil)
    }
    let operation = try trace.operation(named: "sleeper")
    #expect(operation.state == .finished && operation.cancelRequested != nil)
  }

  @Test func errorMakesItFail() throws {
    struct Broken: Error {}
    let trace = try recorded { recorder in
      let operation = TracedTaskOperation(name: "broken") { throw Broken() }
      TracedOperationQueue(recorder: recorder).addOperations([operation], waitUntilFinished: true)
    }
    #expect(try trace.operation(named: "broken").state == .failed)
  }
}
