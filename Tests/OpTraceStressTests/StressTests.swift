import Foundation
import OpTrace
import OpTraceFormat
import OpTraceModel
import TestSupport
import Testing

/// Many threads and queues, with racing cancels and finishes. `make sanitize` runs this under the thread and the
/// address sanitizer. Each operation and each event must be accounted for.
@Suite(.serialized, .ownThread) struct StressTests {
  /// As many as a sanitizer's run can do in reasonable time.
  static let operationCount = 100_000

  final class Sync: TracedOperation, @unchecked Sendable {
    let executed: Counter
    init(_ executed: Counter) { self.executed = executed }
    override func main() { executed.add() }
  }

  /// Finishes in different ways: at once, from another thread, twice.
  final class Async: TracedAsyncOperation, @unchecked Sendable {
    let executed: Counter
    let way: Int
    init(_ executed: Counter, way: Int) {
      self.executed = executed
      self.way = way
    }
    override func execute() {
      executed.add()
      switch way % 3 {
      case 0: finish()
      case 1: DispatchQueue.global().async { self.finish() }
      default:
        DispatchQueue.global().async { self.finish() }
        finish()
      }
    }
  }

  final class Writes: TracedOperation, @unchecked Sendable {
    var result = 0
    override func main() { result = 1 }
  }

  final class ForeignWrites: Operation, @unchecked Sendable {
    var result = 0
    override func main() { result = 1 }
  }

