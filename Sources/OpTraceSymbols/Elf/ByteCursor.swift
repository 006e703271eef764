/// Little-endian numbers, one after another. Past the end every number is 0 and `isBroken` is set, so that a reader checks
/// once where it would act on what it read.
struct ByteCursor {
  let bytes: [UInt8]
  private(set) var place: Int
  /// No byte behind it is read.
  let end: Int
  private(set) var isBroken = false

  init(_ bytes: [UInt8], from place: Int = 0, to end: Int? = nil) {
    self.bytes = bytes
    self.end = min(max(end ?? bytes.count, 0), bytes.count)
    self.place = min(max(place, 0), self.end)
  }

  var isAtEnd: Bool { place >= end }
  var left: Int { end - place }

  mutating func byte() -> UInt8 {
    guard place < end else {
      isBroken = true
      return 0
    }
    defer { place += 1 }
    return bytes[place]
  }

  /// Of 1 to 8 bytes.
  mutating func number(bytes count: Int) -> UInt64 {
    guard count <= end - place else {
      isBroken = true
      place = end
      return 0
    }
    var value: UInt64 = 0
    for index in 0..<count { value |= UInt64(bytes[place + index]) << UInt64(8 * index) }
    place += count
    return value
  }

  mutating func u16() -> UInt16 { UInt16(truncatingIfNeeded: number(bytes: 2)) }
  mutating func u32() -> UInt32 { UInt32(truncatingIfNeeded: number(bytes: 4)) }
  mutating func u64() -> UInt64 { number(bytes: 8) }

  /// LEB128. Bits above the 64th are dropped.
  mutating func unsigned() -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = byte()
      if shift < 64 { value |= UInt64(next & 0x7F) << shift }
      shift &+= 7
      if next & 0x80 == 0 { return value }
    }
  }

  mutating func signed() -> Int64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = byte()
      if shift < 64 { value |= UInt64(next & 0x7F) << shift }
      shift &+= 7
      guard next & 0x80 == 0 else { continue }
      if next & 0x40 != 0, shift < 64 { value |= ~0 << shift }
      return Int64(bitPattern: value)
    }
  }

  mutating func skip(_ count: UInt64) {
    if count > UInt64(end - place) {
      isBroken = true
      place = end
    } else {
      place += Int(count)
    }
  }

  /// Up to a closing zero, which is passed.
  mutating func text() -> String {
    guard let zero = bytes[place..<end].firstIndex(of: 0) else {
      isBroken = true
      place = end
      return ""
    }
    defer { place = zero + 1 }
    return String(decoding: bytes[place..<zero], as: UTF8.self)
  }
}
