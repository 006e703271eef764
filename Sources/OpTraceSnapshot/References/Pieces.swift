/// The pieces of memory that glibc's malloc has given out: who holds a word is told by the piece that the word is in.
///
/// After glibc's malloc/malloc.c and arena.c (`malloc_chunk`, `heap_info`, `malloc_state`, `tcache_entry`), the same from 2.26 to 2.41.
struct Pieces {
  struct Piece: Hashable {
    /// What malloc's caller may use.
    var range: Range<UInt64>
    var isFree: Bool
    var start: UInt64 { range.lowerBound }
  }

  private let index: PageIndex
  private let view: MemoryView
  /// Where pieces begin that were given back, and are kept for the next who asks; and the stores that lead to them.
  private var kept: Set<UInt64> = []

  /// - Parameters:
  ///   - heaps: parts with pieces.
  ///   - own: where threads keep what is their own.
  ///   - isOfModule: whether an address is in a program or a library.
  init(
    _ index: PageIndex, _ heaps: [PageIndex.Part], own: [Range<UInt64>] = [], _ view: MemoryView,
    isOfModule: (UInt64) -> Bool = { _ in false }
  ) {
    (self.index, self.view) = (index, view)
    for heap in heaps { heap.firstPiece.map { addStore(at: $0 + 16) } }
    for address in own.lazy.joined() where address % 8 == 0 {
      guard let start = view.pointer(at: address) else { continue }
      addStore(at: start)
      addSpentItems(from: start, isOfModule)
    }
  }

  /// The piece with an address in it; nil: it is not known, or the address is between two.
  func piece(with address: UInt64, in part: PageIndex.Part) -> Piece? {
    guard var head = index.pieceStart(before: address, in: part) else { return nil }
    while let word = view.word(at: head &+ 8) {
      let size = word & ~7
      guard size >= 32, size % 16 == 0, size <= part.range.upperBound - head else { return nil }
      // Its use goes on into the first word of the next one.
      let range = head + 16..<head + size + 8
      if range.contains(address) { return Piece(range: range, isFree: isFree(head, word, part)) }
      guard head + size <= address else { return nil }
      head += size
    }
    return nil
  }

  private func isFree(_ head: UInt64, _ word: UInt64, _ part: PageIndex.Part) -> Bool {
    let size = word & ~7
    // A piece that is a mapping of its own.
    if word & 2 != 0 { return false }
    // The last one is what has not been given out yet.
    guard head + size < part.range.upperBound, let next = view.word(at: head &+ size &+ 8) else { return true }
    return next & 1 == 0 || kept.contains(head &+ 16)
  }

  /// A thread's store of pieces that were given back: for each of 64 sizes how many, and the first one, which leads to the next one.
  private mutating func addStore(at start: UInt64) {
    guard let word = view.word(at: start &- 8), word & ~7 == 0x290 else { return }
    var found: Set<UInt64> = [start]
    var marks: Set<UInt64> = []
    for size in 0..<UInt64(64) {
      guard let counts = view.half(at: start &+ size / 2 * 4), var next = view.word(at: start &+ 128 &+ size * 8) else {
        return
      }
      let count = counts >> UInt32(size % 2 * 16) & 0xFFFF
      for _ in 0..<count {
        // Where a piece leads is kept with where it is itself.
        guard next != 0, next % 16 == 0, let own = view.word(at: next &- 8), own & ~7 == 32 + size * 16,
          let mark = view.word(at: next &+ 8), let following = view.word(at: next), found.insert(next).inserted
        else { return }
        marks.insert(mark)
        next = following ^ next >> 12
      }
      guard next == 0 else { return }
    }
    if marks.count <= 1 { kept.formUnion(found) }
  }

  /// Items that libdispatch has used, and keeps for a thread's next blocks: their words are left over. Each has the number of those behind it,
  /// itself included, and leads to the next one (swift-corelibs-libdispatch, src/inline_internal.h, `_dispatch_continuation_free_cacheonly`).
  private mutating func addSpentItems(from start: UInt64, _ isOfModule: (UInt64) -> Bool) {
    guard start % 16 == 0, let head = view.word(at: start &- 8), head & ~7 == 0x50,
      let count = view.half(at: start &+ 8), count > 0, count < Self.mostSpent
    else { return }
    var found: [UInt64] = []
    var item = start
    for rest in stride(from: count, to: 0, by: -1) {
      // It begins with flags, or with the table of a kind of item.
      guard item % 16 == 0, view.half(at: item &+ 8) == rest, let next = view.word(at: item &+ 16),
        let first = view.word(at: item), first < 0x1000 || isOfModule(first)
      else { return }
      found.append(item)
      item = next
    }
    if item == 0 { kept.formUnion(found) }
  }

  private static let mostSpent: UInt32 = 1 << 12

  /// Where the first piece of a heap is that begins with a mapping; nil: none does.
  static func first(in mapping: MemoryMapping, _ view: MemoryView) -> UInt64? {
    let low = mapping.low
    guard mapping.isWritable, mapping.isReadable, !mapping.isShared, !mapping.isOfFile,
      mapping.path.isEmpty || mapping.path == "[heap]" || mapping.path.hasPrefix("[anon:")
    else { return nil }
    func isPiece(_ head: UInt64, _ flags: UInt64) -> Bool {
      guard let word = view.word(at: head &+ 8) else { return false }
      let size = word & ~7
      return word & 7 == flags && size >= 32 && size % 16 == 0 && size <= mapping.high - head
    }
    // The program's own heap; a core does not say which that is, but it begins with a thread's store.
    if isPiece(low, 1), mapping.path == "[heap]" || view.word(at: low &+ 8) == 0x291 { return low }
    // One piece alone, with a mapping of its own.
    if isPiece(low, 2), let word = view.word(at: low &+ 8), (word & ~7) % 4096 == 0, view.word(at: low) == 0 {
      return low
    }
    guard low % heapSize == 0, let arena = view.word(at: low) else { return nil }
    for head: UInt64 in [0x20, 0x30] {
      let isOwn = arena == low + head
      let start = isOwn ? (low + head + arenaSize + 15) & ~15 : low + head
      guard isOwn || (arena & ~(heapSize - 1)) != low, isPiece(start, 5) else { continue }
      return start
    }
    return nil
  }

  /// The largest heap of a thread, at a multiple of which it begins.
  private static let heapSize: UInt64 = 64 << 20
  private static let arenaSize: UInt64 = 0x898
}
