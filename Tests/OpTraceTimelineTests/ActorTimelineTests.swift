import Foundation
import OpTraceAnalysis
import OpTraceModel
import TestSupport
import Testing

@testable import OpTraceTimeline

/// Tasks that wait for actors, on a timeline.
@Suite("Waits for actors on a timeline") struct ActorTimelineTests {
  @Test("a wait is a slice that names the actor, and arrows lead from who resumed a continuation")
  func slices() throws {
    let trace = try GoldenTrace.actors()
    var bytes: [UInt8] = []
    let counts = try ChromeTraceExporter(trace, options: TimelineOptions()).write { bytes += Array($0) }
    let text = String(decoding: bytes, as: UTF8.self)
    func count(_ words: String) -> Int { text.components(separatedBy: "\"" + words + "\"").count - 1 }
    // One task is being handed to the actor, and one waits.
    #expect(count("waits for actor Printer 1") >= 3, "\(count("waits for actor Printer 1"))")
    #expect(count("waits for actor 2") == 1 && count("waits for actor Printer") >= 1)
    #expect(count("waits for a continuation") >= 3)
    #expect(counts.resumptionArrows == 1)
  }
}
