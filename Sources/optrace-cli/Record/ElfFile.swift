#if CLI && os(Linux)
  import Foundation
  import OpTraceFormat
  import OpTraceModel

  /// What `record` needs to know of a program's file in the format of Linux. Every place in the file is checked: a program
  /// may be anything.
  struct ElfFile {
    /// Bits of a word, byte order and processor: what a program and an object that is loaded into it must share.
    struct Machine: Equatable {
      var wordClass: UInt8
      var byteOrder: UInt8
      var processor: UInt16

      var name: String {
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

    let machine: Machine
    /// It names the loader that brings shared libraries in. Without one nothing can be loaded.
    private(set) var hasLoader = false
    /// File names of the shared libraries that it asks for itself.
    private(set) var libraries: [String] = []
    private(set) var hasSwiftSections = false

    private let file: FileHandle

    /// Nil: not such a file, or it may not be read.
    init?(path: String) {
      let descriptor = open(path.asPath, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      guard let head = Self.bytes(file, at: 0, count: 64), head.starts(with: [0x7F, 0x45, 0x4C, 0x46]) else {
        return nil
      }
      let isLittle = head[5] == 1
      machine = Machine(
        wordClass: head[4], byteOrder: head[5],
        processor: isLittle ? UInt16(head[18]) | UInt16(head[19]) << 8 : UInt16(head[19]) | UInt16(head[18]) << 8)
      // What follows is only of use where it is as in our own programs.
      guard head[4] == 2, isLittle else { return }
      readSegments(head)
      readSections(head)
    }

    /// The machine of the command itself.
    static let own = ElfFile(path: "/proc/self/exe")?.machine

    private struct Segment {
      var type: UInt32
      var offset: UInt64
      var address: UInt64
      var size: UInt64
    }

    private mutating func readSegments(_ head: [UInt8]) {
      let size = Int(head.number(54, UInt16.self))
      guard size >= 56 else { return }
      let table = Self.entries(
        file, at: head.number(32, UInt64.self), size: size, count: Int(head.number(56, UInt16.self)))
      let segments = table.map {
        Segment(
          type: $0.number(0, UInt32.self), offset: $0.number(8, UInt64.self), address: $0.number(16, UInt64.self),
          size: $0.number(32, UInt64.self))
      }
      hasLoader = segments.contains { $0.type == 3 }
      if let dynamic = segments.first(where: { $0.type == 2 }) { readLibraries(dynamic, segments) }
    }

    /// The dynamic section: pairs of a tag and a value. Names lie in a table that is given by its address in memory.
    private mutating func readLibraries(_ dynamic: Segment, _ segments: [Segment]) {
      let pairs = Self.entries(file, at: dynamic.offset, size: 16, count: Int(min(dynamic.size / 16, 4096)))
        .map { (tag: $0.number(0, UInt64.self), value: $0.number(8, UInt64.self)) }
        .prefix { $0.tag != 0 }
      guard let address = pairs.first(where: { $0.tag == 5 })?.value,
        let size = pairs.first(where: { $0.tag == 10 })?.value,
        let segment = segments.first(where: { $0.type == 1 && address >= $0.address && address - $0.address < $0.size }
        ),
        let names = Self.bytes(file, at: segment.offset &+ (address - segment.address), count: Int(clamping: size))
      else { return }
      libraries = pairs.filter { $0.tag == 1 }.compactMap { names.text($0.value) }
    }

    /// Swift keeps its metadata in sections of known names, in stripped programs too.
    private mutating func readSections(_ head: [UInt8]) {
      let size = Int(head.number(58, UInt16.self))
      guard size >= 64 else { return }
      let table = Self.entries(
        file, at: head.number(40, UInt64.self), size: size, count: Int(head.number(60, UInt16.self)))
      let place = Int(head.number(62, UInt16.self))
      guard table.indices.contains(place) else { return }
      let length = table[place].number(32, UInt64.self)
      guard let names = Self.bytes(file, at: table[place].number(24, UInt64.self), count: Int(clamping: length))
      else { return }
      hasSwiftSections = table.contains { names.text(UInt64($0.number(0, UInt32.self)))?.hasPrefix("swift5_") == true }
    }

    private static func entries(_ file: FileHandle, at offset: UInt64, size: Int, count: Int) -> [[UInt8]] {
      guard let table = bytes(file, at: offset, count: size * count) else { return [] }
      return (0..<count).map { Array(table[$0 * size..<($0 + 1) * size]) }
    }

    /// All of the bytes, or nil: a number in the file may be wrong.
    private static func bytes(_ file: FileHandle, at offset: UInt64, count: Int) -> [UInt8]? {
      var status = stat()
      guard fstat(file.fileDescriptor, &status) == 0, let place = off_t(exactly: offset), place <= status.st_size,
        count <= Int(status.st_size) - Int(place)
      else { return nil }
      var bytes = [UInt8](repeating: 0, count: count)
      return pread(file.fileDescriptor, &bytes, count, place) == count ? bytes : nil
    }
  }

  extension [UInt8] {
    /// The caller knows that it is inside.
    fileprivate func number<T: FixedWidthInteger>(_ offset: Int, _: T.Type) -> T {
      withUnsafeBytes { T(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: T.self)) }
    }

    /// The text that begins there, up to its closing zero; nil outside.
    fileprivate func text(_ offset: UInt64) -> String? {
      guard let start = Int(exactly: offset), start < count else { return nil }
      return String(decoding: self[start...].prefix { $0 != 0 }, as: UTF8.self)
    }
  }
#endif
