import Foundation
import OpTrace
import OpTraceModel
import TestSupport
import Testing

/// Operations nested deeper than the recorder follows on a thread: records may lose details, but Foundation still gets
/// the right answers.
@Suite(.ownThread) struct DeepStartTests {
  @Test func aDeeplyNestedOperationFinishes() throws {
    let trace = try recorded { recorder in
      let queue = TracedOperationQueue(name: "q", recorder: recorder)
      // Use gates: one of Foundation's waits would never end if this fails.
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
      // Foundation's own state must be "finished" for operations that are added later.
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
