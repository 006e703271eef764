import OpTraceFormat

/// A chunk whose records are in memory.
struct LoadedChunk {
  /// Offset of its header in the file.
  var offset: UInt64
  var sequence: UInt64
  var baseTicks: UInt64
  var thread: UInt32
  var kind: Layout.ChunkKind
  /// Its words among those that the walk collected, after records of several events were split.
  var words: Range<Int>
  /// By how many words they grew.
  var added = 0
}

/// A chunk's header as it is in the file.
package struct ChunkHeader: Equatable {
  package var byteCount: UInt64
  var sequence: UInt64
  var baseTicks: UInt64
  var thread: UInt32
  var kind: UInt32
  package var fill: UInt64
  var state: UInt32
  var checksum: UInt64

  /// No writer makes larger chunks, and a reader allocates no more at once.
  static let largest: UInt64 = 1 << 28

  /// Nil if the bytes are no chunk header, or one that contradicts itself.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == Layout.Chunk.size, bytes.number(at: 0) as UInt32 == Layout.Chunk.magic else { return nil }
    byteCount = UInt64(bytes.number(at: Layout.Chunk.byteCount) as UInt32)
    sequence = bytes.number(at: Layout.Chunk.sequence)
    baseTicks = bytes.number(at: Layout.Chunk.baseTicks)
    thread = bytes.number(at: Layout.Chunk.thread)
    kind = bytes.number(at: Layout.Chunk.kind)
    fill = UInt64(bytes.number(at: Layout.Chunk.fill) as UInt32)
    state = bytes.number(at: Layout.Chunk.state)
    checksum = bytes.number(at: Layout.Chunk.checksum)
    guard byteCount % 64 == 0, byteCount >= UInt64(Layout.Chunk.size), byteCount <= Self.largest,
      fill % 8 == 0, fill <= byteCount - UInt64(Layout.Chunk.size),
      Layout.ChunkKind(rawValue: kind) != nil, Layout.ChunkState(rawValue: state) != nil
    else { return nil }
  }

  /// The checksum that a sealed chunk of this header (64 bytes) and these records must have.
  static func checksum(header: [UInt8], records: UnsafeRawBufferPointer) -> UInt64 {
    var checksum = Checksum()
    for offset in stride(from: 0, to: Layout.Chunk.size, by: 8) {
      checksum.add(offset == Layout.Chunk.checksum ? 0 : header.number(at: offset) as UInt64)
    }
    checksum.add(records)
    return checksum.value
  }
}

/// Walks the chunks of a file and copies their records into memory, in one pass.
struct ChunkWalk {
  let source: any ByteSource
  let header: FileHeader
  private var size: UInt64
  private var loader: ChunkLoader
  private(set) var chunks: [LoadedChunk] = []
  private(set) var damage: [LossReport.Damage] = []
  private var sequences: Set<UInt64> = []
  /// The headers as they were when the records were copied, to see whether the writer goes on.
  private var seen: [(offset: UInt64, header: ChunkHeader)] = []
  private var endedAt: UInt64 = 0
  /// Where the walk begins: after the chunks that were taken over.
  private var start: UInt64
  private var visit: ((LoadedChunk, inout [UInt64]) -> Void)?

  /// A file with more damaged parts is not read further, because the rest would be no evidence of anything.
  private static let mostDamage = 256
  /// Entries have 32 bits for the index of a word (32 GiB), and the largest chunk must still fit.
  private static let mostWords = Int(UInt32.max) - Int(ChunkHeader.largest / 8)

  init(_ source: any ByteSource, header: FileHeader) {
    self.source = source
    self.header = header
    size = source.size()
    loader = ChunkLoader(source, header)
    start = header.headerSize
    damage = source.damage
  }

  /// Hands over the words without a copy, after the walk.
  mutating func takeWords() -> [UInt64] {
    defer { loader.words = [] }
    return loader.words
  }

  /// Whether the end is known. A closed file ends where its header says. An open one ends where nothing follows,
  /// because its end mark may be out of date.
  private var isEndKnown: Bool { header.isClosed && header.endOffset >= header.headerSize }
  /// No chunk begins after this offset.
  var end: UInt64 { isEndKnown ? min(header.endOffset, size) : size }

  /// Takes over chunks that others have loaded; the walk continues after them.
  mutating func take(_ loaded: [(LoadedChunk, ChunkHeader)]) {
    for (chunk, header) in loaded {
      sequences.insert(chunk.sequence)
      if !self.header.isClosed { seen.append((chunk.offset, header)) }
      chunks.append(chunk)
      endedAt = chunk.offset
      start = chunk.offset + header.byteCount
    }
  }

