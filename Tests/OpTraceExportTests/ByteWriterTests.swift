import OpTraceModel
import Testing

@testable import OpTraceExport

@Suite("Bytes of an export")
struct ByteWriterTests {
  private func written(_ body: (ByteWriter) -> Void) throws -> String {
    var bytes: [UInt8] = []
    let writer = ByteWriter { bytes += $0 }
    body(writer)
    try writer.finish()
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("numbers to their last digit")
  func numbers() throws {
    let values = [0, 7, 10, 99, 100, 12_345, .max, .min, -1]
    #expect(
      try values.map { value in try written { $0.number(value) } } == values.map { String($0) })
    #expect(try written { $0.number(UInt.max) } == String(UInt.max))
  }

  @Test(
    "nanoseconds as microseconds, exact",
    arguments: [
      (0, "0.000"), (1, "0.001"), (999, "0.999"), (1_000, "1.000"), (1_790_000_000_123_456_789, "1790000000123456.789"),
      (-1, "-0.001"), (Int64.max, "9223372036854775.807"), (Int64.min, "-9223372036854775.808"),
    ] as [(Int64, String)])
  func thousandths(value: Int64, text: String) throws {
    #expect(try written { $0.thousandths(value) } == text)
  }

  @Test("strings: only what JSON demands is escaped, control characters are replaced")
  func strings() throws {
    #expect(try written { $0.json("a/b é \"x\" \\.") } == #""a/b é \"x\" \\.""#)
    // At the end, where one viewer's parser takes `\\"` for an escaped quote.
    #expect(try written { $0.json("C:\\") } == #""C:\u005c""#)
    #expect(try written { $0.json("\u{0}\n\u{1F}\u{7F}") } == "\"\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\"")
    #expect(try written { $0.json("\u{80}\u{9F}\u{A0}\u{C2}\u{80}") } == "\"\u{FFFD}\u{FFFD}\u{A0}\u{C2}\u{FFFD}\"")
  }

  @Test("nothing is lost or torn where the buffer is full, whatever stands there", arguments: 0..<24)
  func borders(offset: Int) throws {
    let start = String(repeating: "x", count: (1 << 16) - 12 + offset)
    let text = try written { writer in
      writer.json(start)
      writer.number(-1_234_567_890_123)
      writer.thousandths(9_876_543_210_987)
      writer.text(",\"literal\":")
      writer.json("日本\"\u{1}")
    }
    #expect(text == "\"\(start)\"-12345678901239876543210.987,\"literal\":\"日本\\\"\u{FFFD}\"")
  }

  @Test("the sink gets pieces of 64 KiB, so memory does not grow with the export")
  func pieces() throws {
    var sizes: [Int] = []
    let writer = ByteWriter { sizes.append($0.count) }
    for _ in 0..<100_000 { writer.text("0123456789") }
    writer.json(String(repeating: "y", count: 300_000))
    try writer.finish()
    #expect(sizes.reduce(0, +) == 1_300_002)
    #expect(sizes.allSatisfy { $0 <= 1 << 16 })
    #expect(sizes.dropLast().allSatisfy { $0 > 65_000 })
  }

  @Test("a sink that fails ends the export with its error, and is not called again")
  func failure() {
    struct Full: Error {}
    var calls = 0
    var fixture = TraceFixture()
    for index in 0..<30_000 { fixture.operation("op", begin: Int64(index) * 10, end: Int64(index) * 10 + 5) }
    #expect(throws: Full.self) {
      try ChromeTraceExporter(fixture.trace).write { _ in
        calls += 1
        throw Full()
      }
    }
    #expect(calls == 1)
  }

  @Test(
    "the wall clock as people write it",
    arguments: [
      (0, "1970-01-01T00:00:00.000000000Z"), (951_782_400_000_000_001, "2000-02-29T00:00:00.000000001Z"),
      (1_790_000_000_123_456_789, "2026-09-21T14:13:20.123456789Z"),
      (4_107_542_399_000_000_000, "2100-02-28T23:59:59.000000000Z"),
    ] as [(UInt64, String)])
  func wallClock(time: UInt64, text: String) {
    #expect(utcText(time) == text)
  }

  @Test("JSON documents keep their order, and seconds their nanoseconds")
  func documents() {
    let value = JSONValue.members([
      "b": .seconds(1_500_000_001), "a": .array([.null, .bool(true), .number(.nan), .number(0.25)]),
      "empty": .array([]), "none": .object([]), "minus": .seconds(-1), "whole": .seconds(2_000_000_000),
    ])
    #expect(
      String(decoding: value.bytes, as: UTF8.self) == """
        {
          "b": 1.500000001,
          "a": [
            null,
            true,
            null,
            0.25
          ],
          "empty": [],
          "none": {},
          "minus": -0.000000001,
          "whole": 2
        }

        """)
  }
}

@Suite("Lanes")
struct LaneTests {
  @Test("flat lanes never overlap, and are as few as there are intervals at one time")
  func flat() {
    var random = SplitMix(state: 9)
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

  @Test("a full set of lanes gives none, until one is free")
  func limit() {
    var lanes = FlatLanes()
    #expect(lanes.lane(from: 0, to: 10, limit: 1) == 0)
    #expect(lanes.lane(from: 5, to: 6, limit: 1) == nil)
    #expect(lanes.lane(from: 10, to: 11, limit: 1) == 0)
    #expect(lanes.lane(from: 10, to: 11, limit: 0) == nil)
  }

  @Test("what lies inside shares a lane, what overlaps in part does not")
  func nesting() {
    var lanes = NestingLanes()
    #expect(lanes.lane(from: 0, to: 100) == 0)
    #expect(lanes.lane(from: 0, to: 50) == 0)
    #expect(lanes.lane(from: 10, to: 60) == 1)
    #expect(lanes.lane(from: 60, to: 100) == 0)
    #expect(lanes.lane(from: 100, to: 100) == 0)
  }
}
