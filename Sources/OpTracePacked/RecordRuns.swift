import OpTraceFormat
import OpTraceModel

/// Finds out which bytes of a trace are records.
struct RecordRuns {
  /// Bytes of any sort, such as a chunk's header, and the records behind them.
  struct Run: Equatable {
    var plain: Int
    var records: Int
  }

  /// One behind the other, as far as a block should go: whole chunks, where they fit.
  private(set) var runs: [Run] = []
  /// How many bytes the runs have.
  private(set) var count = 0
  private var plain = 0

  /// - Parameter isWhole: nothing follows these bytes; else what may belong to something longer is left for the next
  ///   block, unless it is all there is.
  init(_ bytes: [UInt8], isWhole: Bool) {
    while count < bytes.count {
      let header = ChunkHeader(Array(bytes[count..<min(bytes.count, count + Layout.Chunk.size)]))
      let end = header.map { count + Int($0.byteCount) } ?? Self.nextChunk(in: bytes, from: count + 1)
      if end > bytes.count || (header == nil && end == bytes.count), !isWhole, count > 0 { break }
      if let header { addRecords(bytes, count + Layout.Chunk.size, to: count + Layout.Chunk.size + Int(header.fill)) }
      plain += min(end, bytes.count) - count
      count = min(end, bytes.count)
    }
    if plain > 0 { runs.append(Run(plain: plain, records: 0)) }
  }

  /// The records that a chunk begins with, and its header.
  private mutating func addRecords(_ bytes: [UInt8], _ start: Int, to end: Int) {
    let end = min(end, bytes.count)
    var offset = start
    var records = 0
    while offset + 8 <= end {
      let kind = bytes[offset]
      let words = RecordSize.fixedWords(kind: kind) ?? Int(bytes.number(at: offset + 8) as UInt16)
      guard words >= 2 || kind < 0x40, offset + 8 * words <= end else { break }
      offset += 8 * words
      records += 1
    }
    guard records > 0 else { return }
    runs.append(Run(plain: plain + start - count, records: records))
    plain = 0
    count = offset
  }

  /// Where the next chunk may begin, or the end.
  private static func nextChunk(in bytes: [UInt8], from start: Int) -> Int {
    let first = UInt8(truncatingIfNeeded: Layout.Chunk.magic)
    var offset = start
    while offset < bytes.count {
      guard let found = bytes[offset...].firstIndex(of: first) else { return bytes.count }
      if bytes.number(at: found) as UInt32 == Layout.Chunk.magic { return found }
      offset = found + 1
    }
    return bytes.count
  }
}
