/// The first bytes of an ELF file, and the two tables that they lead to. Every offset in the file is checked: it may be damaged,
/// and of any size.
package struct ElfHead {
  private typealias Table = (offset: UInt64, size: Int, count: Int)

  package let machine: ElfFile.Machine
  /// What kind of file it is: a program, a library, a core.
  package let type: UInt16
  private let file: any ElfBytes
  private let segmentTable: Table
  private let sectionTable: Table
  private let nameSection: Int

  package init(_ file: any ElfBytes) throws(SymbolTrouble) {
    self.file = file
    let head = file.beginning(at: 0, count: 64)
    guard head.starts(with: [0x7F, 0x45, 0x4C, 0x46]) else { throw .notElf(file.path) }
    guard head.count == 64 else { throw .damaged(file.path, "its header is cut off") }
    var cursor = ByteCursor(head, from: 16)
    type = cursor.u16()
    let processor = cursor.u16()
    machine = ElfFile.Machine(
      wordClass: head[4], byteOrder: head[5], processor: head[5] == 1 ? processor : processor.byteSwapped)
    cursor.skip(12)
    let (segments, sections) = (cursor.u64(), cursor.u64())
    cursor.skip(6)
    segmentTable = (segments, Int(cursor.u16()), Int(cursor.u16()))
    sectionTable = (sections, Int(cursor.u16()), Int(cursor.u16()))
    nameSection = Int(cursor.u16())
  }

  /// In bytes, of an entry of a table. All known ones are 56 and 64.
  private static let widest = 256

  /// Empty: it has none, or they are not where the header says.
  package func segments() -> [ElfImage.Segment] {
    let (offset, size, written) = segmentTable
    var count = written
    // Where there are very many, as in cores of large processes, the first, empty section has the number.
    if count == 0xFFFF, let first = file.bytes(at: sectionTable.offset, count: 64) {
      count = Int(Self.section(ByteCursor(first)).information)
    }
    guard (56...Self.widest).contains(size), count <= ElfImage.Limit.segments,
      let table = file.bytes(at: offset, count: size * count)
    else {
      return []
    }
    return (0..<count).map { index in
      var cursor = ByteCursor(table, from: index * size)
      let type = cursor.u32()
      let flags = cursor.u32()
      let offset = cursor.u64()
      let address = cursor.u64()
      cursor.skip(8)
      let fileSize = cursor.u64()
      return ElfImage.Segment(
        type: type, flags: flags, offset: offset, address: address, fileSize: fileSize, memorySize: cursor.u64())
    }
  }

  /// Empty: it has none. Nil: they are not where the header says.
  package func sections() -> [ElfImage.Section]? {
    let (offset, size, count) = sectionTable
    guard offset != 0 else { return [] }
    guard (64...Self.widest).contains(size), let first = file.bytes(at: offset, count: 64) else { return nil }
    // Where there are very many, the first, empty one has the numbers.
    let zeroth = Self.section(ByteCursor(first))
    let number = count == 0 ? Int(clamping: zeroth.size) : count
    let names = nameSection == 0xFFFF ? Int(zeroth.link) : nameSection
    guard number <= ElfImage.Limit.sections, let table = file.bytes(at: offset, count: size * number) else {
      return nil
    }
    var sections = (0..<number).map { Self.section(ByteCursor(table, from: $0 * size)) }
    guard sections.indices.contains(names), sections[names].size <= ElfImage.Limit.sectionNames,
      let texts = file.bytes(at: sections[names].offset, count: Int(sections[names].size))
    else { return sections }
    for index in sections.indices {
      var cursor = ByteCursor(table, from: index * size)
      var name = ByteCursor(texts, from: Int(cursor.u32()))
      sections[index].name = name.text()
    }
    return sections
  }

  private static func section(_ header: ByteCursor) -> ElfImage.Section {
    var cursor = header
    cursor.skip(4)
    let type = cursor.u32()
    let flags = cursor.u64()
    let address = cursor.u64()
    let offset = cursor.u64()
    let size = cursor.u64()
    let link = cursor.u32()
    let information = cursor.u32()
    cursor.skip(8)
    return ElfImage.Section(
      name: "", type: type, flags: flags, address: address, offset: offset, size: size, link: link,
      information: information, entrySize: cursor.u64())
  }
}
