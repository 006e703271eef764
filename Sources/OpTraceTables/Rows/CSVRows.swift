public import OpTraceText

/// Comma-separated values as RFC 4180 has them: a header, lines that end with CR LF, quotes where a value needs them. Null is
/// nothing, an empty text is `""`; a row of one column that is null is `""`, too, as readers step over empty lines. Values are as they are: one that begins with `=` is a formula to programs that look for such.
public struct CSVRows: RowWriter {
  private let writer: ByteWriter

  /// Throws what `sink` throws, when it is called.
  public init(_ sink: @escaping ByteSink) { writer = ByteWriter(sink) }

  public mutating func begin(_ columns: [String]) throws { try row(columns.map { .text($0) }) }

  public mutating func row(_ values: [TableValue]) throws {
    if case .null? = values.first, values.count == 1 { writer.text("\"\"") }
    for (place, value) in values.enumerated() {
      if place > 0 { writer.byte(UInt8(ascii: ",")) }
      write(value)
    }
    writer.text("\r\n")
    try writer.check()
  }

  public mutating func end() throws { try writer.finish() }

  private func write(_ value: TableValue) {
    guard case .text(let text) = value else { return writer.string(value.text ?? "") }
    let needsQuotes =
      text.isEmpty || text.utf8.contains { [UInt8(ascii: ","), UInt8(ascii: "\""), 10, 13].contains($0) }
    guard needsQuotes else { return writer.string(text) }
    writer.byte(UInt8(ascii: "\""))
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\"") { writer.byte(byte) }
      writer.byte(byte)
    }
    writer.byte(UInt8(ascii: "\""))
  }
}
