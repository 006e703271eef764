public import OpTraceText

/// One array of objects, a line each; null stays null, texts read back as they are, bytes are hexadecimal digits. Where two columns have one name, the later
/// ones get a number.
public struct JSONRows: RowWriter {
  private let writer: ByteWriter
  private var keys: [String] = []
  private var isFirst = true

  /// Throws what `sink` throws, when it is called.
  public init(_ sink: @escaping ByteSink) { writer = ByteWriter(sink) }

  public mutating func begin(_ columns: [String]) throws {
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

  public mutating func row(_ values: [TableValue]) throws {
    writer.text(isFirst ? "\n" : ",\n")
    isFirst = false
    JSONValue.object(zip(keys, values).map { JSONValue.Member($0, $1.json) }).write(
      to: writer, level: nil, isExact: true)
    try writer.check()
  }

  public mutating func end() throws {
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