  /// - Parameter visit: gets each chunk with its words, which are then forgotten; nil: all are kept.
  ///   `progress`: gets how far the walk is.
  mutating func run(progress: WorkProgress.Reporter? = nil, visit: ((LoadedChunk, inout [UInt64]) -> Void)? = nil) {
    self.visit = visit
    defer { self.visit = nil }
    // Untouched memory costs nothing, but a sparse file must not reserve all there is.
    if visit == nil { loader.words.reserveCapacity(Int(min(size, 1 << 30) / 8)) }
    var offset = start
    while offset < end, damage.count < Self.mostDamage, loader.words.count < Self.mostWords {
      if let gapEnd = source.gapEnd(at: offset) {
        offset = gapEnd
        continue
      }
      endedAt = offset
      offset = step(at: offset, end: end)
      progress?.report(offset, of: end)
    }
    if offset < end {
      let reason =
        loader.words.count < Self.mostWords
        ? "too many damaged parts: the rest was not read" : "more records than can be read at once"
      damage.append(.init(offset: offset, skippedBytes: end - offset, reason: reason))
    }
    // A source that has lost bytes has reported them already.
    if header.endOffset > size, source.damage.isEmpty {
      damage.append(
        .init(
          offset: size, skippedBytes: header.endOffset - size,
          reason: "the file is cut: \(grouped(header.endOffset - size)) bytes are missing"))
    } else if isEndKnown, end < size, let first = firstNonZero(from: end, to: size) {
      damage.append(.init(offset: first, skippedBytes: size - first, reason: "bytes after the end of the trace"))
    }
    noteMissingChunks()
  }

  /// Chunks are numbered in sequence, so each missing number was a chunk. In a ring, reused chunks get new numbers. If
  /// something else is damaged, that is reported instead.
  private mutating func noteMissingChunks() {
    guard header.header.mode == .streaming, damage.isEmpty else { return }
    var last: UInt64 = 0
    for chunk in chunks.sorted(by: { $0.sequence < $1.sequence }) where chunk.sequence > last {
      let missing = chunk.sequence - last - 1
      if missing > 0 {
        let reason =
          missing == 1 ? "a chunk is missing before this one" : "\(grouped(missing)) chunks are missing before this one"
        damage.append(.init(offset: chunk.offset, skippedBytes: 0, reason: reason))
      }
      last = chunk.sequence
    }
  }

  /// Whether the writer has written since the walk began. Then the records of different threads do not end at the same
  /// moment.
  func hasMoved() -> Bool {
    if seen.contains(where: { ChunkHeader(source.bytes(at: $0.offset, count: Layout.Chunk.size)) != $0.header }) {
      return true
    }
    guard !seen.contains(where: { $0.offset == endedAt }) else { return source.size() != size }
    return ChunkHeader(source.bytes(at: endedAt, count: Layout.Chunk.size)) != nil
  }

  /// Reads what is at `offset`; returns the offset at which to continue.
  private mutating func step(at offset: UInt64, end: UInt64) -> UInt64 {
    let bytes = source.bytes(at: offset, count: Layout.Chunk.size)
    guard let chunk = ChunkHeader(bytes) else { return skipUnreadable(at: offset, bytes, end: end) }
    let next = offset + chunk.byteCount
    let used = offset + UInt64(Layout.Chunk.size) + chunk.fill
    // If its records are not all there, even less than its header may be left.
    let rest = used <= end ? used : offset + 1
    switch load(chunk, headerBytes: bytes, at: offset) {
    case .good, .recycled:
      return earlierChunk(from: rest, next, end: end) ?? next
    case .again(let reason):
      damage.append(.init(offset: offset, skippedBytes: min(next, end) - offset, reason: reason))
      return earlierChunk(from: rest, next, end: end) ?? next
    case .bad(let reason):
      let target = nextAfterBad(at: offset, next, end: end)
      damage.append(.init(offset: offset, skippedBytes: min(target, end) - offset, reason: reason))
      return target
    }
  }

  /// A sound chunk should end at `next`. If no chunk begins there, bytes may be missing from its padding; then the next
  /// chunk begins earlier.
  private mutating func earlierChunk(from used: UInt64, _ next: UInt64, end: UInt64) -> UInt64? {
    guard header.isClosed, next > end || next < end && !isChunk(at: next) else { return nil }
    let found = resynchronise(from: used, end: end)
    guard found < min(next, end) else { return nil }
    damage.append(.init(offset: found, skippedBytes: 0, reason: "a chunk begins before the one in front of it ends"))
    return found
  }

