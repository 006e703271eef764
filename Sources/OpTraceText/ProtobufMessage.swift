/// A message in protobuf's wire format while it is being put together: fields that are numbers, texts, and messages inside of it.
///
/// The length of an inner message is written before it and is known after it: one byte is left free, and what follows moves where
/// that is not enough. The format: <https://protobuf.dev/programming-guides/encoding/>.
///
/// What is called for every field can be inlined into the exporters' modules.
package struct ProtobufMessage {
  /// What was written so far.
  package var bytes: [UInt8] = []

  /// What decides how a field's value is read; the lowest three bits of its key.
  @usableFromInline enum WireType: UInt64 {
    case varint = 0
    case fixed64 = 1
    case lengthDelimited = 2
  }

  /// An empty message.
  package init() {}

  /// Empties it, to be used again.
  @inlinable package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Seven bits a byte, the lowest first; all but the last have the highest bit set.
  @inlinable mutating func varint(_ value: UInt64) {
    var rest = value
    while rest > 0x7F {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  @inlinable mutating func key(_ field: UInt64, _ type: WireType) { varint(field << 3 | type.rawValue) }

  /// As `uint64`, `bool` and enumerations have it.
  @inlinable package mutating func number(_ field: UInt64, _ value: UInt64) {
    key(field, .varint)
    varint(value)
  }

  /// As `int64` has it: ten bytes for what is negative.
  @inlinable package mutating func signed(_ field: UInt64, _ value: Int64) {
    number(field, UInt64(bitPattern: value))
  }

  /// A repeated number, as `int64` and `uint64` have it, all in one field.
  @inlinable package mutating func packed(_ field: UInt64, _ values: [UInt64]) {
    let offset = open(field)
    for value in values { varint(value) }
    close(offset)
  }

  /// As `double` has it.
  @inlinable package mutating func double(_ field: UInt64, _ value: Double) {
    key(field, .fixed64)
    withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// As `fixed64` has it.
  @inlinable package mutating func fixed(_ field: UInt64, _ value: UInt64) {
    key(field, .fixed64)
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// As `bytes` has it.
  @inlinable package mutating func bytes(_ field: UInt64, _ value: [UInt8]) {
    key(field, .lengthDelimited)
    varint(UInt64(value.count))
    bytes.append(contentsOf: value)
  }

  /// UTF-8.
  @inlinable package mutating func text(_ field: UInt64, _ text: String) {
    key(field, .lengthDelimited)
    varint(UInt64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  /// UTF-8.
  @inlinable package mutating func text(_ field: UInt64, _ text: StaticString) {
    text.withUTF8Buffer {
      key(field, .lengthDelimited)
      varint(UInt64($0.count))
      bytes.append(contentsOf: $0)
    }
  }

  /// An inner message that is complete.
  @inlinable package mutating func message(_ field: UInt64, _ inner: ProtobufMessage) {
    key(field, .lengthDelimited)
    varint(UInt64(inner.bytes.count))
    bytes.append(contentsOf: inner.bytes)
  }

  /// An inner message, written by `body`.
  @inlinable @inline(__always)
  package mutating func message(_ field: UInt64, _ body: (inout Self) -> Void) {
    let offset = open(field)
    body(&self)
    close(offset)
  }

  /// Begins a message; what is written next belongs to it, until ``close(_:)`` gets the result.
  @inlinable package mutating func open(_ field: UInt64) -> Int {
    key(field, .lengthDelimited)
    bytes.append(0)
    return bytes.count
  }

  /// Ends what ``open(_:)`` began.
  @inlinable package mutating func close(_ offset: Int) {
    let count = bytes.count - offset
    guard count > 0x7F else {
      bytes[offset - 1] = UInt8(truncatingIfNeeded: count)
      return
    }
    var length = ProtobufMessage()
    length.varint(UInt64(count))
    bytes.replaceSubrange(offset - 1..<offset, with: length.bytes)
  }
}
