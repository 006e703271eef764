import OpTraceText

/// A table that is exactly as wide as there is room: texts are cut, and less important columns are left out.
package struct FittedTable: Sendable {
  /// A column of a table.
  package struct Column: Sendable {
    let title: String
    let isNumber: Bool
    let rank: Int
    let least: Int

    /// - Parameters:
    ///   - title: the heading.
    ///   - isNumber: on the right, and never cut.
    ///   - rank: columns with the largest rank are left out first; those with rank 0 stay.
    ///   - least: the least width to which a text is cut.
    package init(title: String, isNumber: Bool = false, rank: Int, least: Int = 6) {
      (self.title, self.isNumber, self.rank, self.least) = (title, isNumber, rank, least)
    }
  }

  let columns: [Column]
  private(set) var rows: [[String]] = []

  package init(_ columns: [Column]) { self.columns = columns }

  /// Adds a row, with a text for each column, whatever characters it has.
  package mutating func add(_ cells: [String]) { rows.append(cells.map { TerminalText.printable($0) }) }

  /// The heading and the rows, each of at most `width` columns of a terminal.
  func lines(width: Int, indent: Int = 2) -> (heading: String, rows: [String]) {
    var shown = Array(columns.indices)
    let natural = columns.indices.map { index in
      rows.reduce(TerminalText.columns(of: columns[index].title)) { max($0, TerminalText.columns(of: $1[index])) }
    }
    var widths = natural
    while true {
      let room = width - indent - 2 * (shown.count - 1)
      widths = natural
      var excess = shown.reduce(0) { $0 + widths[$1] } - room
      // Shorten the widest text first.
      while excess > 0 {
        let texts = shown.filter { !columns[$0].isNumber && widths[$0] > least($0) }
        guard let widest = texts.max(by: { widths[$0] < widths[$1] }) else { break }
        let second = texts.filter { $0 != widest }.map { widths[$0] }.max() ?? 0
        let step = min(excess, max(1, widths[widest] - max(second, least(widest))))
        widths[widest] -= step
        excess -= step
      }
      if excess <= 0 { break }
      guard let last = shown.filter({ columns[$0].rank > 0 }).max(by: { columns[$0].rank < columns[$1].rank }) else {
        break
      }
      shown.removeAll { $0 == last }
    }
    func line(_ cells: [String]) -> String {
      var text = String(repeating: " ", count: indent)
      for (number, index) in shown.enumerated() {
        if number > 0 { text += "  " }
        text += TerminalText.padded(
          TerminalText.clipped(cells[index], widths[index]), widths[index], right: columns[index].isNumber)
      }
      while text.hasSuffix(" ") { text.removeLast() }
      return TerminalText.clipped(text, width)
    }
    return (line(columns.map(\.title)), rows.map(line))
  }

  private func least(_ index: Int) -> Int { max(columns[index].least, 1) }
}

extension TerminalText {
  /// Like ``fitting(_:_:)``, but never wider than asked, however little room there is.
  static func clipped(_ text: String, _ widest: Int) -> String {
    guard columns(of: text) > widest else { return text }
    let cut = widest >= 4 ? fitting(text, widest) : text
    guard columns(of: cut) > widest else { return cut }
    var result = ""
    var used = 0
    for character in cut {
      let room = columns(of: String(character))
      if used + room > widest { break }
      result.append(character)
      used += room
    }
    return result
  }

  /// Replaces characters for terminals that know only ASCII, without changing the width.
  static func ascii(_ text: String) -> String {
    guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
    var result = ""
    for character in text {
      switch character {
      case _ where character.isASCII: result.append(character)
      case "…": result.append("~")
      case "µ": result.append("u")
      case "→": result.append(">")
      case "·", "–", "—": result.append("-")
      default: result += String(repeating: "?", count: columns(of: String(character)))
      }
    }
    return result
  }
}