  /// Where to continue after a bad chunk, whose size may be wrong, too. Its size is believed if another chunk begins
  /// there. Zeros and the end of the file are weaker evidence, used if no chunk begins before them.
  private func nextAfterBad(at offset: UInt64, _ next: UInt64, end: UInt64) -> UInt64 {
    if next < end, isChunk(at: next) { return next }
    // Less than its header may be left.
    let found = resynchronise(from: offset + 1, end: end)
    if found < min(next, end) { return found }
    let isSpace = next < end && source.bytes(at: next, count: Layout.Chunk.size).allSatisfy { $0 == 0 }
    return isSpace || next == end ? next : found
  }

  private mutating func skipUnreadable(at offset: UInt64, _ bytes: [UInt8], end: UInt64) -> UInt64 {
    let target = resynchronise(from: offset, end: end)
    // Reserved space that was not handed out: the end, or a hole that a killed writer left.
    // The magic number is stored last, so a header without it may be half written.
    let isHalfWritten = !header.isClosed && bytes.prefix(4).allSatisfy { $0 == 0 }
    let first = firstNonZero(from: isHalfWritten ? offset + UInt64(Layout.Chunk.size) : offset, to: target)
    // A running writer may have handed out this space meanwhile.
    if !header.isClosed, ChunkHeader(source.bytes(at: offset, count: Layout.Chunk.size)) != nil { return offset }
    if let first {
      let isHeader = bytes.count >= 4 && bytes.number(at: 0) as UInt32 == Layout.Chunk.magic
      damage.append(
        .init(
          offset: isHeader ? offset : first, skippedBytes: target - (isHeader ? offset : first),
          reason: bytes.count < Layout.Chunk.size
            ? "the file ends inside a chunk's header"
            : isHeader ? "a chunk's header contradicts itself" : "no chunk begins here"))
    } else if header.isClosed {
      damage.append(.init(offset: offset, skippedBytes: target - offset, reason: "zeros where a chunk should be"))
    }
    return target
  }

  private enum Outcome {
    case good, recycled
    /// The records are bad, but the chunk's size is sound.
    case again(String)
    case bad(String)
  }

  private mutating func load(_ first: ChunkHeader, headerBytes: [UInt8], at offset: UInt64) -> Outcome {
    switch loader.load(first, headerBytes: headerBytes, at: offset) {
    case .recycled: return .recycled
    case .bad(let reason): return .bad(reason)
    case .good(let chunk, let header):
      guard sequences.insert(chunk.sequence).inserted else {
        loader.words.removeSubrange(chunk.words.lowerBound...)
        return .again("chunk \(chunk.sequence) is there twice")
      }
      if !self.header.isClosed { seen.append((offset, header)) }
      chunks.append(chunk)
      if let visit {
        visit(chunk, &loader.words)
        loader.words.removeAll(keepingCapacity: true)
      }
      return .good
    }
  }

  private func isChunk(at offset: UInt64) -> Bool {
    ChunkHeader(source.bytes(at: offset, count: Layout.Chunk.size)) != nil
  }

  /// The offset of the next sound chunk header from `start` on, else `end`. Searches every offset, because bytes may be
  /// missing in between.
  private func resynchronise(from start: UInt64, end: UInt64) -> UInt64 {
    let mark = withUnsafeBytes(of: Layout.Chunk.magic.littleEndian) { Array($0) }
    var offset = start
    while offset < end {
      let piece = source.bytes(at: offset, count: Int(min(1 << 16, end - offset)))
      guard piece.count >= mark.count else { return end }
      if piece.isZeros {
        offset += UInt64(piece.count - mark.count + 1)
        continue
      }
      for index in 0...(piece.count - mark.count)
      where piece[index] == mark[0] && piece[index..<index + 4].elementsEqual(mark) {
        let candidate = offset + UInt64(index)
        if let chunk = ChunkHeader(source.bytes(at: candidate, count: Layout.Chunk.size)),
          candidate + chunk.byteCount <= end
        {
          return candidate
        }
      }
      offset += UInt64(piece.count - mark.count + 1)
    }
    return end
  }

  private func firstNonZero(from start: UInt64, to end: UInt64) -> UInt64? {
    var offset = start
    while offset < end {
      let piece = source.bytes(at: offset, count: Int(min(1 << 16, end - offset)))
      guard !piece.isEmpty else { return nil }
      if !piece.isZeros, let index = piece.firstIndex(where: { $0 != 0 }) { return offset + UInt64(index) }
      offset += UInt64(piece.count)
    }
    return nil
  }
}

extension [UInt8] {
  /// Whether all bytes are 0, eight at a time: most of a ring that is not full yet.
  fileprivate var isZeros: Bool {
    withUnsafeBytes { bytes in
      let words = bytes.count / 8
      for index in 0..<words where bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self) != 0 { return false }
      return bytes[(words * 8)...].allSatisfy { $0 == 0 }
    }
  }
}
