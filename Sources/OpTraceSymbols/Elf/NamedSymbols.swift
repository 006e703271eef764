/// Where an image has what goes by a name that is known: functions and data, also those that only the image itself uses.
package struct NamedSymbols {
  /// Addresses in the file.
  package private(set) var addresses: [String: UInt64] = [:]

  /// - Complexity: O(symbols · names), and the memory of the table's texts.
  package init(_ names: [String], in image: ElfImage) {
    var wanted = names.map { (name: $0, bytes: Array($0.utf8) + [0]) }
    let tables = image.sections.filter {
      [ElfImage.Section.symbols, ElfImage.Section.dynamicSymbols].contains($0.type) && $0.entrySize == 24
    }
    // What a library gives to others stands in the smaller table.
    for table in tables.sorted(by: { $0.size < $1.size }) where !wanted.isEmpty {
      search(table, for: wanted, in: image)
      wanted.removeAll { addresses[$0.name] != nil }
    }
  }

  package subscript(_ name: String) -> UInt64? { addresses[name] }

  /// In bytes; more is not read.
  private static let mostTexts: UInt64 = 256 << 20

  /// Whether an image uses one of these of others.
  /// - Complexity: O(symbols of the smaller table · names).
  package static func imports(_ names: [String], _ image: ElfImage) -> Bool { has(names, image, isDefined: false) }

  /// Whether an image gives one of these to others.
  /// - Complexity: O(symbols of the smaller table · names).
  package static func exports(_ names: [String], _ image: ElfImage) -> Bool { has(names, image, isDefined: true) }

  private static func has(_ names: [String], _ image: ElfImage, isDefined: Bool) -> Bool {
    guard let table = image.sections.first(where: { $0.type == ElfImage.Section.dynamicSymbols && $0.entrySize == 24 })
    else { return false }
    var found = NamedSymbols([], in: image)
    found.search(table, for: names.map { ($0, Array($0.utf8) + [0]) }, in: image, isDefined: isDefined)
    return !found.addresses.isEmpty
  }

  private mutating func search(
    _ table: ElfImage.Section, for wanted: [(name: String, bytes: [UInt8])], in image: ElfImage,
    isDefined: Bool = true
  ) {
    guard image.sections.indices.contains(Int(table.link)) else { return }
    let texts = image.sections[Int(table.link)]
    guard texts.size <= Self.mostTexts, let names = image.file.bytes(at: texts.offset, count: Int(texts.size)) else {
      return
    }
    let piece: UInt64 = 24 << 14
    let size = table.size - table.size % 24
    for offset in stride(from: 0, to: size, by: UInt64.Stride(piece)) {
      let count = Int(min(piece, size - offset))
      guard let start = table.offset.adding(offset), let bytes = image.file.bytes(at: start, count: count) else {
        return
      }
      var cursor = ByteCursor(bytes)
      while !cursor.isAtEnd {
        let name = Int(cursor.u32())
        cursor.skip(2)
        let section = cursor.u16()
        let address = cursor.u64()
        cursor.skip(8)
        guard (section != 0) == isDefined, name < names.count else { continue }
        for one in wanted where names[name] == one.bytes[0] && names[name...].starts(with: one.bytes) {
          addresses[one.name] = addresses[one.name] ?? address
        }
      }
    }
  }
}

/// The functions that addresses of an image lie in, as the linker knows them.
package enum LinkerNames {
  /// In the order of the addresses; nil: no function is known there.
  /// - Complexity: O(symbols · log(addresses)).
  package static func of(_ addresses: [UInt64], in image: ElfImage) -> [String?] {
    guard let symbols = FunctionSymbols(image) else { return addresses.map { _ in nil } }
    let sorted = Set(addresses).sorted()
    let found = zip(sorted, symbols.functions(at: sorted)).map { ($0, $1.flatMap { symbols.name(of: $0) }) }
    let names = Dictionary(found, uniquingKeysWith: { first, _ in first })
    return addresses.map { names[$0].flatMap(\.self) }
  }
}
