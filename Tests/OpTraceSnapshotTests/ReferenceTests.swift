#if os(Linux)
  import Foundation
  import OpTraceSymbols
  import TestSupport
  import Testing

  @testable import OpTraceSnapshot

  @Suite("Who refers to what") struct ReferenceTests {
    /// A heap that begins with a piece of 32 bytes and goes on with these, and its end, which is free.
    private func heap(
      at low: UInt64 = 0x10_0000, _ pieces: [(size: UInt64, words: [UInt64])], pages: Int = 4
    ) -> MadeMemory {
      var bytes = little(0, 0x291) + [UInt8](repeating: 0, count: 0x280)
      for piece in pieces {
        var content = [UInt64](repeating: 0, count: Int(piece.size) / 8 - 2)
        content.replaceSubrange(0..<piece.words.count, with: piece.words)
        bytes += little(0, piece.size | 1) + content.flatMap { little($0) }
      }
      let rest = pages * 4096 - bytes.count
      bytes += little(0, UInt64(rest) | 1) + [UInt8](repeating: 0, count: rest - 16)
      var memory = MadeMemory()
      memory.add(low, bytes, path: "[heap]")
      return memory
    }

    private func index(_ memory: MadeMemory, most: Int = 1000) throws -> PageIndex? {
      let view = MemoryView(memory)
      return try PageIndex(
        memory, memory.mappings.map { .init(range: $0.low..<$0.high, firstPiece: Pieces.first(in: $0, view)) },
        most: most)
    }

    @Test("the piece that a word is in, also one that goes over pages, and which pieces are free") func pieces() throws
    {
      let memory = heap([(48, [7]), (0x1800, [8]), (64, [9])])
      let view = MemoryView(memory)
      let index = try #require(try index(memory))
      let part = PageIndex.Part(range: 0x10_0000..<0x10_4000, firstPiece: 0x10_0000)
      let pieces = Pieces(index, [part], view)
      func piece(_ address: UInt64) -> Range<UInt64>? { pieces.piece(with: address, in: part)?.range }
      #expect(piece(0x10_02A0) == 0x10_02A0..<0x10_02C8)
      #expect(piece(0x10_02D0) == 0x10_02D0..<0x10_1AC8 && piece(0x10_1AC0) == piece(0x10_02D0))
      #expect(piece(0x10_1AD0) == 0x10_1AD0..<0x10_1B08)
      #expect(piece(0x10_02C8) == nil)
      #expect(pieces.piece(with: 0x10_1AD0, in: part)?.isFree == false)
      #expect(pieces.piece(with: 0x10_2000, in: part)?.isFree == true)
      // Its neighbour says that it is not used.
      var freed = memory
      freed.parts[0].bytes.replaceSubrange(0x1AC8..<0x1AD0, with: little(64))
      let other = Pieces(try #require(try self.index(freed)), [part], MemoryView(freed))
      #expect(other.piece(with: 0x10_02D0, in: part)?.isFree == true)
    }

    @Test("nothing is said of a heap whose pieces do not fit together, from there on") func broken() throws {
      let memory = heap([(48, []), (0x1800, []), (0x900, [])])
      var torn = memory
      torn.parts[0].bytes.replaceSubrange(0x1AC8..<0x1AD0, with: little(0x7777))
      let part = PageIndex.Part(range: 0x10_0000..<0x10_4000, firstPiece: 0x10_0000)
      let pieces = Pieces(try #require(try index(torn)), [part], MemoryView(torn))
      #expect(pieces.piece(with: 0x10_02A0, in: part) != nil)
      for address: UInt64 in [0x10_1AD0, 0x10_2000, 0x10_3000] { #expect(pieces.piece(with: address, in: part) == nil) }
    }

    @Test("words that lead into ranges, with the marks that Swift sets in addresses, and no others") func words() throws
    {
      let memory = heap([(64, [0x20_0010, 0x20_0018 | 0xF0 << 56 | 7, 0x20_0020, 0x20_000F, 0x30_0000])])
      let index = try #require(try index(memory))
      var found: [UInt64: Int] = [:]
      _ = try index.search(memory, for: [0x20_0010..<0x20_0020, 0x30_0000..<0x30_0008]) { address, range in
        found[address] = range
        return true
      }
      #expect(found == [0x10_02A0: 0, 0x10_02A8: 0, 0x10_02C0: 1])
    }

    @Test("of more memory than is looked at nothing is said") func most() throws {
      // Blocks are of one, two or four pages.
      let memory = heap([], pages: 8)
      #expect(try index(memory, most: 8)?.count == 8 && index(memory, most: 2)?.count == 2)
      #expect(try index(memory, most: 1) == nil)
    }

    @Test("a wait of a program has those that could end it, or is not known") func enders() throws {
      var found: [Set<FoundEnders.Ender>] = []
      var task: UInt64?
      // Another run has other words left over.
      for _ in 0..<3 where found.isEmpty {
        let hung = try HungProgram("main-actor-beside-timer", of: "HangPrograms", threads: 1)
        var snapshot = try Snapshot.taken(of: LiveMemory(hung.id))
        while !snapshot.isStill || snapshot.objects.tasks?.tasks.isEmpty != false, hung.program.isRunning {
          poll(nil, 0, 50)
          snapshot = try Snapshot.taken(of: LiveMemory(hung.id))
        }
        task = snapshot.objects.tasks?.tasks.keys.first
        found = Array(snapshot.enders.enders.values)
      }
      #expect(found == [[.task(try #require(task))]])
    }
  }
#endif
