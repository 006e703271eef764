import Foundation
import OpTrace
import OpTraceModel
import TestSupport
import Testing

/// Operations and queues that meet a recorder late, or more than one.
@Suite(.ownThread) struct MeetingTests {
  /// The file's trace, which must be valid.
  private func sound(_ url: URL) throws -> Trace {
    #expect(TraceValidator.check(try TraceReader.events(path: url.path)).map(\.description) == [])
    return try TraceReader.read(path: url.path)
  }

  @Test func operationFinishedBeforeTheRecorderMetItIsPartial() throws {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(writingTo: scratch.file())
    let early = SyncWork(name: "early") { _ in }
    OperationQueue().addOperations([early], waitUntilFinished: true)
    let late = SyncWork(name: "late") { _ in }
    late.addDependency(early)
    TracedOperationQueue(recorder: recorder).addOperations([late], waitUntilFinished: true)
    try recorder.stop()

    let trace = try sound(scratch.file())
    let known = try trace.operation(named: "early")
    #expect(known.coverage == .partial && known.state == .finished)
    #expect(try trace.operation(named: "late").coverage == .full)
  }

  @Test func operationExecutingWhenTheRecorderMeetsItIsPartial() throws {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(writingTo: scratch.file())
    let runs = Gate()
    let goOn = Gate()
    let early = SyncWork(name: "early") { _ in
      runs.open()
      goOn.wait()
    }
    OperationQueue().addOperation(early)
    runs.wait()
    let late = SyncWork(name: "late") { _ in }
    late.addDependency(early)
    let queue = TracedOperationQueue(recorder: recorder)
    queue.addOperation(late)
    goOn.open()
    queue.waitUntilAllOperationsAreFinished()
    try recorder.stop()
    #expect(try sound(scratch.file()).operation(named: "early").coverage == .partial)
  }

  /// A program records parts of its run one after the other, and its queues live all the time.
  @Test func queueMovesToTheNewDefaultRecorder() throws {
    let scratch = try Scratch()
    let files = ["first", "second"].map { scratch.file("\($0).optrace").path }
    #expect(try Program.run(["replace-default"] + files).status == 0)
    for name in ["first", "second"] {
      let trace = try sound(scratch.file("\(name).optrace"))
      let queue = try #require(trace.queues.first, "no queue in the \(name) trace")
      #expect(queue.name == "lives on" && queue.limit == 3)
      #expect(try trace.operation(named: name).queue == queue.id)
    }
  }

  @Test func operationOfAnotherRecorderIsRecordedInPart() throws {
    let scratch = try Scratch()
    let first = try TraceRecorder(writingTo: scratch.file("first.optrace"))
    let second = try TraceRecorder(writingTo: scratch.file("second.optrace"))
    let dependency = SyncWork(name: "dependency") { _ in }
    let dependent = SyncWork(name: "dependent") { _ in }
    dependent.addDependency(dependency)
    let later = TracedOperationQueue(recorder: second)
    later.addOperation(dependent)
    TracedOperationQueue(name: "own", recorder: first).addOperations([dependency], waitUntilFinished: true)
    later.waitUntilAllOperationsAreFinished()
    try first.stop()
    try second.stop()
    let trace = try sound(scratch.file("first.optrace"))
    let operation = try trace.operation(named: "dependency")
    #expect(operation.coverage == .partial && operation.queue == trace.queues.first?.id)
    #expect(try sound(scratch.file("second.optrace")).operation(named: "dependency").finished != nil)
  }

  @Test func dependencyOfAnotherClassIsDefinedOnce() throws {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(writingTo: scratch.file())
    let foreign = BlockOperation {}
    let traced = SyncWork(name: "traced") { _ in }
    traced.addDependency(foreign)
    TracedOperationQueue(recorder: recorder).addOperations([traced, foreign], waitUntilFinished: true)
    try recorder.stop()
    #expect(try sound(scratch.file()).operations.map(\.coverage) == [.full, .full])
  }

  @Test func cancelledBarrierIsFinished() throws {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(writingTo: scratch.file())
    let queue = TracedOperationQueue(recorder: recorder)
    let runs = Gate()
    let goOn = Gate()
    queue.addOperation {
      runs.open()
      goOn.wait()
    }
    runs.wait()
    let ran = Log<Int>()
    queue.addBarrierBlock { ran.add(1) }
    queue.cancelAllOperations()
    goOn.open()
    queue.waitUntilAllOperationsAreFinished()
    // Foundation releases the block after it has woken the waiters.
    try eventually("the barrier is over") {
      try !TraceReader.read(path: scratch.file().path).operations.contains { $0.isBarrier && $0.state == .pending }
    }
    try recorder.stop()
    let barrier = try #require(try sound(scratch.file()).operations.first(where: \.isBarrier))
    #expect(barrier.state == (ran.all.isEmpty ? .cancelled : .finished))
  }
}
