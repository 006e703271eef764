/// What a section holds: in its file, or unpacked in memory.
struct SectionContent {
  private enum Place {
    case file(ImageFile, UInt64)
    case memory([UInt8])
  }

  private let place: Place
  /// In bytes, unpacked.
  let size: UInt64

  /// Nil: there is no such section, or it is empty.
  init?(_ name: String, of image: ElfImage) throws(SymbolTrouble) {
    guard let section = image.section(name) else { return nil }
    guard image.file.holds(section.offset, section.size) else {
      throw .damaged(image.file.path, "\(name) lies outside of it")
    }
    guard section.isCompressed else {
      place = .file(image.file, section.offset)
      size = section.size
      return
    }
    guard let bytes = Zlib.unpacked(section, of: image.file) else {
      throw .compressed(image.file.path, section: name)
    }
    place = .memory(bytes)
    size = UInt64(bytes.count)
  }

  /// All of them, or nil.
  func bytes(at offset: UInt64, count: UInt64) -> [UInt8]? {
    guard offset <= size, count <= size - offset, let number = Int(exactly: count) else { return nil }
    switch place {
    case .file(let file, let start): return file.bytes(at: start + offset, count: number)
    case .memory(let bytes): return Array(bytes[Int(offset)..<Int(offset + count)])
    }
  }

  /// Up to `count`, fewer at the end.
  func beginning(at offset: UInt64, count: UInt64) -> [UInt8] {
    guard offset < size else { return [] }
    return bytes(at: offset, count: min(count, size - offset)) ?? []
  }

  /// The text that begins there; nil where it does not end within `limit` bytes.
  func text(at offset: UInt64, limit: Int = 4096) -> String? {
    closedText(limit: limit) { beginning(at: offset, count: UInt64($0)) }
  }
}
