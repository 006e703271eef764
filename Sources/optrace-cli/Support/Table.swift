#if CLI
  import Foundation

  /// A plain table: a faint heading, columns two spaces apart, numbers to the right, no trailing blanks. Widths are
  /// those of a terminal, where a Chinese character or an emoji takes two columns and an accent none.
  struct Table {
    enum Alignment { case left, right }

    struct Column {
      var title: String
      var alignment: Alignment
      /// Longer cells are cut with an ellipsis.
      var widest: Int

      static func text(_ title: String, widest: Int = 40) -> Column {
        Column(title: title, alignment: .left, widest: widest)
      }
      static func number(_ title: String) -> Column { Column(title: title, alignment: .right, widest: 40) }
    }

    var columns: [Column]
    var rows: [[String]] = []

    init(_ columns: [Column]) { self.columns = columns }

    /// Missing cells are empty.
    mutating func add(_ cells: [String]) { rows.append(cells) }

    /// Ends with a line break; empty when there is no row.
    func text(indent: Int = 2) -> String {
      guard !rows.isEmpty else { return "" }
      let cells = rows.map { row in
        columns.indices.map { $0 < row.count ? shortened(printable(row[$0]), to: columns[$0].widest) : "" }
      }
      let widths = columns.indices.map { index in
        cells.reduce(terminalWidth(of: columns[index].title)) { max($0, terminalWidth(of: $1[index])) }
      }
      var result = Console.faint(line(columns.map(\.title), widths, indent)) + "\n"
      for row in cells { result += line(row, widths, indent) + "\n" }
      return result
    }

    private func line(_ cells: [String], _ widths: [Int], _ indent: Int) -> String {
      var text = String(repeating: " ", count: indent)
      for (index, cell) in cells.enumerated() {
        if index > 0 { text += "  " }
        let blanks = String(repeating: " ", count: max(0, widths[index] - terminalWidth(of: cell)))
        text += columns[index].alignment == .right ? blanks + cell : cell + blanks
      }
      while text.hasSuffix(" ") { text.removeLast() }
      return text
    }

    private func shortened(_ text: String, to widest: Int) -> String {
      guard terminalWidth(of: text) > widest else { return text }
      var result = ""
      var width = 1
      for character in text {
        width += terminalWidth(of: character)
        if width > widest { break }
        result.append(character)
      }
      return result + "…"
    }
  }

  func terminalWidth(of text: String) -> Int { text.reduce(0) { $0 + terminalWidth(of: $1) } }

  /// By the first scalar of a character: marks that follow it take no room.
  private func terminalWidth(of character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    if first.isASCII { return 1 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    if first.properties.isEmojiPresentation { return 2 }
    if character.unicodeScalars.contains("\u{FE0F}") { return 2 }
    // The blocks that terminals draw wide: Hangul, CJK, kana, full-width forms.
    switch first.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
#endif
