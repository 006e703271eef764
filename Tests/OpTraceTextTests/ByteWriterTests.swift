import OpTraceModel
import Testing

@testable import OpTraceText

@Suite("Bytes of an export")
struct ByteWriterTests {
  private func written(_ body: (ByteWriter) -> Void) throws -> String {
    var bytes: [UInt8] = []
    let writer = ByteWriter { bytes += $0 }
    body(writer)
    try writer.finish()
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("integers are written with all digits")
  func numbers() throws {
    let values = [0, 7, 10, 99, 100, 12_345, .max, .min, -1]
    #expect(
      try values.map { value in try written { $0.number(value) } } == values.map { String($0) })
    #expect(try written { $0.number(UInt.max) } == String(UInt.max))
  }

  @Test(
    "nanoseconds are written as exact microseconds",
    arguments: [
      (0, "0.000"), (1, "0.001"), (999, "0.999"), (1_000, "1.000"), (1_790_000_000_123_456_789, "1790000000123456.789"),
      (-1, "-0.001"), (Int64.max, "9223372036854775.807"), (Int64.min, "-9223372036854775.808"),
    ] as [(Int64, String)])
  func thousandths(value: Int64, text: String) throws {
    #expect(try written { $0.thousandths(value) } == text)
  }

  @Test("strings escape only what JSON requires, and replace control characters")
  func strings() throws {
    #expect(try written { $0.json("a/b é \"x\" \\.") } == #""a/b é \"x\" \\.""#)
    // At the end of a string a backslash is `\u005c`: one viewer's parser takes `\\"` for an escaped quote.
    #expect(try written { $0.json("C:\\") } == #""C:\u005c""#)
    #expect(try written { $0.json("\u{0}\n\u{1F}\u{7F}") } == "\"\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\"")
    #expect(try written { $0.json("\u{80}\u{9F}\u{A0}\u{C2}\u{80}") } == "\"\u{FFFD}\u{FFFD}\u{A0}\u{C2}\u{FFFD}\"")
  }

  @Test("two number signs, which begin commands to services that run jobs, do not follow each other")
  func numberSigns() throws {
    for (text, expected) in [
      ("#5", "#5"), ("##[error]", #"#\u0023[error]"#), ("a###", #"a#\u0023\u0023"#), ("#\u{AD}#[", "#\u{AD}\\u0023["),
      ("é#1", "é#1"),
    ] {
      #expect(try written { $0.json(text) } == "\"\(expected)\"")
      #expect(try written { $0.exactJSON(text) } == "\"\(expected)\"")
    }
  }

  @Test("values at the end of the buffer are written completely", arguments: 0..<24)
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

  @Test("a sink that fails is not called again, and its error is thrown at the end")
  func failure() {
    struct Full: Error {}
    var calls = 0
    let writer = ByteWriter { _ in
      calls += 1
      throw Full()
    }
    for _ in 0..<30_000 { writer.text("0123456789") }
    #expect(throws: Full.self) { try writer.check() }
    #expect(throws: Full.self) { try writer.finish() }
    #expect(calls == 1)
  }

  @Test("JSON keeps the order of keys, and seconds keep their nanoseconds")
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
