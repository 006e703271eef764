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

  /// Ends with a line break; empty when there is no row.
  package func text(_ style: TextStyle, indent: Int = 2) -> String {
    guard !rows.isEmpty else { return "" }
    let cells = rows.map { row in
      columns.indices.map { $0 < row.count ? columns[$0].cut(TerminalText.printable(row[$0])) : "" }
    }
    let widths = columns.indices.map { index in
      cells.reduce(TerminalText.columns(of: columns[index].title)) { max($0, TerminalText.columns(of: $1[index])) }
    }
    var result = style.paint(.faint, line(columns.map(\.title), widths, indent)) + "\n"
    for row in cells { result += line(row, widths, indent) + "\n" }
    return result
  }

  private func line(_ cells: [String], _ widths: [Int], _ indent: Int) -> String {
    var text = String(repeating: " ", count: indent)
    for (index, cell) in cells.enumerated() {
      if index > 0 { text += "  " }
      let blanks = String(repeating: " ", count: max(0, widths[index] - TerminalText.columns(of: cell)))
      text += columns[index].alignment == .right ? blanks + cell : cell + blanks
    }
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }
}
