import OpTraceFormat

/// Knows a packed trace by its blocks, where its beginning is lost.
enum PackedSearch {
  /// How far it looks, from the beginning and before the end: whatever is lost of the first block, the next one or two
  /// are in it. A file of any other sort costs no more than that.
  private static let reach = UInt64(4 * (PackedLayout.largestPayload + PackedLayout.Block.size))

  /// Whether a block stands in it whose checksum holds. What other files begin with is believed: a packed trace inside of
  /// an archive is not one.
  static func isPacked(_ source: any ByteSource, _ start: [UInt8]) -> Bool {
    guard mayBePacked(start) else { return false }
    let size = source.size()
    if holdsBlock(source, in: 0..<min(size, reach)) { return true }
    return size > reach && holdsBlock(source, in: max(reach, size - min(size, reach))..<size)
  }

  /// The same of what has come out of a pipe so far: whether something in it looks like a block's header.
  static func mayFollow(_ beginning: [UInt8]) -> Bool {
    mayBePacked(beginning) && places(in: beginning).contains { place in header(in: beginning, at: place) != nil }
  }

  private static func mayBePacked(_ start: [UInt8]) -> Bool {
    !start.starts(with: Layout.magic) && !TraceText.isText(start) && FileGuess.known(start) == nil
  }

  private static func holdsBlock(_ source: any ByteSource, in range: Range<UInt64>) -> Bool {
    var start = range.lowerBound
    while start < range.upperBound {
      let piece = source.bytes(at: start, count: Int(min(1 << 16, range.upperBound - start)))
      guard piece.count >= PackedLayout.Block.size else { return false }
      for place in places(in: piece) where PackedBlock.sound(source, at: start + UInt64(place)) != nil { return true }
      // A header may begin in this piece and end in the next.
      start += UInt64(piece.count - PackedLayout.Block.size + 1)
    }
    return false
  }

  /// Where a block's magic number stands.
  private static func places(in bytes: [UInt8]) -> [Int] {
    var places: [Int] = []
    var index = 0
    let first = UInt8(truncatingIfNeeded: PackedLayout.Block.magic)
    while let found = bytes[index...].firstIndex(of: first) {
      index = found + 1
      if bytes.number(at: found) as UInt32 == PackedLayout.Block.magic { places.append(found) }
    }
    return places
  }

  private static func header(in bytes: [UInt8], at place: Int) -> PackedBlock? {
    PackedBlock(Array(bytes[place...].prefix(PackedLayout.Block.size)), place: UInt64(place))
  }
}
