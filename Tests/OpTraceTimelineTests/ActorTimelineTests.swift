import Foundation
import OpTraceModel
import TestSupport
import Testing

@testable import OpTraceTimeline

/// What a timeline says of tasks that wait for actors.
@Suite("Waits for actors on a timeline") struct ActorTimelineTests {
  @Test("each is a slice of its own that names the actor; arrows lead from who resumed a continuation") func slices()
    throws
  {
    let trace = try GoldenTrace.actors()
    var bytes: [UInt8] = []
    let counts = try ChromeTraceExporter(trace, options: TimelineOptions()).write { bytes += Array($0) }
    let text = String(decoding: bytes, as: UTF8.self)
    func count(_ words: String) -> Int { text.components(separatedBy: "\"" + words + "\"").count - 1 }
    // The one that is being given to it, and the one that waits.
    #expect(count("waits for actor Printer 1") >= 3, "\(count("waits for actor Printer 1"))")
    #expect(count("waits for actor 2") == 1 && count("waits for actor Printer") >= 1)
    #expect(count("waits for a continuation") >= 3)
    #expect(counts.resumptionArrows == 1)
  }
}
