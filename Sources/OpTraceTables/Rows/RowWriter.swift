package import OpTraceText

/// Writes rows of whatever query or table, one by one as they come: a result may be larger than memory.
package protocol RowWriter {
  /// Called once, before the first row.
  mutating func begin(_ columns: [String]) throws
  /// As many values as columns.
  mutating func row(_ values: [TableValue]) throws
  /// Called once, behind the last row.
  mutating func end() throws
}

extension TableValue {
  /// As text; nil: null. Bytes are hexadecimal digits.
  var text: String? {
    switch self {
    case .null: nil
    case .integer(let number): String(number)
    case .real(let number): number.description
    case .text(let text): text
    case .blob(let bytes): bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
  }
}

extension TraceTable {
  /// All rows of one trace. O(cells). Throws what the writer throws.
  ///
  /// - Parameter withTrace: false leaves the first column out, for files whose path gives it.
  package func write(_ rows: TableRows, withTrace: Bool, to writer: inout some RowWriter) throws {
    let first = withTrace ? 0 : 1
    try writer.begin(columns[first...].map(\.name))
    var values = [TableValue](repeating: .null, count: columns.count - first)
    for row in 0..<rows.count {
      for column in first..<columns.count { values[column - first] = rows[row, column] }
      try writer.row(values)
    }
    try writer.end()
  }
}

/// Comma-separated values as RFC 4180 has them: a header, lines that end with CR LF, quotes where a value needs them. Null is
/// nothing, an empty text is `""`; a row of one column that is null is `""`, too, as readers step over empty lines. Values are as they are: one that begins with `=` is a formula to programs that look for such.
package struct CSVRows: RowWriter {
  private let writer: ByteWriter

  /// Throws what `sink` throws, when it is called.
  package init(_ sink: @escaping ByteSink) { writer = ByteWriter(sink) }

  package mutating func begin(_ columns: [String]) throws { try row(columns.map { .text($0) }) }

  package mutating func row(_ values: [TableValue]) throws {
    if case .null? = values.first, values.count == 1 { writer.text("\"\"") }
    for (index, value) in values.enumerated() {
      if index > 0 { writer.byte(UInt8(ascii: ",")) }
      write(value)
    }
    writer.text("\r\n")
    try writer.check()
  }

  package mutating func end() throws { try writer.finish() }

  private func write(_ value: TableValue) {
    guard case .text(let text) = value else { return writer.string(value.text ?? "") }
    let needsQuotes =
      text.isEmpty || Self.mayBeCommand(text)
      || text.utf8.contains { [UInt8(ascii: ","), UInt8(ascii: "\""), 10, 13].contains($0) }
    guard needsQuotes else { return writer.string(text) }
    writer.byte(UInt8(ascii: "\""))
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\"") { writer.byte(byte) }
      writer.byte(byte)
    }
    writer.byte(UInt8(ascii: "\""))
  }

  /// Whether a service that runs a job may take a line that begins with this for a command.
  private static func mayBeCommand(_ text: String) -> Bool {
    // Nearly every text begins with a letter.
    guard let byte = text.utf8.first, byte <= UInt8(ascii: ":") || byte >= 0x80 else { return false }
    let first = text.unicodeScalars.first { !$0.properties.isWhitespace && !$0.properties.isDefaultIgnorableCodePoint }
    return first == ":" || first == "#"
  }
}

/// One array of objects, a line each; null stays null, texts read back as they are, bytes are hexadecimal digits. Where two columns have one name, the later
/// ones get a number.
package struct JSONRows: RowWriter {
  private let writer: ByteWriter
  private var keys: [String] = []
  private var isFirst = true

  /// Throws what `sink` throws, when it is called.
  package init(_ sink: @escaping ByteSink) { writer = ByteWriter(sink) }

  package mutating func begin(_ columns: [String]) throws {
    var taken: Set<String> = []
    for column in columns {
      var key = column
      var number = 2
      while !taken.insert(key).inserted {
        key = "\(column)_\(number)"
        number += 1
      }
      keys.append(key)
    }
    writer.text("[")
  }

  package mutating func row(_ values: [TableValue]) throws {
    writer.text(isFirst ? "\n" : ",\n")
    isFirst = false
    JSONValue.object(zip(keys, values).map { JSONValue.Member($0, $1.json) }).write(
      to: writer, level: nil, isExact: true)
    try writer.check()
  }

  package mutating func end() throws {
    writer.text(isFirst ? "]\n" : "\n]\n")
    try writer.finish()
  }
}

extension TableValue {
  fileprivate var json: JSONValue {
    switch self {
    case .null: .null
    case .integer(let number): .integer(Int(number))
    case .real(let number): .number(number)
    case .text, .blob: .string(text ?? "")
    }
  }
}
