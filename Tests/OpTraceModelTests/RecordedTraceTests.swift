import Foundation
import OpTrace
import OpTraceModel
import TestSupport
import Testing

private final class Work: TracedOperation, @unchecked Sendable {
  private let body: @Sendable () -> Void
  init(_ name: String? = nil, body: @escaping @Sendable () -> Void = {}) {
    self.body = body
    super.init()
    setName(name)
  }
  override func main() { body() }
}

/// The reader understands what the recorder writes; they share only the format.
@Suite(.serialized, .ownThread) struct RecordedTraceTests {
  private func withRecorder<Result>(
    _ configuration: TraceRecorder.Configuration = .init(), _ body: (TraceRecorder, String) throws -> Result
  ) throws -> Result {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("reader-\(UUID().uuidString).optrace")
    defer { try? FileManager.default.removeItem(at: url) }
    let recorder = try TraceRecorder(writingTo: url, configuration: configuration)
    defer { try? recorder.stop() }
    return try body(recorder, url.path)
  }

  @Test func recordedRunBreaksNoRule() throws {
    try withRecorder { recorder, path in
      let queue = TracedOperationQueue(name: "work", maxConcurrentOperationCount: 2, recorder: recorder)
      // It ends when the growing trace shows the wait.
      let first = Work("first") {
        while (try? TraceReader.read(path: path).waits.contains { $0.target == .operation(OperationID(1)) }) != true {
          usleep(1000)
        }
      }
      let second = Work("second")
      second.addDependency(first)
      queue.addOperations([first, second, Work("third")], waitUntilFinished: true)
      queue.waitUntilAllOperationsAreFinished()
      try recorder.stop()

      let events = try TraceReader.events(path: path)
      #expect(TraceValidator.check(events).map(\.description) == [])
      #expect(events.loss.isComplete)
      let trace = TraceBuilder.build(events)
      #expect(trace.header.isClosed)
      #expect(trace.header.processID == UInt32(ProcessInfo.processInfo.processIdentifier))
      #expect(trace.queues.map(\.name) == ["work"])
      #expect(trace.operations.map(\.name) == ["first", "second", "third"])
      #expect(trace.operations.allSatisfy { $0.className.hasSuffix("Work") && $0.state == .finished })
      let (one, two) = (trace.operations[0], trace.operations[1])
      #expect(two.dependencies.map(\.on) == [one.id])
      let end = try #require(one.finished)
      #expect(try #require(two.ready).time >= end.time)
      #expect(two.ready?.thread == end.thread, "who finished the dependency made it ready")
      #expect(trace.waits.contains { $0.target == .operation(one.id) && $0.ended != nil })
    }
  }

  @Test func textOfARecordedRunIsTheSameTrace() throws {
    try withRecorder { recorder, path in
      let queue = TracedOperationQueue(name: "wörk \"1\"", recorder: recorder)
      for index in 0..<50 { queue.addOperation(Work("op \(index)\n")) }
      queue.waitUntilAllOperationsAreFinished()
      try recorder.stop()
      let events = try TraceReader.events(path: path)
      let text = TraceText.string(events)
      #expect(TraceBuilder.build(try TraceText.parse(text)) == TraceBuilder.build(events))
    }
  }

  /// The trace of a running program is consistent at every reading: no effect without its cause.
  @Test(arguments: [TraceRecorder.Configuration.streaming, .flightRecorder(capacity: 1 << 20)])
  func liveFileIsConsistentAtEveryReading(_ configuration: TraceRecorder.Configuration) throws {
    try withRecorder(configuration) { recorder, path in
      let queue = TracedOperationQueue(name: "live", maxConcurrentOperationCount: 3, recorder: recorder)
      var last = 0
      for round in 0..<8 {
        var previous: Operation?
        for _ in 0..<400 {
          let next = Work { usleep(5) }
          if let previous { next.addDependency(previous) }
          queue.addOperation(next)
          previous = previous == nil ? next : nil
        }
        let events = try TraceReader.events(path: path)
        #expect(!events.header.isClosed)
        #expect(events.loss.damage == [], "round \(round)")
        #expect(TraceValidator.check(events).prefix(3).map(\.description) == [], "round \(round)")
        if configuration == .streaming {
          #expect(events.count >= last)
          last = events.count
        }
      }
      queue.waitUntilAllOperationsAreFinished()
    }
  }

  @Test func ringKeepsTheNewestAndAllThatIsUnfinished() throws {
    try withRecorder(.flightRecorder(capacity: 256 << 10)) { recorder, path in
      let queue = TracedOperationQueue(name: "ring", maxConcurrentOperationCount: 2, recorder: recorder)
      let never = Work("never finished")
      let gate = Work("never added")
      never.addDependency(gate)
      queue.addOperation(never)
      for index in 0..<20_000 {
        queue.addOperation(Work(index == 19_999 ? "newest" : nil))
        // More unfinished operations than fit into the ring would be a loss, and rightly so.
        while index % 100 == 99, queue.operationCount > 50 { usleep(200) }
      }
      while queue.operationCount > 1 { usleep(1000) }
      try recorder.stop()
      let events = try TraceReader.events(path: path)
      #expect(events.loss.damage == [])
      #expect(events.loss.overwrittenBytes > 0)
      #expect(TraceValidator.check(events).prefix(3).map(\.description) == [])
      let trace = TraceBuilder.build(events)
      #expect(events.loss.lost == [:])
      let waiting = try #require(trace.operations.first { $0.name == "never finished" })
      #expect(waiting.state == .pending)
      #expect(waiting.enqueueCount == 1, "carried records are not counted twice")
      #expect(waiting.dependencies.count == 1)
      #expect(trace.operations.contains { $0.name == "newest" && $0.state == .finished })
      #expect(trace.queues.first?.name == "ring")
      queue.addOperation(gate)
      queue.waitUntilAllOperationsAreFinished()
    }
  }
}
