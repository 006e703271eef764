/// How likely a binary decision is 1, learned while it is made again and again: the mean of two running estimates, one
/// that follows quickly and one that is steady.
struct Probability {
  private var quick: UInt16 = 1 << 15
  private var slow: UInt16 = 1 << 15

  /// Of 65,536; between 71 and 65,464, for neither estimate reaches its end.
  @inline(__always)
  var ofOne: UInt64 { UInt64((UInt32(quick) + UInt32(slow)) >> 1) }

  @inline(__always)
  mutating func note(_ bit: Bool) {
    if bit {
      quick &+= (UInt16.max &- quick) >> 4
      slow &+= (UInt16.max &- slow) >> 7
    } else {
      quick &-= quick >> 4
      slow &-= slow >> 7
    }
  }
}

/// One direction of a codec. What the codec knows is told to either: an encoder writes the value and gives it back, a
/// decoder does not look at it and gives back the one that was written. So a format is written down once for both.
protocol EntropyCoder {
  mutating func bit(_ value: Bool, _ probability: inout Probability) -> Bool
  /// The lowest bits of `value` as they are, at most 32 of them.
  mutating func raw(_ value: UInt64, bits: Int) -> UInt64
}

/// Arithmetic coding of binary decisions (Rissanen and Langdon, 1979): an interval of 64-bit numbers is divided in the
/// ratio of the probabilities, again and again, and the result is a number that is in all of them. Whenever less than
/// 32 bits of width are left, the upper half of the number is written.
struct ArithmeticEncoder: EntropyCoder {
  private var low: UInt64 = 0
  private var range = UInt64.max
  private var coded: [UInt32] = []
  /// Bits that no probability tells anything of stand apart.
  private var plain: [UInt64] = []
  private var plainRest: UInt64 = 0
  private var plainCount = 0

  @inline(__always)
  mutating func bit(_ value: Bool, _ probability: inout Probability) -> Bool {
    let bound = (range >> 16) &* probability.ofOne
    if value {
      range = bound
    } else {
      let (sum, overflows) = low.addingReportingOverflow(bound)
      low = sum
      if overflows { carry() }
      range &-= bound
    }
    probability.note(value)
    if range < 1 << 32 {
      coded.append(UInt32(truncatingIfNeeded: low >> 32))
      low <<= 32
      range <<= 32
    }
    return value
  }

  mutating func raw(_ value: UInt64, bits: Int) -> UInt64 {
    let value = value & (1 << UInt64(bits) &- 1)
    plainRest |= value << UInt64(plainCount)
    plainCount += bits
    if plainCount >= 64 {
      plain.append(plainRest)
      plainCount -= 64
      plainRest = plainCount == 0 ? 0 : value >> UInt64(bits - plainCount)
    }
    return value
  }

  /// What was written does not change, but for a carry.
  private mutating func carry() {
    for index in coded.indices.reversed() {
      coded[index] &+= 1
      if coded[index] != 0 { return }
    }
  }

  /// The bytes of the decisions, and those of the plain bits.
  consuming func finish() -> (coded: [UInt8], plain: [UInt8]) {
    // A number in the interval whose lower half is 0: what a decoder reads behind the end.
    let (end, overflows) = low.addingReportingOverflow(1 << 32 - 1)
    if overflows { carry() }
    coded.append(UInt32(truncatingIfNeeded: end >> 32))
    if plainCount > 0 { plain.append(plainRest) }
    return (coded.flatMap { bytes(of: $0.bigEndian) }, plain.flatMap { bytes(of: $0.littleEndian) })
  }

  private func bytes(of number: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }
}

/// Takes out what ``ArithmeticEncoder`` has put in. Behind the end of the bytes there are zeros, so that it goes on
/// without an error whatever the bytes are.
struct ArithmeticDecoder: EntropyCoder {
  private var code: UInt64
  private var range = UInt64.max
  private let bytes: UnsafeRawBufferPointer
  private var place: Int
  private let codedEnd: Int
  /// In bits.
  private var plainPlace: Int

  /// The bytes must live as long as the decoder. `coded`: how many of them are decisions; the others are plain bits.
  init(_ bytes: UnsafeRawBufferPointer, coded: Int) {
    self.bytes = bytes
    codedEnd = min(coded, bytes.count)
    plainPlace = codedEnd * 8
    code = 0
    place = 0
    code = UInt64(next()) << 32
    code |= UInt64(next())
  }

  @inline(__always)
  mutating func bit(_ value: Bool, _ probability: inout Probability) -> Bool {
    let bound = (range >> 16) &* probability.ofOne
    let result = code < bound
    if result {
      range = bound
    } else {
      code &-= bound
      range &-= bound
    }
    probability.note(result)
    if range < 1 << 32 {
      range <<= 32
      code = code << 32 | UInt64(next())
    }
    return result
  }

  private mutating func next() -> UInt32 {
    defer { place += 4 }
    guard place + 4 <= codedEnd else { return 0 }
    return UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
  }

  @inline(__always)
  mutating func raw(_ value: UInt64, bits: Int) -> UInt64 {
    let byte = plainPlace >> 3
    let shift = UInt64(plainPlace & 7)
    plainPlace += bits
    return word(at: byte) >> shift & (1 << UInt64(bits) &- 1)
  }

  @inline(__always)
  private func word(at byte: Int) -> UInt64 {
    if byte + 8 <= bytes.count {
      return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: byte, as: UInt64.self))
    }
    var result: UInt64 = 0
    for index in byte..<max(byte, bytes.count) { result |= UInt64(bytes[index]) << UInt64(8 * (index - byte)) }
    return result
  }
}
