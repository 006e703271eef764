package import OpTraceText

/// A table for people: columns as wide as the first rows want them, numbers to the right. What is wider later moves what is
/// behind it; what is wider than a column may be is cut with an ellipsis.
package struct AlignedRows: RowWriter {
  private static let sample = 500
  private static let widest = 60

  private let writer: ByteWriter
  private let style: TextStyle
  private var columns: [String] = []
  /// Until there are enough to know how wide columns are.
  private var waiting: [[TableValue]]? = []
  private var widths: [Int] = []
  private var isNumber: [Bool] = []
  /// How many rows were written.
  package private(set) var count = 0

  /// Throws what `sink` throws, when it is called.
  package init(_ sink: @escaping ByteSink, style: TextStyle = .plain) {
    (writer, self.style) = (ByteWriter(sink), style)
  }

  package mutating func begin(_ columns: [String]) throws { self.columns = columns }

  package mutating func row(_ values: [TableValue]) throws {
    count += 1
    guard waiting != nil else { return try write(values) }
    waiting?.append(values)
    if count >= Self.sample { try writeSample() }
  }

  package mutating func end() throws {
    try writeSample()
    if count == 0 { writer.text("no rows\n") }
    try writer.finish()
  }

  private mutating func writeSample() throws {
    guard let rows = waiting else { return }
    waiting = nil
    guard !rows.isEmpty else { return }
    for (index, column) in columns.enumerated() {
      let cells = rows.lazy.map { Self.cell($0[index]) }
      widths.append(
        max(TerminalText.columns(of: Self.cut(column)), cells.map { TerminalText.columns(of: $0) }.max() ?? 0))
      isNumber.append(rows.allSatisfy { $0[index].isNumber || $0[index] == .null })
    }
    writer.string(style.paint(.faint, line(columns.map(Self.cut))))
    writer.text("\n")
    for row in rows { try write(row) }
  }

  private func write(_ values: [TableValue]) throws {
    writer.string(line(values.map(Self.cell)))
    writer.text("\n")
    try writer.check()
  }

  private func line(_ cells: [String]) -> String {
    var text = ""
    for (index, cell) in cells.enumerated() {
      if index > 0 { text += "  " }
      text += TerminalText.padded(cell, widths[index], right: isNumber[index])
    }
    while text.hasSuffix(" ") { text.removeLast() }
    return TerminalText.harmless(text)
  }

  private static func cell(_ value: TableValue) -> String { cut(value.text ?? "null") }
  private static func cut(_ text: String) -> String { TerminalText.fitting(TerminalText.printable(text), widest) }
}

extension TableValue {
  fileprivate var isNumber: Bool {
    switch self {
    case .integer, .real: true
    case .null, .text, .blob: false
    }
  }
}
