import Foundation
import OpTrace
import OpTraceModel
import TestSupport
import Testing

/// More operations inside of each other than a thread has frames for: what is lost is a record's detail, and no answer to Foundation.
@Suite(.ownThread) struct DeepStartTests {
  @Test func anOperationFinishesHoweverDeepItIsStarted() throws {
    let trace = try recorded { recorder in
      let queue = TracedOperationQueue(name: "q", recorder: recorder)
      // No wait of Foundation's, which would last for good where this fails.
      let (completed, waited, before, after, ended) = (Gate(), Gate(), Gate(), Gate(), Gate())
      let innermost = SyncWork(name: "innermost") { _ in }
      innermost.completionBlock = { completed.open() }
      let dependent = SyncWork(name: "dependent") { _ in }
      dependent.completionBlock = { before.open() }
      dependent.addDependency(innermost)
      let outermost = (0..<40).reduce(innermost) { inner, depth in
        SyncWork(name: "outer \(depth)") { _ in
          recorder.mark("inside", in: inner)
          inner.start()
        }
      }
      outermost.completionBlock = { ended.open() }
      recorder.mark("known", in: innermost)
      Thread {
        innermost.waitUntilFinished()
        waited.open()
      }.start()
      queue.addOperations([outermost, dependent], waitUntilFinished: false)
      for gate in [completed, waited, before, ended] { gate.wait() }
      // Foundation's own state says that it is over, for those that come later.
      let late = SyncWork(name: "late") { _ in }
      late.completionBlock = { after.open() }
      late.addDependency(innermost)
      queue.addOperation(late)
      after.wait()
      #expect(innermost.isFinished && outermost.isFinished)
    }
    #expect(try trace.operation(named: "innermost").finished != nil)
    #expect(trace.operations.allSatisfy { $0.finished != nil })
  }
}
