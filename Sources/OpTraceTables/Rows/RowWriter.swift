/// Writes rows of whatever query or table, one by one as they come: a result may be larger than memory.
public protocol RowWriter {
  /// Called once, before the first row.
  mutating func begin(_ columns: [String]) throws
  /// As many values as columns.
  mutating func row(_ values: [TableValue]) throws
  /// Called once, behind the last row.
  mutating func end() throws
}

extension TableValue {
  /// As it stands in texts; nil: null. Bytes are hexadecimal digits.
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
