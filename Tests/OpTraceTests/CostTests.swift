import COpTrace
import CRecorderInside
import Foundation
import OpTraceFormat
import OpTraceModel
import TestSupport
import Testing

@testable import OpTrace

/// Reasons for which recording is cheap, checked without measuring time.
@Suite(.ownThread) struct CostTests {
  @Test func theStorageInAnOperationHasTheRecordersSize() {
    #expect(MemoryLayout<OperationProbe.Storage>.size == Int(optrace_operation_words) * 8)
  }

  /// Threads that record at the same time must not wait for each other's cache lines: an event changes only its
  /// thread's data.
  @Test func anEventWritesNothingThatThreadsShare() throws {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(writingTo: scratch.file())
    let operation = TracedOperation()
    recorder.introduce(operation)
    recorder.mark("the thread has its place")
    // The flusher may change shared data in between, so that the two sums differ, but it sleeps most of the time.
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

  /// The recorder asks an operation for its state when it meets it, but only if the operation was used before.
  @Test func operationsUsedBeforeHaveTheirRealState() throws {
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

  #if os(Linux)
    /// The recorder learns the answers of Foundation's getters by watching. If they contradict each other, it stops
    /// using them, and each question would take Foundation's lock again.
    @Test func theExecutingThreadKnowsFoundationsState() throws {
      _ = try recorded { recorder in
        let inside = Log<UInt8>()
        @Sendable func answer(_ operation: SyncWork) -> UInt8 {
          optrace_own_answer(
            operation.probe.pointer, Unmanaged.passUnretained(operation).toOpaque(), UInt32(optrace_own_executing))
        }
        let work = SyncWork { inside.add(answer($0)) }
        let queue = TracedOperationQueue(name: "queue", recorder: recorder)
        queue.addOperations([work], waitUntilFinished: true)
        #expect(inside.all == [UInt8(optrace_own_yes)])
        #expect(answer(work) == UInt8(optrace_own_unknown), "no other thread knows")
      }
    }
  #endif

  /// Getters are the program's code, and Foundation's take locks. While an operation of another class is added, the
  /// recorder calls each getter at most once more than Foundation does.
  @Test func gettersOfAnotherClassAreCalledOnce() throws {
    func questions(_ queue: OperationQueue) -> [String: Int] {
      let operation = Asked()
      queue.isSuspended = true
      queue.addOperation(operation)
      let asked = Dictionary(operation.questions.all.map { ($0, 1) }, uniquingKeysWith: +)
      queue.isSuspended = false
      queue.waitUntilAllOperationsAreFinished()
      return asked
    }
    let plain = questions(OperationQueue())
    _ = try recorded { recorder in
      let more = questions(TracedOperationQueue(recorder: recorder))
        .merging(plain.mapValues { -$0 }, uniquingKeysWith: +).filter { $0.value != 0 }
      let once = ["name", "dependencies", "isAsynchronous", "isCancelled", "qualityOfService", "queuePriority"]
      #expect(more == Dictionary(uniqueKeysWithValues: once.map { ($0, 1) }))
    }
  }

  /// Getters of a class without overrides are called only if the operation was used before.
  @Test func changesToAnOperationOfAnotherClassAreRecorded() throws {
    let trace = try recorded { recorder in
      let queue = TracedOperationQueue(name: "queue", recorder: recorder)
      let named = BlockOperation {}
      named.name = "named"
      let cancelled = BlockOperation {}
      cancelled.cancel()
      let urgent = BlockOperation {}
      urgent.qualityOfService = .userInteractive
      let preferred = BlockOperation {}
      preferred.queuePriority = .veryHigh
      let dependent = BlockOperation {}
      dependent.addDependency(named)
      let untouched = BlockOperation {}
      for operation in [named, cancelled, urgent, preferred, dependent, untouched] { queue.addOperation(operation) }
      queue.waitUntilAllOperationsAreFinished()
    }
    let all = trace.operations
    #expect(all.map(\.name) == ["named", nil, nil, nil, nil, nil])
    #expect(all.map { $0.cancelRequested != nil } == [false, true, false, false, false, false])
    #expect(all.map { $0.quality == .userInteractive } == [false, false, true, false, false, false])
    #expect(all.map(\.priority) == [0, 0, 0, 8, 0, 0])
    #expect(all.map(\.dependencies.count) == [0, 0, 0, 0, 1, 0])
    #expect(all.allSatisfy { $0.coverage == .full && $0.ready != nil && $0.enqueued != nil && $0.finished != nil })
  }

  /// A missing default recorder is cached, so that asking for it is cheap, until there is one.
  @Test func aDefaultRecorderThatStartsLateIsUsed() throws {
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

private final class Asked: Operation, @unchecked Sendable {
  let questions = Log<String>()
  private func asked<Answer>(_ what: String, _ answer: Answer) -> Answer {
    questions.add(what)
    return answer
  }
  override var name: String? {
    get { asked("name", super.name) }
    set { super.name = newValue }
  }
  override var qualityOfService: QualityOfService {
    get { asked("qualityOfService", super.qualityOfService) }
    set { super.qualityOfService = newValue }
  }
  override var queuePriority: QueuePriority {
    get { asked("queuePriority", super.queuePriority) }
    set { super.queuePriority = newValue }
  }
  override var dependencies: [Operation] { asked("dependencies", super.dependencies) }
  override var isAsynchronous: Bool { asked("isAsynchronous", super.isAsynchronous) }
  override var isCancelled: Bool { asked("isCancelled", super.isCancelled) }
  override var isExecuting: Bool { asked("isExecuting", super.isExecuting) }
  override var isFinished: Bool { asked("isFinished", super.isFinished) }
}
