/// The structure of a 64-bit little-endian ELF file of any processor: segments, sections, build id. Every offset in
/// the file is checked, and nothing is read that was not asked for: a file may be damaged, and of any size.
///
/// After "Tool Interface Standard (TIS) Executable and Linking Format" and the System V ABI's gABI, chapters 4 and 5.
package final class ElfImage {
  package struct Segment: Sendable {
    package var type: UInt32
    var flags: UInt32
    package var offset: UInt64
    package var address: UInt64
    package var fileSize: UInt64
    package var memorySize: UInt64

    package static let load: UInt32 = 1, note: UInt32 = 4, frameHeader: UInt32 = 0x6474_E550
    static let dynamic: UInt32 = 2, loader: UInt32 = 3
    package var isExecutable: Bool { flags & 1 != 0 }
    package var isWritable: Bool { flags & 2 != 0 }
    package var isReadable: Bool { flags & 4 != 0 }
  }

  package struct Section {
    package var name: String
    var type: UInt32
    var flags: UInt64
    package var address: UInt64
    package var offset: UInt64
    package var size: UInt64
    var link: UInt32
    var information: UInt32
    var entrySize: UInt64

    static let symbols: UInt32 = 2, note: UInt32 = 7, noBits: UInt32 = 8, dynamicSymbols: UInt32 = 11
    var isExecutable: Bool { flags & 4 != 0 }
    var isCompressed: Bool { flags & 0x800 != 0 }
    func contains(_ value: UInt64) -> Bool { value >= address && value - address < size }
  }

  /// More than this counts as damage. Linked programs have some dozens of sections.
  enum Limit {
    static let sections = 1 << 16
    /// A core has one for each mapping.
    static let segments = 1 << 20
    /// Sections or segments with code.
    static let code = 1024
    static let sectionNames = 4 << 20
    static let notes = 1 << 20
    static let name = 1 << 14
  }

  package let file: ImageFile
  package let machine: ElfFile.Machine
  package let segments: [Segment]
  package let sections: [Section]
  /// As `.note.gnu.build-id` holds it; nil: it has none.
  package let buildID: [UInt8]?
  private let code: [(start: UInt64, size: UInt64)]

  /// - Complexity: O(sections).
  package init(path: String) throws(SymbolTrouble) {
    let file = try ImageFile(path: path)
    self.file = file
    let head = try ElfHead(file)
    guard head.machine.isOurs else { throw .otherWords(path) }
    machine = head.machine
    segments = head.segments()
    guard let found = head.sections() else { throw .damaged(path, "its table of sections lies outside of it") }
    sections = found
    buildID = Self.buildID(file, segments, sections)
    code = Self.code(segments, sections)
  }

  package func section(_ name: String) -> Section? {
    sections.first { $0.name == name && $0.type != Section.noBits && $0.size > 0 }
  }

  /// Whether there is code at this address.
  func isCode(_ address: UInt64) -> Bool { code.contains { address >= $0.start && address - $0.start < $0.size } }

  /// The bytes at an address; nil where they are in no section of the file.
  func bytes(atAddress address: UInt64, count: Int) -> [UInt8]? {
    let section = sections.first { $0.isExecutable && $0.type != Section.noBits && $0.contains(address) }
    return section.flatMap { $0.offset.adding(address - $0.address) }.flatMap { file.bytes(at: $0, count: count) }
  }

  /// Segments are used where there are no sections.
  private static func code(_ segments: [Segment], _ sections: [Section]) -> [(start: UInt64, size: UInt64)] {
    let found = sections.filter(\.isExecutable).map { (start: $0.address, size: $0.size) }
    guard found.isEmpty else { return Array(found.prefix(Limit.code)) }
    return segments.filter { $0.type == Segment.load && $0.isExecutable }.prefix(Limit.code)
      .map { (start: $0.address, size: $0.memorySize) }
  }

  /// The text at an offset of a section of texts; nil where it does not end in there.
  func text(in section: Section, at offset: UInt64, limit: Int = Limit.name) -> String? {
    guard offset < section.size else { return nil }
    let most = Int(min(UInt64(limit), section.size - offset))
    return closedText(limit: most) { count in
      section.offset.adding(offset).flatMap { file.bytes(at: $0, count: count) }
    }
  }

  package static func buildID(_ file: any ElfBytes, _ segments: [Segment], _ sections: [Section]) -> [UInt8]? {
    var ranges = sections.filter { $0.type == Section.note }.map { ($0.offset, $0.size) }
    ranges += segments.filter { $0.type == Segment.note }.map { ($0.offset, $0.fileSize) }
    for (offset, size) in ranges.prefix(64) where size <= Limit.notes {
      guard let notes = file.bytes(at: offset, count: Int(size)) else { continue }
      if let found = buildID(inNotes: notes) { return found }
    }
    return nil
  }

  /// Notes: the sizes of name and content, a type, then both, each padded to four bytes. That of a build id is 3, of "GNU".
  private static func buildID(inNotes notes: [UInt8]) -> [UInt8]? {
    var cursor = ByteCursor(notes)
    while !cursor.isAtEnd {
      let nameSize = UInt64(cursor.u32())
      let size = UInt64(cursor.u32())
      let type = cursor.u32()
      let name = cursor.offset
      cursor.skip((nameSize + 3) & ~3)
      let content = cursor.offset
      cursor.skip((size + 3) & ~3)
      guard !cursor.isBroken else { return nil }
      if type == 3, size > 0, size <= 64, notes[name...].starts(with: [0x47, 0x4E, 0x55, 0]) {
        return Array(notes[content..<content + Int(size)])
      }
    }
    return nil
  }
}

extension UInt64 {
  /// Nil: too large.
  package func adding(_ other: UInt64) -> UInt64? {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? nil : sum
  }
}
