import OpTraceFormat

/// Finds out what the bytes of a trace are: headers of chunks, records, zeros, or anything.
struct SegmentScan {
  /// The segments of the bytes, one behind the other, as far as a block should go: whole chunks, where they fit.
  private(set) var segments: [BlockCodec.Segment] = []
  private(set) var count = 0

  /// - Parameter isWhole: nothing follows these bytes; else what may belong to something longer is left for the next
  ///   block, unless it is all there is.
  init(_ bytes: [UInt8], isWhole: Bool) {
    while count < bytes.count {
      let header = ChunkHeader(Array(bytes[count..<min(bytes.count, count + Layout.Chunk.size)]))
      let end = count + (header.map { Int($0.byteCount) } ?? Self.next(in: bytes, from: count + 1) - count)
      if end > bytes.count || (header == nil && end == bytes.count), !isWhole, count > 0 { return }
      addPart(of: bytes, header, to: min(end, bytes.count))
    }
  }

  private mutating func addPart(of bytes: [UInt8], _ header: ChunkHeader?, to end: Int) {
    if let header {
      segments.append(.chunkHeader)
      count += Layout.Chunk.size
      let words = Self.recordWords(in: bytes, count..<min(end, count + Int(header.fill)))
      if words > 0 { segments.append(.records(words)) }
      count += words * 8
    }
    addBytes(bytes, to: end)
  }

  /// Zeros are told apart where there are many.
  private mutating func addBytes(_ bytes: [UInt8], to end: Int) {
    var start = count
    while count < end {
      var zeros = 0
      while count + zeros < end, bytes[count + zeros] == 0 { zeros += 1 }
      if zeros >= 16 || (zeros > 0 && count + zeros == end) {
        if count > start { segments.append(.bytes(count - start)) }
        segments.append(.zeros(zeros))
        start = count + zeros
        count = start
      } else {
        count += max(1, zeros)
      }
    }
    if count > start { segments.append(.bytes(count - start)) }
  }

  /// How many words of whole records the range begins with.
  private static func recordWords(in bytes: [UInt8], _ range: Range<Int>) -> Int {
    var place = range.lowerBound
    while place + 8 <= range.upperBound {
      let kind = bytes[place]
      let fixed = Int(KindTables.sizes[Int(kind)])
      let size = fixed > 0 ? fixed : Int(bytes.number(at: place + 8) as UInt16)
      guard fixed > 0 || size >= 2, place + size * 8 <= range.upperBound else { break }
      place += size * 8
    }
    return (place - range.lowerBound) / 8
  }

  /// Where the next chunk may begin, or the end.
  private static func next(in bytes: [UInt8], from start: Int) -> Int {
    let first = UInt8(truncatingIfNeeded: Layout.Chunk.magic)
    var place = start
    while place < bytes.count {
      guard let found = bytes[place...].firstIndex(of: first) else { return bytes.count }
      if bytes.number(at: found) as UInt32 == Layout.Chunk.magic { return found }
      place = found + 1
    }
    return bytes.count
  }
}
