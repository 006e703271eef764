import OpTraceText

/// Base64 as in RFC 4648, with padding.
package enum Base64 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  /// The two digits for each value of 12 bits, the first digit in the low byte. This takes half as many steps as going
  /// digit by digit.
  private static let pairs = (0..<4096).map { UInt16(digits[$0 >> 6]) | UInt16(digits[$0 & 63]) << 8 }
  /// The number of three-byte groups that go to the writer at once.
  private static let most = 4096

  static func write(_ bytes: [UInt8], to writer: ByteWriter) {
    bytes.withUnsafeBufferPointer { bytes in
      let whole = bytes.count / 3
      for first in stride(from: 0, to: whole, by: most) {
        writeGroups(bytes, first..<min(first + most, whole), to: writer)
      }
      let rest = bytes[(3 * whole)...]
      guard let one = rest.first else { return }
      let word = UInt32(one) << 16 | (rest.count > 1 ? UInt32(bytes[3 * whole + 1]) << 8 : 0)
      writer.byte(digits[Int(word >> 18)])
      writer.byte(digits[Int(word >> 12 & 63)])
      writer.byte(rest.count > 1 ? digits[Int(word >> 6 & 63)] : UInt8(ascii: "="))
      writer.byte(UInt8(ascii: "="))
    }
  }

  private static func writeGroups(
    _ bytes: UnsafeBufferPointer<UInt8>, _ groups: Range<Int>, to writer: ByteWriter
  ) {
    pairs.withUnsafeBufferPointer { pairs in
      writer.bytes(4 * groups.count) { text in
        for (index, group) in groups.enumerated() {
          let word = Int(bytes[3 * group]) << 16 | Int(bytes[3 * group + 1]) << 8 | Int(bytes[3 * group + 2])
          let four = UInt32(pairs[word >> 12]) | UInt32(pairs[word & 4095]) << 16
          text.storeBytes(of: four.littleEndian, toByteOffset: 4 * index, as: UInt32.self)
        }
      }
    }
  }

  package static func text(_ bytes: [UInt8]) -> String {
    var result: [UInt8] = []
    let writer = ByteWriter { result += $0 }
    write(bytes, to: writer)
    // This sink does not throw.
    try? writer.finish()
    return String(decoding: result, as: UTF8.self)
  }
}
