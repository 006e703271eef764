import OpTraceText
import Testing

@Suite("Names that come from anywhere")
struct TextEscapingTests {
  @Test func oneLineIsOneLine() {
    #expect(TextEscaping.oneLine("a\nb\tc\r\nd") == "a b c  d")
    #expect(TextEscaping.oneLine("\u{0}\u{1b}\u{7f}\u{fffe}") == "\u{fffd}\u{fffd}\u{fffd}\u{fffd}")
    // Cairo runs out of memory over these when it writes a PDF.
    let noCharacters = String(decoding: [0xEF, 0xB7, 0x90, 0xEF, 0xB7, 0xAF] as [UInt8], as: UTF8.self)
    #expect(TextEscaping.oneLine(noCharacters + "\u{fdf0}") == "\u{fffd}\u{fffd}\u{fdf0}")
    #expect(TextEscaping.oneLine("\u{202e}abc\u{2066}") == "abc")
    #expect(TextEscaping.oneLine(String(repeating: "x", count: 50), limit: 10).count == 10)
  }

  @Test func escapesLeaveNothingActive() {
    #expect(
      TextEscaping.xml("<a b=\"c\" d='e'>&amp;</a>") == "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;amp;&lt;/a&gt;")
    #expect(TextEscaping.dot("\\N \"x\" &lt;\n") == "\\\\N \\\"x\\\" &amp;lt;\\n")
    #expect(TextEscaping.htmlLabel("") == "&#160;" && TextEscaping.htmlLabel("<B>") == "&lt;B&gt;")
    #expect(TextEscaping.slug("Main Queue (2)") == "main-queue-2")
    #expect(TextEscaping.slug("…") == "")
  }
}
