import OpTraceAnalysis
import OpTraceText
import OpTraceModel
import TestSupport
import Testing

@testable import OpTraceTimeline

@Suite("Parts of the timeline's code")
struct TimelinePieceTests {
  @Test("a sink that fails ends the export with its error, and is not called again")
  func failure() {
    struct Full: Error {}
    var calls = 0
    var fixture = HandmadeTrace("fixture", unit: .nanoseconds)
    for index in 0..<30_000 { fixture.operation("op", began: Int64(index) * 10, ended: Int64(index) * 10 + 5) }
    #expect(throws: Full.self) {
      try ChromeTraceExporter(fixture.trace).write { _ in
        calls += 1
        throw Full()
      }
    }
    #expect(calls == 1)
  }

  @Test(
    "the wall clock is written in ISO 8601",
    arguments: [
      (0, "1970-01-01T00:00:00.000000000Z"), (951_782_400_000_000_001, "2000-02-29T00:00:00.000000001Z"),
      (1_790_000_000_123_456_789, "2026-09-21T14:13:20.123456789Z"),
      (4_107_542_399_000_000_000, "2100-02-28T23:59:59.000000000Z"),
    ] as [(UInt64, String)])
  func wallClock(time: UInt64, text: String) {
    #expect(utcText(time) == text)
  }
}

@Suite("Lanes")
struct LaneTests {
  @Test("flat lanes never overlap, and there are as few as possible")
  func flat() {
    var random = SeededGenerator(9)
    var intervals = (0..<3_000).map { _ in
      let begin = Nanoseconds.random(in: 0..<2_000, using: &random)
      return (begin: begin, end: begin + Nanoseconds.random(in: 1..<40, using: &random))
    }
    intervals.sort { $0.begin < $1.begin }
    var lanes = FlatLanes()
    var ends: [Nanoseconds] = []
    for interval in intervals {
      guard let lane = lanes.lane(from: interval.begin, to: interval.end) else {
        Issue.record("no lane")
        return
      }
      if lane == ends.count {
        ends.append(interval.end)
      } else {
        #expect(ends[lane] <= interval.begin)
        ends[lane] = interval.end
      }
    }
    let most = intervals.map { one in intervals.count { $0.begin <= one.begin && one.begin < $0.end } }.max()
    #expect(lanes.count == most)
  }

  @Test("a full set of lanes gives no lane until one is free")
  func limit() {
    var lanes = FlatLanes()
    #expect(lanes.lane(from: 0, to: 10, limit: 1) == 0)
    #expect(lanes.lane(from: 5, to: 6, limit: 1) == nil)
    #expect(lanes.lane(from: 10, to: 11, limit: 1) == 0)
    #expect(lanes.lane(from: 10, to: 11, limit: 0) == nil)
  }

  @Test("nested intervals share a lane, but partly overlapping ones do not")
  func nesting() {
    var lanes = NestingLanes()
    #expect(lanes.lane(from: 0, to: 100) == 0)
    #expect(lanes.lane(from: 0, to: 50) == 0)
    #expect(lanes.lane(from: 10, to: 60) == 1)
    #expect(lanes.lane(from: 60, to: 100) == 0)
    #expect(lanes.lane(from: 100, to: 100) == 0)
  }
}
