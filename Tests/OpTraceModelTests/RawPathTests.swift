import Foundation
import OpTraceFormat
import TestSupport
import Testing

@Suite("Paths of any bytes convert to text and back")
struct RawPathTests {
  @Test("UTF-8 stays as it is") func plain() {
    for text in ["", "run.optrace", "é日本👩‍👩‍👧", "\u{10F6FF}\u{10F800}\u{FFFD}", "a\u{1B}"] {
      #expect(RawPath.text(Array(text.utf8)) == text)
      #expect(RawPath.bytes(of: text) == Array(text.utf8))
    }
  }

  @Test("bytes that are not UTF-8 survive the conversion", arguments: 0..<200)
  func bytes(_ seed: UInt64) {
    var generator = SeededGenerator(seed)
    // Parts of characters, invalid bytes, and the characters that stand for other bytes in texts.
    let parts: [[UInt8]] = [
      [0xFF], [0x80], [0xC3], [0xA9], [0xE2, 0x80], [0xF4, 0x8F, 0x9E, 0x80], [0xF4, 0x8F, 0x9F, 0xBF],
      [0xF4, 0x8F, 0x9E],
      [0xED, 0xA0, 0x80], [0xC0, 0xAF], Array("a/é".utf8), Array("\u{10F780}".utf8),
    ]
    let bytes = (0..<Int.random(in: 1...12, using: &generator)).flatMap { _ in
      parts.randomElement(using: &generator) ?? []
    }
    let text = RawPath.text(bytes)
    #expect(RawPath.bytes(of: text) == bytes)
    #expect(text.asPath.map { UInt8(truncatingIfNeeded: $0) } == bytes + [0])
    #expect(text.hasSuffix("a/é") == bytes.reversed().starts(with: Array("a/é".utf8).reversed()))
  }
}
