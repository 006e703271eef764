import Foundation
import OpTrace
import OpTraceModel
import Testing

private final class Work: TracedOperation, @unchecked Sendable {
  override func main() { usleep(2000) }
}

/// What the recorder writes, the reader understands: the two meet only in the format.
@Suite struct RecordedTraceTests {
  private func record(
    _ configuration: TraceRecorder.Configuration = .init(), _ body: (TraceRecorder, TracedOperationQueue) throws -> Void
  ) throws -> TraceEvents {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("reader-\(UUID().uuidString).optrace")
    let recorder = try TraceRecorder(writingTo: url, configuration: configuration)
    defer { try? FileManager.default.removeItem(at: url) }
    let queue = TracedOperationQueue(name: "work", maxConcurrentOperationCount: 1, recorder: recorder)
    try body(recorder, queue)
    queue.waitUntilAllOperationsAreFinished()
    try recorder.stop()
    return try TraceReader.events(path: url.path)
  }

  @Test func aRealRunIsSoundInEveryRule() throws {
    let events = try record { _, queue in
      let first = Work()
      let second = Work()
      second.addDependency(first)
      let other = Work()
      queue.addOperations([first, other, second], waitUntilFinished: false)
      for _ in 0..<5 { queue.addOperation(Work()) }
    }
    #expect(TraceValidator.check(events) == [])
  }
}
