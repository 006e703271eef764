/// A file, line and column of the source.
struct LineLocation: Hashable {
  var file: String?
  /// 0: code that belongs to no line.
  var line: UInt64
  /// 0: not known.
  var column: UInt64
  /// The first address with this line.
  var start: UInt64
}

/// The line tables of an image: DWARF versions 2 to 5, of 32 and 64 bits.
///
/// All units are gone through, one at a time, since compilers seldom write which unit an address is in (`.debug_aranges`), and
/// a unit's rows take less time than its entry in `.debug_info`. Only those with an asked address have their files looked up.
///
/// After "DWARF Debugging Information Format", version 5, section 6.2, and versions 2 to 4.
struct LineTable {
  /// In bytes. A larger unit is passed over.
  static let largestUnit: UInt64 = 256 << 20

  private let content: SectionContent
  private let texts: LineTexts

  /// Nil: the image has none.
  init?(_ image: ElfImage) throws(SymbolTrouble) {
    guard let content = try SectionContent(".debug_line", of: image) else { return nil }
    self.content = content
    texts = try LineTexts(image)
  }

  /// The row that each address lies in.
  /// - Parameter addresses: ascending, each once.
  /// - Complexity: O(size of the table · log(addresses)).
  func locations(at addresses: [UInt64]) -> [LineLocation?] {
    var hits = LineHits(addresses)
    var locations = [LineLocation?](repeating: nil, count: addresses.count)
    var files = LineFiles(texts)
    var offset: UInt64 = 0
    while offset < content.size, !hits.areAllFound {
      guard let (start, size, wide) = DwarfUnit.extent(at: offset, in: content) else { break }
      defer { offset = start + size }
      guard size <= Self.largestUnit, let bytes = content.bytes(at: start, count: size),
        let header = LineHeader(bytes, isWide: wide)
      else { continue }
      let first = hits.found.count
      header.run(&hits)
      guard hits.found.count > first else { continue }
      files.begin(header, at: offset)
      for hit in hits.found[first...] {
        locations[hit.slot] = LineLocation(
          file: files.path(hit.row.file), line: hit.row.line, column: hit.row.column, start: hit.row.address)
      }
    }
    return locations
  }
}

/// What all units of DWARF begin with.
enum DwarfUnit {
  /// Where the unit's content is: its length is before it, in 4 bytes, or in 8 behind a mark. Nil: it does not lie in the
  /// section.
  static func extent(at offset: UInt64, in content: SectionContent) -> (start: UInt64, size: UInt64, isWide: Bool)? {
    var cursor = ByteCursor(content.beginning(at: offset, count: 12))
    var size = UInt64(cursor.u32())
    let isWide = size == 0xFFFF_FFFF
    if isWide { size = cursor.u64() }
    let start = offset + UInt64(cursor.offset)
    guard !cursor.isBroken, isWide || size < 0xFFFF_FFF0, start <= content.size, size <= content.size - start else {
      return nil
    }
    return (start, size, isWide)
  }
}

/// Which rows the asked addresses lie in. Each address is found once: the first row that holds it is kept, so that tables that
/// overlap cost no more than others.
struct LineHits {
  struct Row {
    var address: UInt64 = 0
    var file: UInt64 = 1
    var line: UInt64 = 1
    var column: UInt64 = 0
  }

  private let addresses: [UInt64]
  /// For each slot the next one that may be open; its own while it is.
  private var open: [Int]
  private(set) var found: [(slot: Int, row: Row)] = []

  /// - Parameter addresses: ascending.
  init(_ addresses: [UInt64]) {
    self.addresses = addresses
    open = Array(0...addresses.count)
  }

  var areAllFound: Bool { found.count == addresses.count }

  /// The first open slot whose address is not below this one.
  mutating func slot(atOrAfter address: UInt64) -> Int { next(addresses.firstSlot(atOrAfter: address)) }

  /// The address of the slot; the highest number behind the last.
  func address(_ slot: Int) -> UInt64 { slot < addresses.count ? addresses[slot] : .max }

  /// Takes all addresses below `end`, from `slot` on, and gives the next open slot.
  mutating func take(_ row: Row, from slot: Int, to end: UInt64) -> Int {
    var slot = slot
    while slot < addresses.count, addresses[slot] < end {
      found.append((slot, row))
      open[slot] = slot + 1
      slot = next(slot + 1)
    }
    return slot
  }

  private mutating func next(_ slot: Int) -> Int {
    var last = slot
    while open[last] != last { last = open[last] }
    var walked = slot
    while open[walked] != last, walked != last { (walked, open[walked]) = (open[walked], last) }
    return last
  }
}
