// What Parquet's encodings are made of (https://github.com/apache/parquet-format/blob/master/Encodings.md).

extension [UInt8] {
  /// ULEB128: seven bits a byte, the lowest first.
  mutating func appendVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  /// The same for numbers with a sign, small ones of either sign in few bytes.
  mutating func appendZigzag(_ value: Int64) { appendVarint(UInt64(bitPattern: value << 1 ^ value >> 63)) }

  mutating func appendLittle<Number: FixedWidthInteger>(_ number: Number) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }

  /// Numbers of `width` bits, the lowest bits first, without gaps; the last byte is filled with zeros.
  mutating func appendPacked(_ values: some Sequence<UInt64>, width: Int) {
    var word: UInt64 = 0
    var used = 0
    for value in values {
      word |= value << UInt64(used)
      used += width
      guard used >= 64 else { continue }
      appendLittle(word)
      used -= 64
      // What did not fit; shifting by all 64 bits gives 0.
      word = value >> UInt64(width - used)
    }
    var rest = word
    for _ in stride(from: 0, to: used, by: 8) {
      append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }
}

/// DELTA_BINARY_PACKED: the differences of neighbours, less the smallest of 128 of them, in as few bits as the largest of 32 needs.
struct DeltaEncoding {
  private static let blockSize = 128
  private static let runSize = 32

  /// Appends `values`. O(n).
  static func append(_ values: [Int64], to bytes: inout [UInt8]) {
    bytes.appendVarint(UInt64(blockSize))
    bytes.appendVarint(UInt64(blockSize / runSize))
    bytes.appendVarint(UInt64(values.count))
    bytes.appendZigzag(values.first ?? 0)
    var next = 1
    var deltas: [UInt64] = []
    deltas.reserveCapacity(blockSize)
    while next < values.count {
      let end = min(next + blockSize, values.count)
      var least = Int64.max
      deltas.removeAll(keepingCapacity: true)
      for index in next..<end {
        // Around the end of the numbers, as the reader adds.
        let delta = values[index] &- values[index - 1]
        least = min(least, delta)
        deltas.append(UInt64(bitPattern: delta))
      }
      bytes.appendZigzag(least)
      for index in deltas.indices { deltas[index] &-= UInt64(bitPattern: least) }
      appendBlock(&deltas, to: &bytes)
      next = end
    }
  }

  private static func appendBlock(_ deltas: inout [UInt64], to bytes: inout [UInt8]) {
    let count = deltas.count
    // A run is always written with all of its numbers, a block with all of its widths.
    while deltas.count % runSize != 0 { deltas.append(0) }
    var widths: [Int] = []
    for run in stride(from: 0, to: blockSize, by: runSize) {
      let all = run < count ? deltas[run..<run + runSize].reduce(0, |) : 0
      widths.append(64 - all.leadingZeroBitCount)
      bytes.append(UInt8(64 - all.leadingZeroBitCount))
    }
    for (number, width) in widths.enumerated() where width > 0 {
      bytes.appendPacked(deltas[number * runSize..<(number + 1) * runSize], width: width)
    }
  }
}

/// RLE: numbers of few bits as runs of equal ones and, between them, packed in eights.
struct RunEncoding {
  /// How many bits numbers up to `largest` take.
  static func width(of largest: Int) -> Int { Int.bitWidth - largest.leadingZeroBitCount }

  /// Appends `values`, each of at most `width` bits. O(n).
  static func append(_ values: [UInt32], width: Int, to bytes: inout [UInt8]) {
    guard width > 0 else { return bytes.appendVarint(UInt64(values.count) << 1) }
    var packed: [UInt64] = []
    func flush() {
      guard !packed.isEmpty else { return }
      let groups = (packed.count + 7) / 8
      bytes.appendVarint(UInt64(groups) << 1 | 1)
      bytes.appendPacked(packed + [UInt64](repeating: 0, count: groups * 8 - packed.count), width: width)
      packed.removeAll(keepingCapacity: true)
    }
    var next = 0
    while next < values.count {
      var end = next + 1
      while end < values.count, values[end] == values[next] { end += 1 }
      let open = packed.count % 8
      if open == 0, end - next >= 8 {
        flush()
        bytes.appendVarint(UInt64(end - next) << 1)
        for shift in stride(from: 0, to: width, by: 8) {
          bytes.append(UInt8(truncatingIfNeeded: values[next] >> UInt32(shift)))
        }
        next = end
      } else {
        let count = min(end - next, 8 - open)
        for _ in 0..<count { packed.append(UInt64(values[next])) }
        next += count
      }
    }
    flush()
  }
}
