import OpTraceFormat
import OpTraceModel

/// A packed trace as the bytes that it was made from: readers do not know that it was packed.
///
/// Opening reads the file once, and checks every block. What is damaged is a gap of zeros in the trace, and reported in
/// ``damage`` with offsets in the packed file. At most ``mostKept`` blocks are unpacked at a time.
final class PackedSource: ByteSource {
  private let packed: any ByteSource
  private let blocks: [PackedBlock]
  private let length: UInt64
  /// Blocks that cannot be unpacked although they are sound are added as they are read.
  private(set) var damage: [LossReport.Damage]

  private static let mostKept = 8
  /// The block that was used last is the last one.
  private var kept: [(index: Int, bytes: [UInt8])] = []

  /// Nil where nothing is packed in it.
  /// - Parameter limit: how many bytes it may become; nil: ``PackedLayout/usualMost(from:)``.
  static func ifPacked(_ source: any ByteSource, file: String, limit: UInt64?) throws(TraceError) -> PackedSource? {
    let start = source.bytes(at: 0, count: Layout.Header.size)
    guard isPacked(start) || PackedSearch.isPacked(source, start) else { return nil }
    return try PackedSource(source, file: file, limit: limit)
  }

  /// By its first bytes; where some of them are wrong, by the block behind them. Where more is wrong, ``PackedSearch``
  /// looks for any block.
  static func isPacked(_ bytes: [UInt8]) -> Bool {
    if bytes.starts(with: PackedLayout.magic) { return true }
    let likeness = zip(bytes, PackedLayout.magic).count { $0 == $1 }
    let first = PackedLayout.Header.size
    return likeness >= PackedLayout.magic.count / 2 && bytes.count >= first + 4
      && bytes.number(at: first) as UInt32 == PackedLayout.Block.magic
  }

  private init(_ packed: any ByteSource, file: String, limit: UInt64?) throws(TraceError) {
    var index = try PackedIndex(packed, file: file)
    index.scan(packed)
    self.packed = packed
    blocks = index.blocks
    length = index.blocks.last?.end ?? 0
    damage = index.damage
    let most = limit ?? PackedLayout.usualMost(from: packed.size())
    guard length <= most else { throw TraceError(file: file, .tooLarge(unpacked: length, limit: most)) }
    guard blocks.first?.offset == 0 else {
      let first = damage.first { $0.offset > 0 }
      let offset = first?.offset ?? UInt64(PackedLayout.Header.size)
      let why = first?.reason ?? "it holds nothing"
      throw TraceError(
        file: file, .unreadableHeader("the packed trace is damaged from byte \(grouped(offset)) on: \(why)"))
    }
  }

  /// Blocks are unpacked side by side already, and to find where chunks are is to unpack them all.
  func another() -> (any ByteSource)? { nil }
  func size() -> UInt64 { length }

  func read(at offset: UInt64, into target: UnsafeMutableRawBufferPointer) -> Int {
    guard offset < length else { return 0 }
    let count = Int(min(UInt64(target.count), length - offset))
    var index = firstBlock(endingAfter: offset)
    var done = 0
    while done < count, index < blocks.count {
      let block = blocks[index]
      let position = offset + UInt64(done)
      // What is between blocks is a gap.
      let isInside = block.offset <= position
      let end = Int(min(UInt64(count), (isInside ? block.end : block.offset) - offset))
      let part = UnsafeMutableRawBufferPointer(rebasing: target[done..<end])
      if isInside, block.kind == .coded {
        copy(index, from: Int(position - block.offset), into: part)
      } else {
        part.initializeMemory(as: UInt8.self, repeating: 0)
      }
      if isInside { index += 1 }
      done = end
    }
    return done
  }

  func gapEnd(at offset: UInt64) -> UInt64? {
    guard !damage.isEmpty, offset < length else { return nil }
    let block = blocks[firstBlock(endingAfter: offset)]
    return block.offset > offset ? block.offset : nil
  }

  /// Of the blocks in order; there is one where `offset` is before the end.
  private func firstBlock(endingAfter offset: UInt64) -> Int {
    var low = 0
    var high = blocks.count
    while low < high {
      let middle = (low + high) / 2
      if blocks[middle].end <= offset { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func copy(_ index: Int, from start: Int, into target: UnsafeMutableRawBufferPointer) {
    if let known = kept.lastIndex(where: { $0.index == index }) {
      if known != kept.count - 1 { kept.append(kept.remove(at: known)) }
    } else {
      unpackAhead(from: index)
    }
    kept[kept.count - 1].bytes.withUnsafeBytes {
      target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + target.count]))
    }
  }

  /// Who reads on wants those behind it, too: as many as can be unpacked at the same time. The wanted one becomes the last.
  private func unpackAhead(from index: Int) {
    let isReadOn = kept.contains { $0.index == index - 1 }
    let most = isReadOn ? min(SideBySide.processors, Self.mostKept - 1) : 1
    let wanted = (index..<min(index + most, blocks.count)).filter { number in
      number == index || blocks[number].kind == .coded && !kept.contains { $0.index == number }
    }
    let parts = wanted.map { (blocks[$0], packed.bytes(at: blocks[$0].payloadOffset, count: blocks[$0].payload)) }
    let unpacked = SideBySide.map(wanted.count) { number in
      let (block, payload) = parts[number]
      return BlockCodec.decode(payload, streams: block.streams, count: Int(block.length))
    }
    kept.removeFirst(max(0, kept.count + wanted.count - Self.mostKept))
    for number in wanted.indices.reversed() {
      kept.append((wanted[number], unpacked[number] ?? zeros(for: parts[number].0)))
    }
  }

  /// In place of a block that cannot be unpacked, which is reported, once.
  private func zeros(for block: PackedBlock) -> [UInt8] {
    if !damage.contains(where: { $0.offset == block.fileOffset }) {
      damage.append(
        .init(
          offset: block.fileOffset, skippedBytes: UInt64(block.payload),
          reason: "a block of the packed trace cannot be unpacked"))
    }
    return [UInt8](repeating: 0, count: Int(block.length))
  }
}
