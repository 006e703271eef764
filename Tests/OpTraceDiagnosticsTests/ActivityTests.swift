import Foundation
import OpTrace
import TestSupport
import Testing

/// A recorder's activity counter, which the watchdog reads.
@Suite(.ownThread) struct ActivityTests {
  @Test(arguments: [TraceRecorder.Configuration.streaming, .flightRecorder(capacity: 256 << 10)])
  func activityChangesWithRecordsOnly(_ configuration: TraceRecorder.Configuration) throws {
    let scratch = try Scratch()
    let recorder = try scratch.recorder(configuration)
    var seen: Set<UInt64?> = [recorder.activity]
    // Write many chunks, on this thread and on others.
    for round in 1...20_000 {
      recorder.mark("round \(round)")
      seen.insert(recorder.activity)
    }
    for _ in 1...10 {
      let isOver = Gate()
      Thread {
        recorder.mark("elsewhere")
        isOver.open()
      }.start()
      isOver.wait()
      seen.insert(recorder.activity)
    }
    #expect(seen.count == 20_011)
    // A heartbeat does not count as activity. A flight recorder may still be cleaning up.
    if configuration == .streaming {
      let last = recorder.activity
      Thread.sleep(forTimeInterval: 0.3)
      #expect(recorder.activity == last)
    }
    try recorder.stop()
    #expect(recorder.activity == nil)
    #expect(recorder.openFile() == nil)
  }

  @Test func lostRecordsCountAsActivity() throws {
    let scratch = try Scratch()
    let recorder = try scratch.recorder(.init(sizeLimit: 64 << 10))
    while recorder.lostRecordCount == 0 { recorder.mark("fill") }
    let before = recorder.activity
    recorder.mark("lost")
    let after = recorder.activity
    #expect(before != after)
    try recorder.stop()
  }
}
