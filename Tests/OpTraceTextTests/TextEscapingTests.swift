@testable import OpTraceText
import Testing

@Suite("Escaping of untrusted names")
struct TextEscapingTests {
  @Test func oneLineHasNoBreaksOrControls() {
    #expect(TextEscaping.oneLine("a\nb\tc\r\nd") == "a b c  d")
    #expect(TextEscaping.oneLine("\u{0}\u{1b}\u{7f}\u{fffe}") == "\u{fffd}\u{fffd}\u{fffd}\u{fffd}")
    // With these noncharacters Cairo runs out of memory when it writes a PDF.
    let noCharacters = String(decoding: [0xEF, 0xB7, 0x90, 0xEF, 0xB7, 0xAF] as [UInt8], as: UTF8.self)
    #expect(TextEscaping.oneLine(noCharacters + "\u{fdf0}") == "\u{fffd}\u{fffd}\u{fdf0}")
    #expect(TextEscaping.oneLine("\u{202e}abc\u{2066}") == "abc")
    #expect(TextEscaping.oneLine(String(repeating: "x", count: 50), limit: 10).count == 10)
    #expect(TextEscaping.oneLine("com.example.images.large", limit: 12) == "com.e….large")
    // The limit holds for very long texts, and for characters of many scalars.
    #expect(TextEscaping.oneLine("first" + String(repeating: "-", count: 1 << 20) + "last", limit: 10) == "firs…-last")
    let marks = "a" + String(repeating: "\u{301}", count: 1000) + "z"
    #expect(TextEscaping.oneLine(marks, limit: 4).unicodeScalars.count < 40)
  }

  @Test("bidirectional controls are shown as U+FFFD in JSON; names in any language are unchanged")
  func directions() throws {
    for (name, shown) in [
      ("\u{202E}abc\u{202C}", "\u{FFFD}abc\u{FFFD}"), ("a\u{2066}", "a\u{FFFD}"),
      ("\u{2069}…\u{202A}", "\u{FFFD}…\u{FFFD}"),
      ("אב … ‰ – ا", "אב … ‰ – ا"), ("\u{202F}\u{2065}\u{206A}\u{2029}", "\u{202F}\u{2065}\u{206A}\u{2029}"),
    ] {
      #expect(TextEscaping.visible(name) == shown)
      var bytes: [UInt8] = []
      try ByteWriter.write(to: { bytes += $0 }) { $0.json(name) }
      #expect(String(decoding: bytes, as: UTF8.self) == "\"\(shown)\"")
    }
  }

  @Test func escapedNamesAreNeverMarkup() {
    #expect(
      TextEscaping.xml("<a b=\"c\" d='e'>&amp;</a>") == "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;amp;&lt;/a&gt;")
    #expect(TextEscaping.dot("\\N \"x\" &lt;\n") == "\\\\N \\\"x\\\" &amp;lt;\\n")
    #expect(TextEscaping.htmlLabel("") == "&#160;" && TextEscaping.htmlLabel("<B>") == "&lt;B&gt;")
    #expect(TextEscaping.slug("Main Queue (2)") == "main-queue-2")
    #expect(TextEscaping.slug("…") == "")
  }
}
