import OpTraceModel

/// Finds the blocks of a packed trace, and what of it cannot be read.
struct PackedIndex {
  private(set) var blocks: [PackedBlock] = []
  private(set) var damage: [LossReport.Damage] = []
  /// Of the trace, as the header says; nil when that is damaged.
  private var length: UInt64?
  /// In the packed file.
  private var offset: UInt64
  /// Bytes of the trace that are missing, and the index of the damage that reports them.
  private var gaps: [(damage: Int, range: Range<UInt64>)] = []
  /// The first block once more.
  private var copy: PackedBlock?

  /// A file that is damaged at more offsets is given up.
  private static let mostDamage = 256

  /// Reads the header. Only what makes the rest unreadable is an error.
  init(_ packed: any ByteSource, file: String) throws(TraceError) {
    typealias Field = PackedLayout.Header
    let header = packed.bytes(at: 0, count: Field.size)
    guard header.count == Field.size else {
      throw TraceError(
        file: file,
        .unreadableHeader("the packed file is cut after \(grouped(header.count)) of \(grouped(Field.size)) bytes"))
    }
    offset = UInt64(Field.size)
    guard header.checksum(of: 0..<Field.checksum) == header.number(at: Field.checksum) as UInt64 else {
      damage.append(
        .init(offset: 0, skippedBytes: 0, reason: "the header of the packed trace does not match its checksum"))
      // Bytes may be missing in it.
      offset = (0..<offset).first { PackedBlock.sound(packed, at: $0) != nil } ?? offset
      return
    }
    let major: UInt16 = header.number(at: Field.majorVersion)
    let minor: UInt16 = header.number(at: Field.minorVersion)
    guard major <= PackedLayout.majorVersion else {
      throw TraceError(file: file, .newerVersion(format: "\(major).\(minor), packed", writer: "version not known"))
    }
    guard major == PackedLayout.majorVersion else {
      throw TraceError(
        file: file,
        .unreadableHeader(
          "it was packed in an older form that is no longer read: unpack it with the version that packed it, then pack it again"
        ))
    }
    offset = max(offset, UInt64(header.number(at: Field.headerSize) as UInt32))
    length = header.number(at: Field.length)
  }

  mutating func scan(_ packed: any ByteSource) {
    let size = packed.size()
    var zeros: UInt64 = 0
    while offset < size, damage.count < Self.mostDamage {
      let block = PackedBlock.sound(packed, at: offset)
      if let block, isCopy(block) {
        copy = block
        offset = block.next
      } else if let end = length, blocks.last?.end ?? 0 == end, copy != nil {
        note(to: size, "bytes after the end of the packed trace")
      } else if let block, follows(block, zeros: zeros) {
        if block.kind == .zeros { zeros += block.length }
        append(block)
        offset = block.next
      } else {
        skip(packed, to: next(packed, size: size, zeros: zeros))
      }
    }
    if offset < size { note(to: size, "too many damaged parts: the rest was not read") }
    finish(size)
  }

  /// Fills the beginning from its copy, and reports what is missing after all.
  private mutating func finish(_ size: UInt64) {
    var start: UInt64 = 0
    if let copy, let first = blocks.first, first.offset >= copy.end {
      blocks.insert(copy, at: 0)
      start = copy.end
    }
    for gap in gaps {
      let missing = gap.range.upperBound - max(start, gap.range.lowerBound)
      damage[gap.damage].reason +=
        missing == 0 ? "; its copy serves" : ": \(grouped(missing)) bytes of the trace are missing"
    }
    let end = blocks.last?.end ?? 0
    if let length, length > end {
      damage.append(
        .init(
          offset: size, skippedBytes: 0,
          reason: "the packed trace is cut: \(grouped(length - end)) bytes of the trace are missing"))
    } else if copy == nil, damage.isEmpty {
      damage.append(.init(offset: size, skippedBytes: 0, reason: "the packed file is cut: its last block is missing"))
    }
  }

  /// Whether it may be next: behind what was before it, and no further than what was skipped can have been.
  private func follows(_ block: PackedBlock, zeros: UInt64) -> Bool {
    let before = blocks.last
    let start = before?.end ?? 0
    guard block.offset >= start, block.kind != .zeros || zeros + block.length <= PackedLayout.mostZeros else {
      return false
    }
    guard block.offset > start else { return true }
    let skipped = block.fileOffset - (before?.next ?? 0)
    return skipped > 0 && block.offset - start <= PackedLayout.most(from: skipped)
  }

  /// Whether it is the first block once more, behind others.
  private func isCopy(_ block: PackedBlock) -> Bool {
    block.kind == .coded && block.offset == 0 && block.length <= UInt64(PackedLayout.longestStart)
      && !blocks.isEmpty && copy == nil
  }

  private mutating func append(_ block: PackedBlock) {
    let start = blocks.last?.end ?? 0
    if block.offset > start, let last = damage.indices.last { gaps.append((last, start..<block.offset)) }
    blocks.append(block)
  }

  /// The offset of the next sound block, else the end. Bytes may be missing, so it may have any.
  private func next(_ packed: any ByteSource, size: UInt64, zeros: UInt64) -> UInt64 {
    var start = offset + 1
    while start < size {
      let piece = packed.bytes(at: start, count: Int(min(1 << 16, size - start)))
      guard piece.count >= PackedLayout.Block.size else { return size }
      var index = 0
      let first = UInt8(truncatingIfNeeded: PackedLayout.Block.magic)
      while let found = piece[index...].firstIndex(of: first) {
        index = found + 1
        guard piece.number(at: found) as UInt32 == PackedLayout.Block.magic else { continue }
        let candidate = start + UInt64(found)
        if let block = PackedBlock.sound(packed, at: candidate), follows(block, zeros: zeros) || isCopy(block) {
          return candidate
        }
      }
      start += UInt64(piece.count - PackedLayout.Block.size + 1)
    }
    return size
  }

  private mutating func skip(_ packed: any ByteSource, to end: UInt64) {
    let header = packed.bytes(at: offset, count: PackedLayout.Block.size)
    let block = PackedBlock(header, at: offset)
    let reason =
      if header.count < PackedLayout.Block.size || (block?.next ?? 0) > packed.size() {
        "the packed file ends inside a block"
      } else if block == nil {
        "no block of the packed trace begins here"
      } else if PackedBlock.sound(packed, at: offset) != nil {
        "a block of the packed trace does not belong behind the one before it"
      } else {
        "a block of the packed trace does not match its checksum"
      }
    note(to: end, reason)
  }

  private mutating func note(to end: UInt64, _ reason: String) {
    damage.append(.init(offset: offset, skippedBytes: end - offset, reason: reason))
    offset = end
  }
}