  /// Code that waits for an operation, in any way, sees what the operation wrote. Only OpTrace and Foundation order the
  /// two, so the thread sanitizer reports a missing order.
  @Test func waitersSeeTheResultsOfFinishedOperations() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("finish-\(UUID().uuidString).optrace")
    defer { try? FileManager.default.removeItem(at: url) }
    let recorder = try TraceRecorder(writingTo: url)
    let queue = TracedOperationQueue(name: "queue", maxConcurrentOperationCount: 2, recorder: recorder)
    var sum = 0
    for round in 0..<900 {
      let traced = Writes()
      let foreign = ForeignWrites()
      let both: [Operation] = [traced, foreign]
      if round % 3 == 2 {
        queue.addOperations(both, waitUntilFinished: true)
      } else {
        for operation in both { queue.addOperation(operation) }
        for operation in both {
          if round % 3 == 0 { operation.waitUntilFinished() } else { while !operation.isFinished { sched_yield() } }
        }
      }
      sum += traced.result + foreign.result
    }
    #expect(sum == 1800)
    queue.waitUntilAllOperationsAreFinished()
    try recorder.stop()
    #expect(try Self.trace(at: url).operations.filter { $0.finished != nil }.count == 1800)
  }

  static func trace(at url: URL) throws -> Trace { try TraceReader.read(path: url.path) }

  @Test func everyEventIsAccountedFor() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("stress-\(UUID().uuidString).optrace")
    defer { try? FileManager.default.removeItem(at: url) }
    let recorder = try TraceRecorder(writingTo: url)
    let executed = Counter()
    let cancels = Counter()
    let queues = (0..<8).map {
      TracedOperationQueue(name: "queue \($0)", maxConcurrentOperationCount: [1, 2, 4, -1][$0 % 4], recorder: recorder)
    }
    let threads = 4
    let perThread = Self.operationCount / threads
    let group = DispatchGroup()
    for thread in 0..<threads {
      group.enter()
      Thread {
        var random = SystemRandomNumberGenerator()
        var done = 0
        while done < perThread {
          // Batches with some dependencies, on random queues, some of them cancelled.
          var batch: [Operation] = []
          for index in 0..<min(100, perThread - done) {
            let operation: Operation =
              index % 3 == 0 ? Async(executed, way: index) : index % 3 == 1 ? Sync(executed) : Self.block(executed)
            if index % 5 == 0, let earlier = batch.randomElement(using: &random) { operation.addDependency(earlier) }
            batch.append(operation)
          }
          for operation in batch { queues.randomElement(using: &random)?.addOperation(operation) }
          for operation in batch where Int.random(in: 0..<10, using: &random) == 0 {
            operation.cancel()
            cancels.add()
          }
          recorder.mark("thread \(thread)")
          if done % 1000 == 0 { queues[thread].maxConcurrentOperationCount = 1 + done / 1000 % 4 }
          for operation in batch { operation.waitUntilFinished() }
          done += batch.count
        }
        group.leave()
      }.start()
    }
    // A hang must fail and leave its trace, instead of running forever.
    try #require(group.wait(timeout: .now() + 600) == .success, "operations hang: see \(url.path)")
    for queue in queues { queue.waitUntilAllOperationsAreFinished() }
    try recorder.stop()

    let trace = try Self.trace(at: url)
    #expect(trace.loss == LossReport())
    #expect(trace.operations.count == Self.operationCount)
    #expect(trace.queues.count == 8)
    #expect(trace.marks.count == threads * (perThread / 100))
    #expect(trace.operations.filter { $0.executionBegan != nil }.count == executed.value)
    #expect(trace.operations.filter { $0.cancelRequested != nil }.count == cancels.value)
    var wrong: [OperationRecord] = []
    for operation in trace.operations {
      let isWhole =
        operation.coverage == .full && operation.enqueueCount == 1 && operation.startCount == 1
        && operation.enqueued != nil && operation.finished != nil
        && (operation.executionBegan != nil) == (operation.executionEnded != nil)
        && (operation.state == .finished || operation.state == .cancelled)
      if !isWhole { wrong.append(operation) }
    }
    #expect(wrong.count == 0, "\(wrong.prefix(3))")
    let events = try TraceReader.events(path: url.path)
    let violations = TraceValidator.check(events)
    #expect(violations.isEmpty, "\(violations.prefix(5))")
    // A thread that saw "not ready" just before another thread saw "ready" must not undo that.
    let ready = events.filter { $0.kind == EventKind.ready.rawValue }
    #expect(ready.count == Set(ready.map(\.subject)).count && ready.count <= Self.operationCount)
  }

  static func block(_ executed: Counter) -> TracedBlockOperation {
    TracedBlockOperation { executed.add() }
  }

  @Test func ringUnderLoadStaysSound() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("ring-\(UUID().uuidString).optrace")
    defer { try? FileManager.default.removeItem(at: url) }
    let recorder = try TraceRecorder(writingTo: url, configuration: .flightRecorder(capacity: 1 << 20))
    let executed = Counter()
    let queues = (0..<4).map { TracedOperationQueue(name: "queue \($0)", recorder: recorder) }
    let group = DispatchGroup()
    for thread in 0..<4 {
      group.enter()
      Thread {
        for _ in 0..<50 {
          queues[thread].addOperations((0..<100).map { _ in Sync(executed) }, waitUntilFinished: true)
        }
        group.leave()
      }.start()
    }
    while group.wait(timeout: .now() + 0.01) == .timedOut {
      #expect(try Self.trace(at: url).loss.damage == [])
    }
    try recorder.stop()
    let trace = try Self.trace(at: url)
    #expect(executed.value == 20_000)
    #expect(trace.loss.damage == [] && trace.loss.lostCount == 0 && trace.loss.overwrittenBytes > 0)
    #expect(trace.operations.count > 1000)
  }

  @Test func recordersComeAndGoWhileThreadsWrite() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("recorders-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for round in 0..<30 {
      let url = folder.appendingPathComponent("\(round % 3).optrace")
      let recorder = try TraceRecorder(writingTo: url)
      let group = DispatchGroup()
      for _ in 0..<4 {
        group.enter()
        Thread {
          let executed = Counter()
          let queue = TracedOperationQueue(name: "q", recorder: recorder)
          while recorder.isRecording { queue.addOperations([Sync(executed)], waitUntilFinished: true) }
          group.leave()
        }.start()
      }
      usleep(3_000)
      try recorder.stop()
      #expect(try Self.trace(at: recorder.url).loss == LossReport())
      group.wait()
    }
  }
}
