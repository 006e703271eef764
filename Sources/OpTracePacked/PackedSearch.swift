import OpTraceFormat
import OpTraceModel

/// Recognizes a packed trace by its blocks, where its beginning is lost.
enum PackedSearch {
  /// How many bytes it searches, from the beginning and before the end: whatever is lost of the first block, the next one or two
  /// are in them. A file of any other sort costs no more than that.
  private static let reach = UInt64(4 * (PackedLayout.largestPayload + PackedLayout.Block.size))

  /// Whether there is a block in it whose checksum holds. A file that begins as one of another sort is that: a packed trace
  /// inside of an archive is none.
  static func isPacked(_ source: any ByteSource, _ start: [UInt8]) -> Bool {
    guard mayBePacked(start) else { return false }
    let size = source.size()
    if holdsBlock(source, in: 0..<min(size, reach)) { return true }
    return size > reach && holdsBlock(source, in: max(reach, size - min(size, reach))..<size)
  }

  /// The same of what has come out of a pipe so far: whether something in it looks like a block's header.
  static func mayFollow(_ beginning: [UInt8]) -> Bool {
    mayBePacked(beginning) && offsets(in: beginning).contains { header(in: beginning, at: $0) != nil }
  }

  private static func mayBePacked(_ start: [UInt8]) -> Bool {
    !start.starts(with: Layout.magic) && !TraceText.isText(start) && FileGuess.known(start) == nil
  }

  private static func holdsBlock(_ source: any ByteSource, in range: Range<UInt64>) -> Bool {
    var start = range.lowerBound
    while start < range.upperBound {
      let piece = source.bytes(at: start, count: Int(min(1 << 16, range.upperBound - start)))
      guard piece.count >= PackedLayout.Block.size else { return false }
      for offset in offsets(in: piece) where PackedBlock.sound(source, at: start + UInt64(offset)) != nil {
        return true
      }
      // A header may begin in this piece and end in the next.
      start += UInt64(piece.count - PackedLayout.Block.size + 1)
    }
    return false
  }

  /// The offsets of a block's magic number.
  private static func offsets(in bytes: [UInt8]) -> [Int] {
    var offsets: [Int] = []
    var index = 0
    let first = UInt8(truncatingIfNeeded: PackedLayout.Block.magic)
    while let found = bytes[index...].firstIndex(of: first) {
      index = found + 1
      if bytes.number(at: found) as UInt32 == PackedLayout.Block.magic { offsets.append(found) }
    }
    return offsets
  }

  private static func header(in bytes: [UInt8], at offset: Int) -> PackedBlock? {
    PackedBlock(Array(bytes[offset...].prefix(PackedLayout.Block.size)), at: UInt64(offset))
  }
}
