import COpTrace
import Foundation
import OpTraceFormat
import OpTraceModel
import TestSupport
import Testing

@testable import OpTrace

/// The records of calls that add to a queue.
@Suite(.ownThread) struct AddingCallTests {
  /// Adds another operation when `isReady` is called.
  private final class Adding: TracedOperation, @unchecked Sendable {
    let queue: OperationQueue
    private let isToAdd = DispatchSemaphore(value: 0)

    init(to queue: OperationQueue) {
      self.queue = queue
      isToAdd.signal()
      super.init()
    }

    override var isReady: Bool {
      if isToAdd.wait(timeout: .now()) == .success { queue.addOperation(TracedBlockOperation(name: "inner") {}) }
      return super.isReady
    }
  }

  @Test func nestedCallsThatReturnLeaveNoRecord() throws {
    let trace = try recorded { recorder in
      let inner = TracedOperationQueue(name: "inner", recorder: recorder)
      let outer = TracedOperationQueue(name: "outer", recorder: recorder)
      outer.addOperations([Adding(to: inner)], waitUntilFinished: true)
      outer.addBarrierBlock {}
      inner.waitUntilAllOperationsAreFinished()
      outer.waitUntilAllOperationsAreFinished()
    }
    #expect(trace.operations.allSatisfy { $0.addingSince == nil && $0.enqueueCount == 1 })
    #expect(trace.operations.count >= 2)
  }

  /// The call ends after its recorder has stopped and the thread's lane is gone.
  @Test func theRecorderMayStopDuringACall() throws {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(writingTo: scratch.file("first.optrace"))
    let adding = QueueProbe.beginAdding(1, to: OperationQueue(), recorder: recorder)
    try recorder.stop()
    // A new lane on this thread removes the lanes of stopped recorders.
    let other = try TraceRecorder(writingTo: scratch.file("second.optrace"))
    other.mark("here")
    withUnsafePointer(to: adding) { optrace_adding_end($0) }
    try other.stop()
    #expect(try TraceReader.read(path: scratch.file("second.optrace").path).marks.map(\.name) == ["here"])
  }

  @Test func aRingKeepsAHangingCall() throws {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(
      writingTo: scratch.file(), configuration: .flightRecorder(capacity: TraceRecorder.Configuration.smallestCapacity))
    let serial = optrace_recorder_next_serial(recorder.core)
    optrace_emit2(recorder.core, EventKind.operationCreated.rawValue, serial, 0)
    let queue = OperationQueue()
    let adding = QueueProbe.beginAdding(serial, to: queue, isBarrier: true, recorder: recorder)
    func isAdding() throws -> Bool {
      try TraceReader.read(path: scratch.file().path).operation(OperationID(serial))?.addingSince != nil
    }
    try eventually("the keeper tells of it") { try isAdding() }
    for index in 0..<40_000 { recorder.mark("mark \(index)") }
    let trace = try TraceReader.read(path: scratch.file().path)
    #expect(trace.loss.overwrittenBytes > 100_000)
    #expect(try isAdding())
    withUnsafePointer(to: adding) { optrace_adding_end($0) }
    #expect(try !isAdding())
    try recorder.stop()
  }
}
