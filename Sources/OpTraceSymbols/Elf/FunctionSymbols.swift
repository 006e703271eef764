/// The functions that asked addresses lie in, out of an image's table of symbols. The table is read once, in pieces, and
/// nothing of it is kept but what an address needs: memory follows the number of addresses.
struct FunctionSymbols {
  struct Symbol {
    var start: UInt64
    /// In bytes; 0: nobody said.
    var size: UInt64
    var name: UInt32
    fileprivate var section: UInt16
    fileprivate var rank: UInt8
  }

  private let image: ElfImage
  private let table: ElfImage.Section
  private let names: ElfImage.Section
  /// Only what other modules may use has a name.
  let isDynamic: Bool

  /// Nil: the image has no such table, or its offset is wrong.
  init?(_ image: ElfImage) {
    let tables = image.sections
    guard
      let table = tables.first(where: { $0.type == ElfImage.Section.symbols && $0.size > 0 })
        ?? tables.first(where: { $0.type == ElfImage.Section.dynamicSymbols && $0.size > 0 }),
      table.entrySize == 24, tables.indices.contains(Int(table.link)), image.file.holds(table.offset, table.size)
    else { return nil }
    self.image = image
    self.table = table
    names = tables[Int(table.link)]
    isDynamic = table.type == ElfImage.Section.dynamicSymbols
  }

  /// For each address the function with the nearest start at or below it, unless that one ends before it. Where no function
  /// is, a label in code may be.
  /// - Parameter addresses: ascending.
  /// - Complexity: O(symbols · log(addresses)).
  func functions(at addresses: [UInt64]) -> [Symbol?] {
    let (functions, labels) = nearest(addresses)
    return addresses.indices.map { slot in
      let function = functions[slot].flatMap { holds($0, addresses[slot]) ? $0 : nil }
      return function ?? labels[slot].flatMap { holds($0, addresses[slot]) ? $0 : nil }
    }
  }

  /// For each address the function with the nearest start below it, wherever that one ends.
  /// - Parameter addresses: ascending, above 0.
  /// - Complexity: O(symbols · log(addresses)).
  func functions(before addresses: [UInt64]) -> [Symbol?] { nearest(addresses.map { $0 - 1 }).functions }

  private func nearest(_ addresses: [UInt64]) -> (functions: [Symbol?], labels: [Symbol?]) {
    var functions = [Symbol?](repeating: nil, count: addresses.count)
    var labels = functions
    forEach { symbol, isLabel in
      // The first address that it may hold; those behind follow below.
      let slot = addresses.firstSlot(atOrAfter: symbol.start)
      guard slot < addresses.count else { return }
      if isLabel { Self.offer(symbol, &labels[slot]) } else { Self.offer(symbol, &functions[slot]) }
    }
    for slot in addresses.indices.dropFirst() {
      if functions[slot] == nil { functions[slot] = functions[slot - 1] }
      if labels[slot] == nil { labels[slot] = labels[slot - 1] }
    }
    return (functions, labels)
  }

  /// As the linker knows it.
  func name(of symbol: Symbol) -> String? { name(at: symbol.name) }

  private func name(at offset: UInt32) -> String? {
    guard let name = image.text(in: names, at: UInt64(offset)), !name.isEmpty else { return nil }
    return name
  }

  /// The names of all functions that begin and end where these do, by their starts; only where there are several.
  /// - Parameters:
  ///   - most: where there are more, none is given.
  ///   - all: of how many names together. They may be long.
  /// - Complexity: O(symbols).
  func names(sharedWith functions: some Sequence<Symbol>, most: Int, ofAll all: Int) -> [UInt64: [String]] {
    let sizes = Dictionary(functions.lazy.map { ($0.start, $0.size) }, uniquingKeysWith: { first, _ in first })
    var found: [UInt64: [UInt32]] = [:]
    forEach { symbol, isLabel in
      guard !isLabel, sizes[symbol.start] == symbol.size, found[symbol.start]?.count ?? 0 <= most else { return }
      found[symbol.start, default: []].append(symbol.name)
    }
    var names: [UInt64: [String]] = [:]
    var left = all
    for (start, offsets) in found.sorted(by: { $0.key < $1.key }) where (2...most).contains(offsets.count) {
      left -= offsets.count
      guard left >= 0 else { break }
      names[start] = offsets.compactMap(name(at:))
    }
    return names
  }

  /// The functions that end at one of these addresses, no longer than `longest` bytes.
  /// - Complexity: O(symbols).
  func functions(endingAt ends: Set<UInt64>, longest: UInt64) -> [Symbol] {
    var found: [Symbol] = []
    forEach { symbol, isLabel in
      guard !isLabel, symbol.size > 0, symbol.size <= longest, let end = symbol.start.adding(symbol.size) else {
        return
      }
      if ends.contains(end) { found.append(symbol) }
    }
    return found
  }

  private func holds(_ symbol: Symbol, _ address: UInt64) -> Bool {
    if symbol.size > 0 { return address - symbol.start < symbol.size }
    let section = Int(symbol.section)
    return image.sections.indices.contains(section) && image.sections[section].contains(address)
  }

  /// The nearest wins, then the one of which more is known.
  private static func offer(_ symbol: Symbol, _ best: inout Symbol?) {
    if let known = best {
      guard (symbol.start, symbol.rank, symbol.size) > (known.start, known.rank, known.size) else { return }
    }
    best = symbol
  }

  private func forEach(_ body: (_ symbol: Symbol, _ isLabel: Bool) -> Void) {
    let piece: UInt64 = 24 << 14
    for offset in stride(from: 0, to: table.size - table.size % 24, by: UInt64.Stride(piece)) {
      let count = Int(min(piece, table.size - table.size % 24 - offset))
      guard let start = table.offset.adding(offset), let bytes = image.file.bytes(at: start, count: count) else {
        return
      }
      var cursor = ByteCursor(bytes)
      while !cursor.isAtEnd {
        let name = cursor.u32()
        let info = cursor.byte()
        cursor.skip(1)
        let section = cursor.u16()
        let start = cursor.u64()
        let size = cursor.u64()
        let isFunction = info & 15 == 2 || info & 15 == 10
        guard isFunction || info & 15 == 0, name != 0, section != 0 else { continue }
        if !isFunction {
          guard Int(section) < image.sections.count, image.sections[Int(section)].isExecutable else { continue }
        }
        // Sized before unsized, then global, weak, local.
        let binding: UInt8 = info >> 4 == 1 ? 2 : info >> 4 == 2 ? 1 : 0
        let rank = (size > 0 ? 4 : 0) + binding
        body(Symbol(start: start, size: size, name: name, section: section, rank: rank), !isFunction)
      }
    }
  }
}

extension [UInt64] {
  /// The first index of ascending numbers whose number is not below `value`.
  func firstSlot(atOrAfter value: UInt64) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
