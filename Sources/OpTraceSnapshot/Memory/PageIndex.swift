import COpTrace
import OpTraceModel

/// The memory that a process has written, block by block, after one pass over it: to which pages each block may lead, and where the pieces
/// begin that malloc has given out. So that what leads somewhere is found, again and again, without all of the memory being read again.
///
/// 138 bytes for each block: of a page, so 35 MB for a gigabyte; of several pages where there is more memory, so 72 MB at most.
struct PageIndex {
  /// A part of the memory, and where the first piece of malloc's in it begins.
  struct Part {
    var range: Range<UInt64>
    /// Nil: it is no heap of glibc's.
    var firstPiece: UInt64?
    /// What the process has not written, or shares with others, may matter, too.
    var isShared = false
  }

  private var addresses: [UInt64] = []
  private var signatures: [UInt64] = []
  /// For each page where the first piece in it begins, in units of 16 bytes.
  private var pieces: [UInt16] = []
  /// By the ends of heaps: from there on their pieces do not fit together.
  private var broken: [UInt64: UInt64] = [:]

  private static let none = UInt16.max
  static let page = UInt64(optrace_page_size)
  private static let words = Int(optrace_signature_words)
  /// In bytes.
  let block: UInt64

  var count: Int { addresses.count }

  /// Nil: there is more memory than `most` blocks of the largest size, or there are addresses that no signature has.
  /// - Parameter parts: ascending.
  init?(_ memory: any ProcessMemory, _ parts: [Part], most: Int = mostBlocks) throws(MemoryTrouble) {
    guard parts.allSatisfy({ $0.range.upperBound <= optrace_signed_top }) else { return nil }
    var size: UInt64 = 0
    for part in parts { size += try memory.size(ofWrittenIn: part.range, orAny: part.isShared) }
    guard let block = [1, 2, 4].map({ $0 * Self.page }).first(where: { size / $0 <= UInt64(most) }) else { return nil }
    self.block = block
    for part in parts {
      var next = part.firstPiece ?? 0
      try memory.pages(part.range, onlyWritten: !part.isShared) { address, words in
        let start = address & ~(block - 1)
        if addresses.last != start {
          addresses.append(start)
          signatures.append(contentsOf: repeatElement(0, count: Self.words))
          pieces.append(Self.none)
        }
        signatures.withUnsafeMutableBufferPointer { all in
          optrace_page_sign(words.baseAddress, words.count, all.baseAddress.map { $0 + (all.count - Self.words) })
        }
        let isBegin = next >= address && next < address + Self.page
        if isBegin {
          let last = pieces.count - 1
          if pieces[last] == Self.none { pieces[last] = UInt16((next - start) / 16) }
          let behind = optrace_page_pieces(words.baseAddress, words.count, address, next, part.range.upperBound)
          if behind == 0 { broken[part.range.upperBound] = address }
          next = behind
        } else if next != 0, next < address {
          // A page before it is missing.
          broken[part.range.upperBound] = next
          next = 0
        }
        return true
      }
    }
  }

  /// With blocks of a page 2 GiB, with the largest ones 8.
  private static let mostBlocks = 1 << 19

  /// Where a piece begins at or before an address; nil: it is in no heap, or the heap's pieces do not fit together there.
  /// - Complexity: O(pages of the piece + pieces of a page).
  func pieceStart(before address: UInt64, in part: Part) -> UInt64? {
    guard let first = part.firstPiece, address >= first, address < broken[part.range.upperBound] ?? .max else {
      return nil
    }
    var index = addresses.firstSorted { $0 > address }
    while index > 0, addresses[index - 1] >= part.range.lowerBound & ~(block - 1) {
      index -= 1
      guard pieces[index] != Self.none else { continue }
      let start = addresses[index] + UInt64(pieces[index]) * 16
      // The first word of a piece belongs to the one before.
      if start + 16 <= address { return start }
    }
    return nil
  }

  /// Calls `body` with each word that leads into one of these ranges, where it is, and which range that is, until it returns false.
  /// - Parameter ranges: ascending; none overlaps another.
  /// - Returns: how many bytes were read.
  func search(
    _ memory: any ProcessMemory, for ranges: [Range<UInt64>], _ body: (_ address: UInt64, _ range: Int) -> Bool
  ) throws(MemoryTrouble) -> UInt64 {
    let targets = ranges.flatMap { range in
      stride(from: range.lowerBound & ~(Self.page - 1), to: range.upperBound, by: Int(Self.page)).map { $0 }
    }
    let plain = ranges.map { optrace_range(low: $0.lowerBound, high: $0.upperBound) }
    var read: UInt64 = 0
    var index = next(from: 0, targets)
    var goesOn = true
    while index < addresses.count, goesOn {
      let start = addresses[index]
      // Neighbours are read at once.
      var end = index + 1
      while end < addresses.count, end - index < 64, addresses[end] == start + UInt64(end - index) * block,
        next(from: end, targets, to: end + 1) == end
      { end += 1 }
      let size = UInt64(end - index) * block
      read += size
      try memory.pages(start..<start + size, onlyWritten: false) { address, words in
        var (at, which) = (0, 0)
        while goesOn {
          at = optrace_words_leading(words.baseAddress, words.count, at, plain, plain.count, &which)
          guard at < words.count else { break }
          goesOn = body(address + UInt64(at) * 8, which)
          at += 1
        }
        return goesOn
      }
      index = next(from: end, targets)
    }
    return read
  }

  private func next(from index: Int, _ targets: [UInt64], to end: Int? = nil) -> Int {
    signatures.withUnsafeBufferPointer { all in
      optrace_pages_leading(all.baseAddress, end ?? addresses.count, index, targets, targets.count)
    }
  }
}
