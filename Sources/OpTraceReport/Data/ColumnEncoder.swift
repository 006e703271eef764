import OpTraceText

/// One column of a table in the report's data: integers, most of them a little more than the one before.
///
/// Each value is its distance from `base` (or, without one, from the last value of the column that was there), zigzag-coded, as
/// a variable-length integer of 7 bits a byte (LEB128), lowest first. Where values may be missing, 0 means such
/// a one, and all others are one higher. A column whose values are all the same is written as that value alone.
/// `columns.mjs` reads it.
struct ColumnEncoder {
  /// What the values are. Numbers that may change when a trace grows have a meaning of their own: see ``TableGrowth``.
  enum Meaning: String {
    case number, time, work, track, group
  }

  let name: String
  /// The column of the same table that values are relative to, where it has a value itself.
  let base: String?
  let meaning: Meaning
  /// Of a column whose values are all the same, mostly none yet: see ``isPostponed(_:)``.
  private var bytes: [UInt8] = []
  private var previous = 0
  private var first: Int?
  private var isUniform = true
  private(set) var count = 0

  init(_ name: String, base: String? = nil, _ meaning: Meaning = .number) {
    self.name = name
    self.base = base
    self.meaning = meaning
  }

  /// `relative`: the base's value in this row.
  mutating func append(_ value: Int?, relative: Int? = nil) {
    if count == 0 { first = value } else if value != first { isUniform = false }
    if isUniform, isPostponed(value) { return count += 1 }
    if bytes.isEmpty, count > 0 { writePostponed() }
    count += 1
    encode(value, relative: relative)
  }

  /// Whether the bytes of a value like all before it can wait until another comes: they are known then, too.
  private func isPostponed(_ value: Int?) -> Bool { bytes.isEmpty && (base == nil || value == nil) }

  private mutating func writePostponed() {
    encode(first, relative: nil)
    // No distance, or no value.
    bytes.append(contentsOf: repeatElement(first == nil ? 0 : 1, count: count - 1))
  }

  private mutating func encode(_ value: Int?, relative: Int?) {
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

  /// `{"base":"enqueued","data":"…"}` or `{"all":5}`, with `"of":"time"` for times; in a table that has grown also with
  /// `"of":"track"` and the like where numbers may have moved.
  func write(to writer: ByteWriter, namesMeaning: Bool = false) {
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
      writer.text(",")
    }
    writer.text("\"data\":\"")
    Base64.write(bytes, to: writer)
    writer.text("\"}")
  }
}
