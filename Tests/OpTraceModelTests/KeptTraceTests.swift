import Foundation
import OpTrace
import OpTraceFormat
import TestSupport
import Testing

@testable import OpTraceModel

private final class Work: TracedOperation, @unchecked Sendable {
  override func main() {}
}

/// Copies of a trace that were kept while its program ran on.
@Suite("Kept traces", .serialized, .ownThread) struct KeptTraceTests {
  private static let text = """
    optrace text 1
    process 4711 "server"
    writer "0.2.0"
    mode flight-recorder capacity=1048576
    wall 1790000000123456789
    monotonic 123456789
    state open
    kept 41000000000 "request=1s: a \\"slow\\" one took 1.24 s"
    events 1

    0 t1 thread t1 tid=4711 "main"

    """

  @Test("text, binary, text: the moment and the reason stay") func bothWays() throws {
    let events = try TraceText.parse(Self.text)
    let kept = TraceHeader.Kept(time: 41_000_000_000, reason: "request=1s: a \"slow\" one took 1.24 s")
    #expect(events.header.kept == kept)
    let bytes = TraceWriter.bytes(events)
    let again = try TraceReader.events(bytes: bytes)
    #expect(again.header.kept == kept && TraceText.string(again) == Self.text)
    // The trace goes on until then.
    #expect(TraceBuilder.build(again).end == 41_000_000_000)
    // Both are covered by the checksum.
    var damaged = bytes
    damaged[Layout.Header.keptReason] ^= 1
    #expect(try TraceReader.events(bytes: damaged).loss.damage.count == 1)
    #expect(try TraceReader.events(bytes: damaged).header.kept == nil)
  }

  @Test("an anonymous trace has the moment and no reason") func anonymous() throws {
    let events = Anonymizer.anonymized(try TraceText.parse(Self.text))
    #expect(events.header.kept == .init(time: 41_000_000_000, reason: "reason-1"))
  }

  /// A copy of a trace in the folder; the reason is its name.
  private func copy(_ path: String, to name: String, in folder: Scratch) throws -> String {
    let target = folder.path(name)
    guard let file = OwnedDescriptor(open(target, O_RDWR | O_CREAT | O_EXCL, 0o600)) else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    _ = try TraceCopy.write(path, to: file.number, reason: name) {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
    return target
  }

  @Test("a copy holds what the trace holds, and can get another reason") func whole() throws {
    let folder = try Scratch()
    let url = folder.file("run.optrace")
    let recorder = try TraceRecorder(writingTo: url, configuration: .flightRecorder(capacity: 1 << 20))
    let queue = TracedOperationQueue(name: "work", maxConcurrentOperationCount: 2, recorder: recorder)
    queue.addOperations((0..<500).map { _ in Work() }, waitUntilFinished: true)
    try eventually("all are over") {
      try TraceReader.read(path: url.path).operations.count { $0.finished != nil } == 500
    }
    let path = try copy(url.path, to: "copy", in: folder)
    let trace = try TraceReader.read(path: path)
    #expect(trace.operations.count { $0.finished != nil } == 500 && trace.loss.isComplete)
    #expect(trace.header.kept?.reason == "copy" && !trace.header.isClosed)
    #expect(try TraceValidator.check(path: path).violations.isEmpty)
    // Cut between two characters.
    #expect(TraceCopy.rename(reason: String(repeating: "ä", count: 200), inFile: path) == nil)
    #expect(try TraceReader.header(path: path).kept?.reason == String(repeating: "ä", count: 114))
    #expect(try TraceReader.read(path: path).loss.isComplete)
    try recorder.stop()
  }

  @Test("copies of a ring that is overwritten meanwhile break no rule", arguments: [256 << 10, 1 << 20])
  func moving(_ capacity: Int) throws {
    let folder = try Scratch()
    let url = folder.file("run.optrace")
    let recorder = try TraceRecorder(writingTo: url, configuration: .flightRecorder(capacity: capacity))
    let stop = Stop()
    let threads = (0..<3).map { number in
      let thread = Thread {
        let queue = TracedOperationQueue(name: "work \(number)", maxConcurrentOperationCount: 2, recorder: recorder)
        while !stop.isOpen { queue.addOperations((0..<50).map { _ in Work() }, waitUntilFinished: true) }
        stop.passed()
      }
      thread.start()
      return thread
    }
    try eventually("the ring has been overwritten") { try TraceReader.read(path: url.path).loss.overwrittenBytes > 0 }
    var filled = 0
    for number in 0..<20 {
      let path = try copy(url.path, to: "copy-\(number)", in: folder)
      let result = try TraceValidator.check(path: path)
      #expect(result.violations.map(\.description) == [] && result.loss.damage.isEmpty, "copy \(number)")
      // A small ring may be overwritten as a whole while it is copied: then nothing of that moment is left.
      if result.eventCount > 0 { filled += 1 }
    }
    #expect(filled > 0)
    stop.open()
    try eventually("all threads have ended") { stop.passes == threads.count }
    try recorder.stop()
  }

  private final class Stop: @unchecked Sendable {
    // The lock guards both.
    private let lock = NSLock()
    private var (opened, count) = (false, 0)
    var isOpen: Bool { lock.withLock { opened } }
    var passes: Int { lock.withLock { count } }
    func open() { lock.withLock { opened = true } }
    func passed() { lock.withLock { count += 1 } }
  }

  @Test("the newest part of a ring is read without older chunks") func newest() throws {
    let folder = try Scratch()
    let url = folder.file("run.optrace")
    let recorder = try TraceRecorder(writingTo: url, configuration: .flightRecorder(capacity: 1 << 20))
    let queue = TracedOperationQueue(name: "work", maxConcurrentOperationCount: 1, recorder: recorder)
    queue.addOperations((0..<20_000).map { _ in Work() }, waitUntilFinished: true)
    let path = try copy(url.path, to: "copy", in: folder)
    let all = try TraceReader.read(path: path)
    let last = try #require(all.operations.last { $0.finished != nil }?.finished).time
    let part = try TraceReader.readNewest(path: path, since: last - 1, atMost: 1 << 30)
    // Operations that the ring has carried on are known all the same.
    func finished(_ trace: Trace) -> Int { trace.operations.count { $0.finished != nil } }
    #expect(finished(part) < finished(all) && part.loss.damage.isEmpty)
    #expect(part.operations.contains { $0.finished?.time == last })
    let small = try TraceReader.readNewest(path: path, since: 0, atMost: 64 << 10)
    #expect(finished(small) < finished(all))
    #expect(try TraceReader.readNewest(path: path, since: 0, atMost: 1 << 30).operations.count == all.operations.count)
    try recorder.stop()
  }
}
