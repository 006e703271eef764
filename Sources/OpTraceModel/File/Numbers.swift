import OpTraceFormat

/// Numbers as they stand in files: little-endian, at any place.
extension [UInt8] {
  /// The number at a place that the caller has checked; 0 outside.
  package func number<Number: FixedWidthInteger>(at offset: Int) -> Number {
    guard offset >= 0, offset + MemoryLayout<Number>.size <= count else { return 0 }
    return withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
  }

  /// A text of at most `size` bytes, up to its first zero.
  func text(at offset: Int, size: Int) -> String {
    guard offset + size <= count else { return "" }
    return String(decoding: self[offset..<offset + size].prefix { $0 != 0 }, as: UTF8.self)
  }

  package func checksum(of range: Range<Int>) -> UInt64 {
    var checksum = Checksum()
    withUnsafeBytes { checksum.add(UnsafeRawBufferPointer(rebasing: $0[range])) }
    return checksum.value
  }

  package mutating func put<Number: FixedWidthInteger>(_ number: Number, at offset: Int) {
    Swift.withUnsafeBytes(of: number.littleEndian) { bytes in
      for (index, byte) in bytes.enumerated() { self[offset + index] = byte }
    }
  }
}
