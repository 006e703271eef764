import OpTraceText
import Testing

@Suite("Text for terminals")
struct TerminalTextTests {
  @Test("lines break at spaces; words that are too wide break anywhere")
  func wrapping() {
    #expect(TerminalText.wrapped("one two three", to: 8) == ["one two", "three"])
    #expect(TerminalText.wrapped("", to: 8) == [""])
    #expect(TerminalText.wrapped("abcdefghijklmnop qr", to: 10) == ["abcdefghij", "klmnop qr"])
    // Each character takes two of the eight columns.
    #expect(TerminalText.wrapped("日本語の名前", to: 8) == ["日本語の", "名前"])
  }

  @Test("no line is wider than asked for, and no word is lost", arguments: [8, 13, 40, 100])
  func widths(width: Int) {
    let text = "An operation starts when all that it depends on is finished. 👩‍👩‍👧‍👦 家族 " + String(repeating: "x", count: 150)
    let lines = TerminalText.wrapped(text, to: width)
    for line in lines { #expect(TerminalText.columns(of: line) <= width) }
    #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " })
  }

  @Test("control characters are shown as U+FFFD")
  func printable() {
    #expect(TerminalText.printable("a\u{1B}[31m\n\u{202E}b") == "a\u{FFFD}[31m\u{FFFD}\u{FFFD}b")
    #expect(TerminalText.printableLines("a\u{7}\nb\r\n\u{2067}") == "a\u{FFFD}\nb\u{FFFD}\n\u{FFFD}")
  }

  @Test(
    "what a service that runs jobs would take for a command is not one any more",
    arguments: [
      ("::error::x", "\u{FFFD}:error::x"), ("  \t::error::x", "  \t\u{FFFD}:error::x"),
      ("a\n::error::x\n", "a\n\u{FFFD}:error::x\n"),
      ("a\r\n::x\r::y", "a\r\n\u{FFFD}:x\r\u{FFFD}:y"), ("\u{A0}::x", "\u{A0}\u{FFFD}:x"),
      ("\u{1B}[31;1m::x\u{1B}[0m", "\u{1B}[31;1m\u{FFFD}:x\u{1B}[0m"),
      ("\u{AD}:\u{AD}:x", "\u{AD}\u{FFFD}\u{AD}:x"), ("a ##[error]x", "a \u{FFFD}#[error]x"),
      ("##vso[a]##[b]", "\u{FFFD}#vso[a]\u{FFFD}#[b]"),
      ("###[x]", "#\u{FFFD}#[x]"), ("#\u{200B}#[x]", "\u{FFFD}\u{200B}#[x]"),
    ])
  func harmless(text: String, expected: String) {
    // Characters that are one with the next would be equal to others.
    #expect(Array(TerminalText.harmless(text).unicodeScalars) == Array(expected.unicodeScalars))
    #expect(TerminalText.harmless(expected) == expected)
  }

  @Test(
    "all else stays",
    arguments: [
      "", ":", "a::b", "a: ::b", "std::vector::push_back\n  std::sort", "#5:17 ## x", "closure #1 in load(_:)",
      "[::1]:8080", "##", "#[x]", "# #[x]",
    ])
  func harmlessAnyway(text: String) { #expect(TerminalText.harmless(text) == text) }

  @Test("text that is cut keeps both ends")
  func fitting() {
    #expect(TerminalText.fitting("abcdefgh", 8) == "abcdefgh")
    #expect(TerminalText.fitting("abcdefghi", 8) == "abc…fghi")
    #expect(TerminalText.fitting("abcdef", 4) == "a…ef")
    #expect(TerminalText.fitting("日本語", 4) == "…語")
    #expect(TerminalText.fitting("日本語の名前", 7) == "日本…前")
    #expect(TerminalText.fitting("one two three", 8) == "one…hree", "no blank beside the ellipsis")
    for width in 1...20 {
      #expect(TerminalText.columns(of: TerminalText.fitting("日本語abcdefghijklmn家族", width)) <= width)
    }
  }

  @Test(
    "columns are counted as terminals draw them",
    arguments: [
      ("abc", 3), ("日本", 4), ("e\u{301}", 1), ("👩‍👩‍👧‍👦", 2), ("👍🏽", 2), ("🇩🇪", 2), ("❤\u{FE0F}", 2), ("1\u{FE0F}\u{20E3}", 1),
      ("\u{1100}\u{1161}\u{11A8}", 2), ("\u{1100}가", 4), ("नमस्ते", 4), ("हिन्दी", 5), ("\u{200B}\u{AD}", 0),
    ])
  func columns(text: String, count: Int) {
    #expect(TerminalText.columns(of: text) == count)
  }
}
