package import OpTraceText

/// Encodes one column of a table in the report's data: integers, most of them a little larger than the one before.
///
/// Each value is its distance from `base` (or, without a base, from the last value in the column), zigzag-coded, as a
/// variable-length integer with 7 bits per byte (LEB128), lowest bits first. If values may be missing, 0 means a
/// missing value, and all others are one higher. A column whose values are all the same is written as just that value,
/// and a column that equals its base as the name of the base.
/// `columns.mjs` reads it.
package struct ColumnEncoder {
  /// What the values stand for. Numbers that may change when a trace grows have a meaning of their own: see
  /// ``TableGrowth``.
  package enum Meaning: String {
    case number, time, work, track, group
  }

  package let name: String
  /// The column of the same table that values are relative to, in rows where it has a value itself.
  let base: String?
  let meaning: Meaning
  /// The encoded values. If all values are the same, there are usually none yet: see ``isPostponed(_:)``.
  private var bytes: [UInt8] = []
  private var previous = 0
  private var first: Int?
  private var isUniform = true
  private var isBase: Bool
  private(set) var count = 0

  package init(_ name: String, base: String? = nil, _ meaning: Meaning = .number) {
    self.name = name
    self.base = base
    isBase = base != nil
    self.meaning = meaning
  }

  /// Appends a value. `relative` is the value of the base in this row.
  package mutating func append(_ value: Int?, relative: Int? = nil) {
    if count == 0 { first = value } else if value != first { isUniform = false }
    if value != relative { isBase = false }
    if isUniform, isPostponed(value) { return count += 1 }
    if bytes.isEmpty, count > 0 { writePostponed() }
    count += 1
    encode(value, relative: relative)
  }

  /// Whether the bytes of a value that equals all values before it can wait until a different one comes: they can still
  /// be computed then.
  private func isPostponed(_ value: Int?) -> Bool { bytes.isEmpty && (base == nil || value == nil) }

  private mutating func writePostponed() {
    encode(first, relative: nil)
    // Each of these is a distance of zero, or no value.
    bytes.append(contentsOf: repeatElement(first == nil ? 0 : 1, count: count - 1))
  }

  private mutating func encode(_ value: Int?, relative: Int?) {
    guard let value else { return bytes.append(0) }
    // The subtraction wraps, as does the reader's addition, so any two numbers have a distance.
    let distance = value &- (relative ?? previous)
    previous = value
    var rest = UInt64(bitPattern: Int64(distance << 1 ^ distance >> 63))
    // The code is one higher, because 0 means a missing value. The largest distance has no room for that, but no time
    // is that far away.
    rest = rest == .max ? rest : rest + 1
    while rest > 0x7f {
      bytes.append(UInt8(rest & 0x7f | 0x80))
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Writes `{"base":"enqueued","data":"…"}`, `{"base":"enqueued"}` or `{"all":5}`, with `"of":"time"` for times. In a
  /// table that has grown, there is also `"of":"track"` and the like for numbers that may have moved.
  package func write(to writer: ByteWriter, namesMeaning: Bool = false) {
    writer.json(name)
    writer.text(":{")
    if meaning == .time || (namesMeaning && meaning != .number) {
      writer.text("\"of\":")
      writer.json(meaning.rawValue)
      writer.text(",")
    }
    guard !isUniform else {
      writer.text("\"all\":")
      if let first { writer.number(first) } else { writer.text("null") }
      return writer.text("}")
    }
    if let base {
      writer.text("\"base\":")
      writer.json(base)
      writer.text(isBase ? "}" : ",")
    }
    if isBase { return }
    writer.text("\"data\":\"")
    Base64.write(bytes, to: writer)
    writer.text("\"}")
  }
}
