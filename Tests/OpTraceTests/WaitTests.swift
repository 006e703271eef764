import Foundation
import OpTrace
import OpTraceModel
import TestSupport
import Testing

/// Recorded waits for operations.
@Suite(.ownThread) struct WaitTests {
  @Test func aWaitForAFinishedOperationIsRecorded() throws {
    let trace = try recorded { recorder in
      let queue = TracedOperationQueue(name: "queue", recorder: recorder)
      let work = SyncWork(name: "work") { _ in }
      let fetch = AsyncWork(name: "fetch") { $0.finish() }
      queue.addOperations([work, fetch], waitUntilFinished: true)
      queue.addOperations(
        [
          TracedBlockOperation(name: "later") {
            work.waitUntilFinished()
            fetch.waitUntilFinished()
          }
        ], waitUntilFinished: false)
      queue.waitUntilAllOperationsAreFinished()
    }
    #expect(trace.waitsInWords.filter { $0.hasPrefix("later") } == ["later for work, ended", "later for fetch, ended"])
  }

  /// Foundation calls the operation's `isFinished`, also in a wait for several operations.
  @Test func aWaitLastsWhileIsFinishedReturnsFalse() throws {
    final class Late: TracedOperation, @unchecked Sendable {
      let isOpen = Counter()
      override var isFinished: Bool { super.isFinished && isOpen.value > 0 }
    }
    let trace = try recorded { recorder in
      let queue = TracedOperationQueue(name: "queue", recorder: recorder)
      let late = Late(name: "late")
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) {
        late.isOpen.add()
        late.didChangeValue(forKey: "isFinished")
      }
      queue.addOperations([late], waitUntilFinished: true)
      #expect(late.isOpen.value == 1)
    }
    #expect(trace.operations.count == 1)
  }

  /// The first of the awaited operations finishes last.
  @Test func aWaitForManyRecordsOnlyUnfinishedOnes() throws {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(writingTo: scratch.file())
    let queue = TracedOperationQueue(name: "queue", recorder: recorder)
    let gate = Gate()
    let others = (0..<5).map { index in TracedBlockOperation(name: "\(index)") { if index == 0 { gate.wait() } } }
    let last = TracedBlockOperation(name: "last") {}
    for other in others { last.addDependency(other) }
    let done = Gate()
    Thread {
      queue.addOperations([last] + others, waitUntilFinished: true)
      done.open()
    }.start()
    // Otherwise the wait may come too late.
    try eventually("the wait is in the trace") { try !TraceReader.read(path: scratch.file().path).waits.isEmpty }
    gate.open()
    done.wait()
    try recorder.stop()
    let trace = try TraceReader.read(path: scratch.file().path)
    #expect(trace.waitsInWords.filter { $0.hasPrefix("nobody") } == ["nobody for last, ended"])
  }

  @Test func withoutARecorderNothingIsRecorded() throws {
    let operation = TracedBlockOperation(name: "plain") {}
    OperationQueue().addOperation(operation)
    operation.waitUntilFinished()
    let trace = try recorded { recorder in
      TracedOperationQueue(name: "queue", recorder: recorder).addOperations([], waitUntilFinished: true)
    }
    #expect(trace.operations.isEmpty)
  }
}
