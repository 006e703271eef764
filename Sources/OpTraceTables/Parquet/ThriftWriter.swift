/// Writes the structures of a Parquet file's own description: Apache Thrift's compact protocol
/// (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md), as much of it as they need.
struct ThriftWriter {
  private enum Kind: UInt8 {
    case i16 = 4
    case i32 = 5
    case i64 = 6
    case binary = 8
    case list = 9
    case structure = 12
  }

  private(set) var bytes: [UInt8] = []
  /// Of the structure that is being written: fields are written as the distance from the one before.
  private var last: Int16 = 0

  mutating func i16(_ field: Int16, _ value: Int16) {
    header(field, .i16)
    bytes.appendZigzag(Int64(value))
  }

  mutating func i32(_ field: Int16, _ value: Int) {
    header(field, .i32)
    bytes.appendZigzag(Int64(value))
  }

  mutating func i64(_ field: Int16, _ value: Int) {
    header(field, .i64)
    bytes.appendZigzag(Int64(value))
  }

  mutating func binary(_ field: Int16, _ value: some Collection<UInt8>) {
    header(field, .binary)
    element(value)
  }

  mutating func structure(_ field: Int16, _ body: (inout ThriftWriter) -> Void) {
    header(field, .structure)
    element(body)
  }

  mutating func structures<Elements: Collection>(
    _ field: Int16, _ elements: Elements, _ body: (inout ThriftWriter, Elements.Element) -> Void
  ) {
    list(field, elements.count, .structure)
    for value in elements { element { body(&$0, value) } }
  }

  mutating func numbers(_ field: Int16, _ values: [Int]) {
    list(field, values.count, .i32)
    for value in values { bytes.appendZigzag(Int64(value)) }
  }

  mutating func texts(_ field: Int16, _ values: [String]) {
    list(field, values.count, .binary)
    for value in values { element(value.utf8) }
  }

  /// The end of the outermost structure.
  mutating func end() { bytes.append(0) }

  private mutating func header(_ field: Int16, _ kind: Kind) {
    // Never more than 15 apart in Parquet's structures.
    bytes.append(UInt8(truncatingIfNeeded: field - last) << 4 | kind.rawValue)
    last = field
  }

  private mutating func list(_ field: Int16, _ count: Int, _ kind: Kind) {
    header(field, .list)
    if count < 15 { return bytes.append(UInt8(count) << 4 | kind.rawValue) }
    bytes.append(0xF0 | kind.rawValue)
    bytes.appendVarint(UInt64(count))
  }

  private mutating func element(_ value: some Collection<UInt8>) {
    bytes.appendVarint(UInt64(value.count))
    bytes.append(contentsOf: value)
  }

  private mutating func element(_ body: (inout ThriftWriter) -> Void) {
    let outer = last
    last = 0
    body(&self)
    bytes.append(0)
    last = outer
  }
}
