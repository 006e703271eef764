/// A plain table: a faint heading, columns two spaces apart, numbers to the right, no trailing blanks. Widths are
/// those of a terminal, where a Chinese character or an emoji takes two columns and an accent none.
package struct TextTable {
  enum Alignment { case left, right }

  package struct Column {
    var title: String
    var alignment: Alignment
    /// Longer cells are cut with an ellipsis.
    var widest: Int

    package static func text(_ title: String, widest: Int = 40) -> Column {
      Column(title: title, alignment: .left, widest: widest)
    }
    package static func number(_ title: String) -> Column { Column(title: title, alignment: .right, widest: 40) }

    fileprivate func cut(_ cell: String) -> String { TerminalText.fitting(cell, widest) }
  }

  var columns: [Column]
  var rows: [[String]] = []

  package init(_ columns: [Column]) { self.columns = columns }

  /// Missing cells are empty.
  package mutating func add(_ cells: [String]) { rows.append(cells) }

  /// Ends with a line break; empty when there is no row. On a terminal no line is wider than that: headings take
  /// several lines, then names are cut, then a row takes several lines.
  package func text(_ style: TextStyle, indent: Int = 2) -> String {
    guard !rows.isEmpty else { return "" }
    let cells = rows.map { row in
      columns.indices.map { $0 < row.count ? columns[$0].cut(TerminalText.printable(row[$0])) : "" }
    }
    let layout = Layout(columns, cells, room: style.cutsTexts ? style.width - indent : .max)
    var result = ""
    for group in layout.groups {
      for line in layout.headings(of: group) {
        result += style.paint(.faint, text(of: line, group, layout.widths, indent)) + "\n"
      }
    }
    for row in cells {
      for group in layout.groups {
        let line = text(of: row, group, layout.widths, indent)
        if group.lowerBound == 0 || !line.isEmpty { result += line + "\n" }
      }
    }
    return result
  }

  /// The cells of a range of columns in one line; those that continue a row are indented further.
  private func text(of cells: [String], _ range: Range<Int>, _ widths: [Int], _ indent: Int) -> String {
    var text = String(repeating: " ", count: range.lowerBound > 0 ? indent + Layout.furtherIndent : indent)
    for index in range {
      if index > range.lowerBound { text += "  " }
      let cell = TerminalText.fitting(cells[index], widths[index])
      text += TerminalText.padded(cell, widths[index], right: columns[index].alignment == .right)
    }
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }
}

/// How a table gets into the room that there is.
private struct Layout {
  /// The lines of each column's heading.
  private var titles: [[String]]
  private(set) var widths: [Int]
  /// The columns of each line of a row: mostly all in one.
  private(set) var groups: [Range<Int>] = []

  /// How far the further lines of a row are indented.
  static let furtherIndent = 4
  /// The fewest characters that are left of a name, if it has as many.
  private static let leastName = 12
  private static let gap = 2

  init(_ columns: [TextTable.Column], _ cells: [[String]], room: Int) {
    let needed = columns.indices.map { index in cells.reduce(0) { max($0, TerminalText.columns(of: $1[index])) } }
    titles = columns.map { [$0.title] }
    widths = []
    widths = measured(needed)
    if Self.total(widths[...]) > room {
      titles = columns.indices.map { index in
        let words = columns[index].title.split(separator: " ").map { TerminalText.columns(of: String($0)) }
        return TerminalText.wrapped(columns[index].title, to: max(needed[index], words.max() ?? 0))
      }
      widths = measured(needed)
    }
    while Self.total(widths[...]) > room {
      let names = columns.indices.filter { columns[$0].alignment == .left && widths[$0] > Self.leastName }
      guard let widest = names.max(by: { widths[$0] < widths[$1] }) else { break }
      widths[widest] -= 1
    }
    var first = 0
    for index in columns.indices {
      let indent = first > 0 ? Self.furtherIndent : 0
      if index > first, indent + Self.total(widths[first...index]) > room {
        groups.append(first..<index)
        first = index
      }
    }
    groups.append(first..<columns.count)
  }

  private func measured(_ needed: [Int]) -> [Int] {
    needed.indices.map { index in titles[index].reduce(needed[index]) { max($0, TerminalText.columns(of: $1)) } }
  }

  private static func total(_ widths: ArraySlice<Int>) -> Int { widths.reduce(0, +) + gap * (widths.count - 1) }

  /// The lines of a heading, each with a cell for every column; short headings stand in the last line.
  func headings(of group: Range<Int>) -> [[String]] {
    let height = titles[group].reduce(1) { max($0, $1.count) }
    return (0..<height).map { line in
      titles.map { title in
        let index = line - (height - title.count)
        return title.indices.contains(index) ? title[index] : ""
      }
    }
  }
}
