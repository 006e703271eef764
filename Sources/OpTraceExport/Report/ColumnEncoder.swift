import OpTraceText

/// One column of a table in the report's data: integers, most of them a little more than the one before.
///
/// Each value is its distance from `base` (or, without one, from the last value of the column that was there), zigzag-coded, as
/// a variable-length integer of 7 bits a byte (LEB128), lowest first. Where values may be missing, 0 stands for such
/// a one, and all others are one higher. A column whose values are all the same is written as that value alone.
/// `columns.mjs` reads it.
struct ColumnEncoder {
  let name: String
  /// The column of the same table that values are relative to, where it has a value itself.
  let base: String?
  private var bytes: [UInt8] = []
  private var previous = 0
  private var first: Int?
  private var isUniform = true
  private(set) var count = 0

  init(_ name: String, base: String? = nil) {
    self.name = name
    self.base = base
  }

  /// `relative`: the base's value in this row.
  mutating func append(_ value: Int?, relative: Int? = nil) {
    if count == 0 { first = value } else if value != first { isUniform = false }
    count += 1
    guard let value else { return bytes.append(0) }
    // Wraps like the reader's sum: any two numbers have a distance.
    let distance = value &- (relative ?? previous)
    previous = value
    var rest = UInt64(bitPattern: Int64(distance << 1 ^ distance >> 63))
    // One higher, since 0 is a missing one. The largest distance has no room for that; no time is that far away.
    rest = rest == .max ? rest : rest + 1
    while rest > 0x7f {
      bytes.append(UInt8(rest & 0x7f | 0x80))
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func append(_ value: Int64?, relative: Int64? = nil) {
    append(value.map { Int($0) }, relative: relative.map { Int($0) })
  }

  /// `{"base":"enqueued","data":"…"}` or `{"all":5}`.
  func write(to writer: ByteWriter) {
    writer.json(name)
    guard !isUniform else {
      writer.text(":{\"all\":")
      if let first { writer.number(first) } else { writer.text("null") }
      return writer.text("}")
    }
    writer.text(":{")
    if let base {
      writer.text("\"base\":")
      writer.json(base)
      writer.text(",")
    }
    writer.text("\"data\":\"")
    Base64.write(bytes, to: writer)
    writer.text("\"}")
  }
}

/// Columns of the same length.
struct TableEncoder {
  let name: String
  var columns: [ColumnEncoder]
  var count: Int { columns.first?.count ?? 0 }

  init(_ name: String, _ columns: ColumnEncoder...) {
    self.name = name
    self.columns = columns
  }

  /// A value for each column, without bases.
  mutating func append(_ values: Int?...) {
    for (place, value) in values.enumerated() { columns[place].append(value) }
  }

  func write(to writer: ByteWriter) {
    writer.json(name)
    writer.text(":{\"count\":")
    writer.number(count)
    writer.text(",\"columns\":{")
    for (place, column) in columns.enumerated() {
      if place > 0 { writer.text(",\n") }
      column.write(to: writer)
    }
    writer.text("}}")
  }
}

/// RFC 4648, with padding.
enum Base64 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func write(_ bytes: [UInt8], to writer: ByteWriter) {
    bytes.withUnsafeBufferPointer { bytes in
      var place = 0
      while place < bytes.count {
        let rest = bytes.count - place
        let word =
          UInt32(bytes[place]) << 16 | (rest > 1 ? UInt32(bytes[place + 1]) << 8 : 0)
          | (rest > 2 ? UInt32(bytes[place + 2]) : 0)
        writer.byte(digits[Int(word >> 18)])
        writer.byte(digits[Int(word >> 12 & 63)])
        writer.byte(rest > 1 ? digits[Int(word >> 6 & 63)] : UInt8(ascii: "="))
        writer.byte(rest > 2 ? digits[Int(word & 63)] : UInt8(ascii: "="))
        place += 3
      }
    }
  }

  static func text(_ bytes: [UInt8]) -> String {
    var result: [UInt8] = []
    let writer = ByteWriter { result += $0 }
    write(bytes, to: writer)
    // The sink throws nothing.
    try? writer.finish()
    return String(decoding: result, as: UTF8.self)
  }
}
