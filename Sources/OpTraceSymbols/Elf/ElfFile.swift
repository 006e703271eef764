/// How a program's file wants to be started: for which machine it is, and what is loaded with it. A file that is
/// damaged is read as far as it goes.
package struct ElfFile {
  /// Bits of a word, byte order and processor: what a program and an object that is loaded into it must share.
  package struct Machine: Equatable, Sendable {
    var wordClass: UInt8
    var byteOrder: UInt8
    package var processor: UInt16

    /// Tables of other files are not read.
    package var isOurs: Bool { wordClass == 2 && byteOrder == 1 }

    /// For people.
    package var name: String {
      switch (processor, wordClass) {
      case (3, _): "32-bit x86"
      case (40, _): "32-bit ARM"
      case (62, 2): "x86-64"
      case (62, _): "x86-64 with 32-bit words"
      case (183, _): "64-bit ARM"
      case (243, _): "RISC-V"
      default: "processor \(processor)"
      }
    }
  }

  /// What it was built for.
  package let machine: Machine
  /// It names the loader that brings shared libraries in. Without one nothing can be loaded.
  package private(set) var hasLoader = false
  /// File names of the shared libraries that it asks for itself.
  package private(set) var libraries: [String] = []
  /// Swift keeps its metadata in sections of known names, in stripped programs too.
  package private(set) var hasSwiftSections = false

  /// It has the names of all its functions; `strip` takes them away.
  package private(set) var hasSymbols = false
  /// Hexadecimal; nil: it has none.
  package private(set) var buildID: String?

  /// Nil: not such a file, or it may not be read.
  package init?(path: UnsafePointer<CChar>) {
    guard let file = try? ImageFile(path: path), let head = try? ElfHead(file) else { return nil }
    machine = head.machine
    guard machine.isOurs else { return }
    let segments = head.segments()
    hasLoader = segments.contains { $0.type == ElfImage.Segment.loader }
    libraries = Self.libraries(file, segments)
    let sections = head.sections() ?? []
    hasSwiftSections = sections.contains { $0.name.hasPrefix("swift5_") }
    hasSymbols = sections.contains { $0.name == ".symtab" }
    buildID = ElfImage.buildID(file, segments, sections)?.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The machine of this process.
  package static let own = ElfFile(path: "/proc/self/exe")?.machine

  /// The dynamic segment: pairs of a tag and a value. Names lie in a table that is given by its address in memory.
  private static func libraries(_ file: ImageFile, _ segments: [ElfImage.Segment]) -> [String] {
    guard let dynamic = segments.first(where: { $0.type == ElfImage.Segment.dynamic }) else { return [] }
    let count = Int(min(dynamic.fileSize / 16, 4096))
    var cursor = ByteCursor(file.bytes(at: dynamic.offset, count: count * 16) ?? [])
    var needed: [UInt64] = []
    var (address, size): (UInt64?, UInt64?)
    while !cursor.isAtEnd {
      let (tag, value) = (cursor.u64(), cursor.u64())
      switch tag {
      case 1: needed.append(value)
      case 5: address = address ?? value
      case 10: size = size ?? value
      default: break
      }
      if tag == 0 { break }
    }
    guard let address, let size = size.flatMap(Int.init(exactly:)),
      let segment = segments.first(where: {
        $0.type == ElfImage.Segment.load && address >= $0.address && address - $0.address < $0.fileSize
      }),
      let start = segment.offset.adding(address - segment.address), let names = file.bytes(at: start, count: size)
    else { return [] }
    return needed.compactMap { offset in
      guard let start = Int(exactly: offset), start < names.count else { return nil }
      var name = ByteCursor(names, from: start)
      return name.text()
    }
  }
}
