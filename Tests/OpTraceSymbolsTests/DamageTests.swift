#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @testable import OpTraceSymbols

  /// Files that are cut or changed. Nothing traps or hangs, but names may be wrong.
  @Suite(.ownThread, .enabled(if: Tool.hasCompilers, "needs clang")) struct DamageTests {
    private let scratch: Scratch
    private let path: String
    private let file: FileHandle
    private let bytes: [UInt8]
    private let offsets: [UInt64]

    init() throws {
      let sound = try Programs.tiny.get()
      scratch = try Scratch()
      bytes = Array(try Data(contentsOf: URL(fileURLWithPath: sound)))
      path = try scratch.write("damaged", bytes)
      file = try #require(FileHandle(forWritingAtPath: path))
      offsets = Array(try code(of: sound)).filter { $0 % 3 == 0 } + [0, .max]
    }

    private func read() {
      let result = Symbolicator().symbolicate(offsets, of: path)
      #expect(result.frames.count == offsets.count)
      for trouble in result.modules[0].troubles { #expect(!trouble.description.isEmpty) }
    }

    private func put(_ byte: UInt8, at offset: Int) throws {
      try file.seek(toOffset: UInt64(offset))
      try file.write(contentsOf: [byte])
    }

    @Test func cutFilesDoNotTrap() throws {
      for count in bytes.indices.reversed() {
        try file.truncate(atOffset: UInt64(count))
        read()
      }
    }

    @Test func changedBytesDoNotTrap() throws {
      let seed = UInt64.random(in: 0...UInt64.max)
      // Print the seed before anything can trap.
      print("damaged programs of seed \(seed)")
      var generator = SeededGenerator(seed)
      let image = try ElfImage(path: try Programs.tiny.get())
      let tables = image.sections.filter { $0.name.hasPrefix(".debug_") || $0.name.hasPrefix(".symtab") }
      for _ in 0..<2000 {
        var changed: Set<Int> = []
        for _ in 0...generator.number(0..<4) {
          // Most changes hit numbers: in the header, the list of sections and the tables.
          let offset: Int
          switch generator.number(0..<4) {
          case 0: offset = generator.number(0..<64)
          case 1: offset = generator.number(bytes.count - 64 * image.sections.count..<bytes.count)
          case 2:
            let table = tables[generator.number(tables.indices)]
            offset = Int(table.offset) + generator.number(0..<Int(table.size))
          default: offset = generator.number(bytes.indices)
          }
          try put([0, 0xFF, 0x7F, 0x80, UInt8(generator.number(0..<256))][generator.number(0..<5)], at: offset)
          changed.insert(offset)
        }
        read()
        for offset in changed { try put(bytes[offset], at: offset) }
      }
    }

    /// Lengths and offsets beyond the end of the file.
    @Test func readsBeyondTheFileReturnNil() throws {
      let image = try ElfImage(path: try Programs.tiny.get())
      let section = try #require(image.section(".strtab"))
      #expect(image.text(in: section, at: .max) == nil)
      #expect(image.text(in: section, at: section.size) == nil)
      #expect(image.file.bytes(at: .max, count: 1) == nil)
      #expect(image.file.bytes(at: 0, count: -1) == nil)
      #expect(image.file.bytes(at: 1, count: .max) == nil)
    }
  }
#endif
