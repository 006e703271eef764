import OpTraceText

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
