extension ByteWriter {
  /// A JSON string with its quotes, for programs: it reads back as it was, each character of it. What would steer a terminal, end
  /// a line or turn the direction of writing is escaped. ``json(_:)`` is for viewers that show escapes unchanged.
  package func exactJSON(_ string: String) {
    byte(UInt8(ascii: "\""))
    let done: Void? = string.utf8.withContiguousStorageIfAvailable { exactBytes($0) }
    if done == nil { Array(string.utf8).withUnsafeBufferPointer { exactBytes($0) } }
    byte(UInt8(ascii: "\""))
  }

  private func exactBytes(_ bytes: UnsafeBufferPointer<UInt8>) {
    // Runs without a special byte are copied whole.
    var start = 0
    var index = 0
    while index < bytes.count {
      let (length, code) = Self.escaped(bytes, index)
      defer { index += length }
      guard let code else { continue }
      copy(bytes[start..<index])
      start = index + length
      escape(code)
    }
    copy(bytes[min(start, bytes.count)...])
  }

  /// How many bytes the character at `index` has, where it matters, and its number where it is to be an escape.
  @inline(__always)
  private static func escaped(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> (length: Int, code: UInt16?) {
    let first = bytes[index]
    switch first {
    case 0..<0x20, 0x7F, UInt8(ascii: "\""), UInt8(ascii: "\\"): return (1, UInt16(first))
    case UInt8(ascii: "#"):
      // `##[` is a command to services that run jobs, anywhere in a line.
      return (1, endsPair(bytes, index) ? UInt16(first) : nil)
    // U+0080 to U+009F are C2 80 to C2 9F.
    case 0xC2 where index + 1 < bytes.count:
      let second = bytes[index + 1]
      return (2, second < 0xA0 ? UInt16(second) : nil)
    // U+2000 to U+2FFF begin so: the ends of lines and paragraphs, and what turns the direction of writing.
    case 0xE2 where index + 2 < bytes.count:
      let code = 0x2000 | UInt16(bytes[index + 1] & 0x3F) << 6 | UInt16(bytes[index + 2] & 0x3F)
      let isSpecial = (0x2028...0x202E).contains(code) || (0x2066...0x2069).contains(code)
      return (3, isSpecial ? code : nil)
    default: return (1, nil)
    }
  }

  private func escape(_ code: UInt16) {
    byte(UInt8(ascii: "\\"))
    switch code {
    case 0x22, 0x5C: byte(UInt8(truncatingIfNeeded: code))
    case 0x08: byte(UInt8(ascii: "b"))
    case 0x09: byte(UInt8(ascii: "t"))
    case 0x0A: byte(UInt8(ascii: "n"))
    case 0x0C: byte(UInt8(ascii: "f"))
    case 0x0D: byte(UInt8(ascii: "r"))
    default:
      byte(UInt8(ascii: "u"))
      for shift in [UInt16(12), 8, 4, 0] {
        let digit = UInt8(truncatingIfNeeded: code >> shift) & 15
        byte(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
      }
    }
  }
}
