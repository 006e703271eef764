import CRecorderTestSupport
import Foundation
import OpTrace
import OpTraceFormat
import OpTraceModel
import TestSupport
import Testing

/// Threads that begin and end, and readers that read while threads write.
@Suite(.serialized, .ownThread) struct ThreadTrapTests {
  /// Runs `body` on its own thread, up to the thread's end.
  static func onThread(_ body: @escaping @Sendable () -> Void) {
    let end = Gate()
    let thread = Thread {
      body()
      end.open()
    }
    thread.start()
    end.wait()
  }

  @Test func endedThreadsPassOnTheirSpace() throws {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(writingTo: scratch.file())
    for index in 0..<1000 { Self.onThread { recorder.mark("\(index)") } }
    try recorder.stop()
    let trace = try TraceReader.read(path: scratch.file().path)
    #expect(trace.marks.map(\.name) == (0..<1000).map(String.init))
    #expect(Set(trace.marks.map(\.at.thread)).count == 1000)
    #expect(trace.loss.isComplete)
    let size = try FileManager.default.attributesOfItem(atPath: scratch.file().path)[.size] as? Int
    // 1000 threads with a chunk each would take 2 MB. A thread may end after the next one begins.
    #expect((size ?? .max) < 1_000_000)
  }

  /// The system calls a thread's destructors in four rounds at most; the recorder takes part in all of them.
  @Test(arguments: [1, 3, 4]) func eventsOfAnEndingThreadAreKeptOrCounted(rounds: Int32) throws {
    let scratch = try Scratch()
    // The recorder's key is created first, so its destructor runs first in each round.
    let recorder = try TraceRecorder(writingTo: scratch.file())
    recorder.mark("first")
    Dying.recorder.add(recorder)
    Dying.calls.reset()
    Self.onThread {
      recorder.mark("alive")
      test_at_thread_exit(
        {
          Dying.recorder.all.last?.mark("dying")
          Dying.calls.add(1)
        }, rounds)
    }
    try eventually("its destructors have run") { Dying.calls.all.count == rounds }
    try recorder.stop()
    let trace = try TraceReader.read(path: scratch.file().path)
    #expect(trace.marks.map(\.name) == ["first", "alive"] + Array(repeating: "dying", count: min(Int(rounds), 3)))
    #expect(Set(trace.marks.dropFirst().map(\.at.thread)).count == 1)
    #expect(trace.loss.lost == (rounds == 4 ? [.threadExited: 1] : [:]))
  }
  enum Dying {
    static let recorder = Log<TraceRecorder>()
    static let calls = Log<Int>()
  }

  @Test func stopWhileOtherThreadsWriteIsSafe() throws {
    for _ in 0..<20 {
      let scratch = try Scratch()
      let recorder = try TraceRecorder(writingTo: scratch.file())
      let group = DispatchGroup()
      let counts = Log<Int>()
      for thread in 0..<4 {
        group.enter()
        Thread {
          var count = 0
          while recorder.isRecording {
            recorder.mark("\(thread)/\(count)")
            count += 1
          }
          counts.add(count)
          group.leave()
        }.start()
      }
      usleep(5_000)
      try recorder.stop()
      group.wait()
      let trace = try TraceReader.read(path: scratch.file().path)
      #expect(trace.header.isClosed)
      #expect(trace.loss == LossReport())
      // Each thread has its marks up to the stop without a gap, except at most the one that was being written then.
      let threads = Dictionary(grouping: trace.marks, by: \.at.thread)
      for marks in threads.values {
        let numbers = marks.compactMap { $0.name.split(separator: "/").last.flatMap { Int($0) } }
        #expect(numbers == Array(0..<numbers.count))
      }
      #expect(trace.marks.count <= counts.all.reduce(0, +))
    }
  }

  @Test func liveTraceIsSoundAtEveryMoment() throws {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(writingTo: scratch.file())
    let queue = TracedOperationQueue(name: "busy", maxConcurrentOperationCount: 2, recorder: recorder)
    let done = Log<Bool>()
    Thread {
      for _ in 0..<60 { queue.addOperations((0..<100).map { _ in SyncWork { _ in } }, waitUntilFinished: true) }
      done.add(true)
    }.start()
    var last = 0
    var looks = 0
    while done.all.isEmpty {
      let trace = try TraceReader.read(path: scratch.file().path)
      #expect(trace.loss.isComplete && !trace.header.isClosed)
      #expect(trace.eventCount >= last)
      last = trace.eventCount
      looks += 1
    }
    try recorder.stop()
    #expect(looks > 0)
    #expect(try TraceReader.read(path: scratch.file().path).operations.count == 6000)
  }
}
