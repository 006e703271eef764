#if os(Linux)
  import Foundation
  import OpTraceSymbols
  import TestSupport
  import Testing

  @testable import optrace_cli

  @Suite("Reading ELF files")
  struct ElfFileTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func file(_ bytes: [UInt8]) throws -> ElfFile? { ElfFile(path: try folder.write("program", bytes)) }

    @Test("the fixture's fields are read")
    func fixture() throws {
      var elf = ElfFixture()
      elf.libraries = ["libswiftCore.so", "libc.so.6"]
      elf.sections = ["swift5_types"]
      let file = try #require(try file(elf.bytes))
      #expect(file.hasLoader)
      #expect(file.libraries == ["libswiftCore.so", "libc.so.6"])
      #expect(file.hasSwiftSections)
      #expect(file.machine == ElfFile.own)
    }

    @Test("a built Swift program needs Swift's libraries")
    func swiftProgram() throws {
      let file = try #require(ElfFile(path: try RecordFolder.program))
      #expect(file.hasLoader)
      #expect(file.hasSwiftSections)
      #expect(file.libraries.contains("libFoundation.so"))
      #expect(file.libraries.contains("libswiftCore.so"))
    }

    @Test("the preloaded object needs the C library and no Swift library")
    func preloadedObjectNeedsTheCLibraryAlone() throws {
      let folder = try Command.executable.deletingLastPathComponent()
      let file = try #require(ElfFile(path: folder.appendingPathComponent("libOpTracePreload.so").path))
      // The loader is part of the C library.
      #expect(file.libraries.filter { !$0.hasPrefix("ld-linux") } == ["libc.so.6"])
    }

    @Test("a truncated file is read up to the cut, and other files are no ELF files")
    func cut() throws {
      let bytes = ElfFixture().bytes
      #expect(try file([]) == nil)
      #expect(try file(Array("#!/bin/sh\n".utf8)) == nil)
      for count in 0..<bytes.count {
        let part = try file(Array(bytes.prefix(count)))
        #expect((part == nil) == (count < 64))
        #expect(part.map { $0.libraries == [] || $0.libraries == ["libc.so.6"] } ?? true)
      }
    }

    @Test("wrong numbers in a file never trap")
    func hostile() throws {
      let bytes = ElfFixture().bytes
      for place in 4..<bytes.count {
        for value in [0x00, 0x7F, 0x80, 0xFF] as [UInt8] {
          var changed = bytes
          changed[place] = value
          // Any answer is right, as long as nothing traps.
          #expect(try file(changed) != nil)
          for next in place..<min(place + 8, bytes.count) { changed[next] = value }
          #expect(try file(changed) != nil)
        }
      }
    }
  }
#endif
