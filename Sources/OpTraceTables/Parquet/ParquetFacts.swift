/// What a Parquet file says of itself at its end: its rows, and its own dictionary. Of any writer's files; nothing in there
/// can do more harm than that there is no result.
package struct ParquetFacts: Sendable, Equatable {
  /// How many rows the file has.
  package private(set) var rowCount = 0
  /// What the writer noted.
  package private(set) var facts: [String: String] = [:]

  /// How many bytes at the end give the length of the description before them.
  package static let tailSize = 8

  /// How many bytes the description before the last ``tailSize`` bytes has; nil: it is no Parquet file, or was cut.
  package static func descriptionSize(tail: [UInt8]) -> Int? {
    guard tail.count == tailSize, tail.suffix(4).elementsEqual("PAR1".utf8) else { return nil }
    return tail.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// Nil: the description cannot be read. O(bytes).
  package init?(description: [UInt8]) {
    var reader = ThriftReader(description)
    var rows: Int?
    reader.structure { field, kind, reader in
      switch (field, kind) {
      case (3, .integer): rows = reader.zigzag()
      case (5, .list):
        reader.list { kind, reader in
          guard kind == .structure else { return false }
          var (key, value) = ("", "")
          reader.structure { field, kind, reader in
            guard kind == .binary, field == 1 || field == 2 else { return false }
            let text = String(decoding: reader.binary(), as: UTF8.self)
            if field == 1 { key = text } else { value = text }
            return true
          }
          facts[key] = value
          return true
        }
      default: return false
      }
      return true
    }
    guard reader.isSound, let rows, rows >= 0 else { return nil }
    rowCount = rows
  }
}

/// Reads what ``ThriftWriter`` writes, and steps over everything else.
private struct ThriftReader {
  enum Kind {
    case truth, byte, integer, double, binary, list, structure, map

    init?(_ number: UInt8) {
      switch number {
      case 1, 2: self = .truth
      case 3: self = .byte
      case 4, 5, 6: self = .integer
      case 7: self = .double
      case 8: self = .binary
      case 9, 10: self = .list
      case 11: self = .map
      case 12: self = .structure
      default: return nil
      }
    }
  }

  /// False: the bytes end too early, or are none that Thrift writes.
  private(set) var isSound = true
  private let bytes: [UInt8]
  private var offset = 0
  /// Against bytes that nest without end.
  private var depth = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  private mutating func byte() -> UInt8 {
    guard offset < bytes.count else {
      isSound = false
      return 0
    }
    defer { offset += 1 }
    return bytes[offset]
  }

  private mutating func varint() -> UInt64 {
    var (value, shift) = (UInt64(0), UInt64(0))
    while isSound, shift < 64 {
      let byte = byte()
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    isSound = false
    return 0
  }

  mutating func zigzag() -> Int {
    let value = varint()
    return Int(truncatingIfNeeded: Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1))
  }

  mutating func binary() -> ArraySlice<UInt8> {
    let count = varint()
    guard isSound, count <= UInt64(bytes.count - offset) else {
      isSound = false
      return []
    }
    defer { offset += Int(count) }
    return bytes[offset..<offset + Int(count)]
  }

  /// Calls `field` with each field's number and kind; false: it has not read it.
  mutating func structure(_ field: (Int, Kind, inout ThriftReader) -> Bool) {
    depth += 1
    defer { depth -= 1 }
    var number = 0
    while isSound, depth < 20 {
      let head = byte()
      guard isSound, head != 0 else { return }
      number = head >> 4 == 0 ? zigzag() : number + Int(head >> 4)
      guard let kind = Kind(head & 15) else { break }
      if !field(number, kind, &self) { skip(kind) }
    }
    isSound = false
  }

  /// The same for the elements of a list.
  mutating func list(_ element: (Kind, inout ThriftReader) -> Bool) {
    let head = byte()
    let count = head >> 4 == 15 ? varint() : UInt64(head >> 4)
    guard let kind = Kind(head & 15), count <= UInt64(bytes.count) else {
      isSound = false
      return
    }
    for _ in 0..<count where isSound {
      if kind == .truth { _ = byte() } else if !element(kind, &self) { skip(kind) }
    }
  }

  private mutating func skip(_ kind: Kind) {
    switch kind {
    case .truth: break
    case .byte: _ = byte()
    case .integer: _ = varint()
    case .double: for _ in 0..<8 { _ = byte() }
    case .binary: _ = binary()
    case .list: list { _, _ in false }
    case .structure: structure { _, _, _ in false }
    // None of Parquet's has one.
    case .map: isSound = false
    }
  }
}
