import Testing

import OpTraceText

@Suite("Tables") struct TextTableTests {
  private static let table: TextTable = {
    var table = TextTable([
      .text("queue"), .number("limit"), .number("operations"), .number("utilisation"), .number("waiting for a slot"),
      .number("for dependencies"), .text("source"),
    ])
    table.add(["a-queue-with-a-rather-long-name", "4", "1,750", "32 %", "372 ms", "5.51 s", "PhotoImport.swift:77"])
    table.add(["b", "unlimited", "8", "4 %", "0 s", "12.1 s", "Main.swift:7"])
    return table
  }()

  private static func lines(_ width: Int, isTerminal: Bool = true) -> [String] {
    table.text(TextStyle(width: width, cutsTexts: isTerminal)).split(separator: "\n").map(String.init)
  }

  @Test("no line is wider than the terminal, and no figure is lost", arguments: 40...130)
  func fits(width: Int) {
    let lines = Self.lines(width)
    #expect(lines.allSatisfy { TerminalText.columns(of: $0) <= width }, "\(lines)")
    for figure in ["unlimited", "1,750", "32 %", "372 ms", "5.51 s", "12.1 s", "utilisation", "dependencies"] {
      #expect(lines.contains { $0.contains(figure) }, "\(figure) in \(lines)")
    }
  }

  @Test("where it fits it is as it always was") func wide() {
    #expect(Self.lines(130) == Self.lines(40, isTerminal: false))
    #expect(Self.lines(130).count == 3)
  }

  @Test("headings take several lines before a name is cut, and names are cut before a row is divided") func order() {
    let whole = Self.lines(130).map(\.count).max() ?? 0
    let stacked = Self.lines(whole - 4)
    #expect(stacked.count == 5 && stacked.contains { $0.contains("a-queue-with-a-rather-long-name") })
    let cut = Self.lines(90)
    #expect(cut.count == 5 && !cut.contains { $0.contains("a-queue-with-a-rather-long-name") })
    #expect(Self.lines(50).count > 5)
  }
}
