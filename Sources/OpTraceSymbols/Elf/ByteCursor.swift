/// Little-endian numbers, one after another. Past the end every number is 0 and `isBroken` is set, so that a reader checks
/// once where it would act on what it read.
package struct ByteCursor {
  package let bytes: [UInt8]
  package private(set) var offset: Int
  package private(set) var isBroken = false

  package init(_ bytes: [UInt8], from offset: Int = 0) {
    self.bytes = bytes
    self.offset = min(max(offset, 0), bytes.count)
  }

  private var end: Int { bytes.count }
  package var isAtEnd: Bool { offset >= end }
  package var left: Int { end - offset }

  package mutating func byte() -> UInt8 {
    guard offset < end else {
      isBroken = true
      return 0
    }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// Of 1 to 8 bytes.
  package mutating func number(bytes count: Int) -> UInt64 {
    guard count <= end - offset else {
      isBroken = true
      offset = end
      return 0
    }
    var value: UInt64 = 0
    for index in 0..<count { value |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
    offset += count
    return value
  }

  package mutating func u16() -> UInt16 { UInt16(truncatingIfNeeded: number(bytes: 2)) }
  package mutating func u32() -> UInt32 { UInt32(truncatingIfNeeded: number(bytes: 4)) }
  package mutating func u64() -> UInt64 { number(bytes: 8) }

  /// LEB128. Bits above the 64th are dropped.
  mutating func unsigned() -> UInt64 { leb128().bits }

  /// LEB128 in two's complement.
  mutating func signed() -> Int64 {
    let (bits, width, last) = leb128()
    let isNegative = last & 0x40 != 0 && width < 64
    return Int64(bitPattern: isNegative ? bits | ~0 << width : bits)
  }

  /// The bits, how many there were, and the byte that ended them.
  private mutating func leb128() -> (bits: UInt64, width: UInt64, last: UInt8) {
    var bits: UInt64 = 0
    var width: UInt64 = 0
    while true {
      let next = byte()
      if width < 64 { bits |= UInt64(next & 0x7F) << width }
      width &+= 7
      if next & 0x80 == 0 { return (bits, width, next) }
    }
  }

  package mutating func skip(_ count: UInt64) {
    if count > UInt64(end - offset) {
      isBroken = true
      offset = end
    } else {
      offset += Int(count)
    }
  }

  /// Up to a closing zero, which is passed.
  package mutating func text() -> String {
    guard let zero = bytes[offset..<end].firstIndex(of: 0) else {
      isBroken = true
      offset = end
      return ""
    }
    defer { offset = zero + 1 }
    return String(decoding: bytes[offset..<zero], as: UTF8.self)
  }
}

/// A text up to a closing zero, out of the bytes that begin with it; nil where it does not end within `limit` of them.
/// - Parameter beginning: gives the first bytes. Most texts are short, and each call may be one to the system.
package func closedText(limit: Int, _ beginning: (_ count: Int) -> [UInt8]?) -> String? {
  for count in [min(256, limit), limit] {
    guard let bytes = beginning(count) else { return nil }
    if let zero = bytes.firstIndex(of: 0) { return String(decoding: bytes[..<zero], as: UTF8.self) }
  }
  return nil
}
