#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @testable import OpTraceSnapshot

  @Suite("What a look does to a process", .ownThread) struct HarmTests {
    /// What the system counts for a process, exactly: `status` alone may lag behind by some pages for each processor.
    private func memory(of id: UInt32) throws -> [String] {
      let rows = [
        ("smaps_rollup", ["Rss", "Anonymous", "Swap"]),
        ("status", ["RssShmem", "VmPTE", "VmData", "VmSize", "Threads"]),
      ]
      return try rows.flatMap { file, names in
        try String(contentsOfFile: "/proc/\(id)/\(file)", encoding: .utf8).split(separator: "\n").map(String.init)
          .filter { line in names.contains { line.hasPrefix("\($0):") } }
      }
    }

    @Test("memory that the program has not touched stays so, and no page is added to it") func memory() throws {
      let account = try Account()
      #expect(account["untouched"].count == 2)
      try HungProgram.settled(account.program, threads: 1)
      var before = try memory(of: account.id)
      #expect(before.count == 8)
      var snapshot = try Snapshot.taken(of: LiveMemory(account.id))
      var after = try memory(of: account.id)
      // Threads without work end by themselves after a while, and that takes memory, too.
      while after.last != before.last {
        before = after
        snapshot = try Snapshot.taken(of: LiveMemory(account.id))
        after = try memory(of: account.id)
      }
      #expect(after == before)
      // It was looked at all the same.
      #expect(snapshot.objects.operations?.operations.count == 10)
    }

    @Test("what nobody has touched is zero in its own memory, and not known in memory that is shared") func untouched()
      throws
    {
      let account = try Account()
      let memory = try LiveMemory(account.id)
      let places = account.lines["untouched"]?.compactMap { UInt64($0[0].dropFirst(2), radix: 16) } ?? []
      try #require(places.count == 2)
      #expect(throws: MemoryTrouble.unreadable(address: places[0] + 4096)) {
        try memory.bytes(at: places[0] + 4096, count: 8)
      }
      #expect(try memory.bytes(at: places[1] + 4090, count: 8) == [UInt8](repeating: 0, count: 8))
    }
  }

  @Suite("Objects that cannot be told from what is gone", .ownThread) struct AllocatorTests {
    @Test("where another library gives out memory, objects are left out, and that is said") func library() throws {
      let account = try Account(at: try Built.program("AccountProgram"), ["LD_PRELOAD": "libc_malloc_debug.so.0"])
      let found = try Snapshot.taken(of: LiveMemory(account.id)).objects
      #expect(found.leftOut.contains(.allocator))
      #expect(found.operations == nil && found.dispatch == nil && found.tasks == nil && found.actors.isEmpty)
    }

    /// Words of a semaphore, of a source and of a queue, none of them in memory of glibc's.
    private func memory() -> MemoryView {
      var memory = MadeMemory()
      let rest = [UInt8](repeating: 0, count: 128)
      memory.add(0x1000, rest + little(0x70, 1 << 32 | 1, 0, 0x4000) + rest)
      // Its target is a queue; then one whose target is none, as a word that is left over on a stack.
      memory.add(0x2000, rest + little(0x71, 1 << 32 | 1, 0, 0x4000) + rest)
      memory.add(0x3000, rest + little(0x71, 0, 0, 0x3001) + rest)
      memory.add(0x4000, little(0x72, 1 << 32 | 1))
      return MemoryView(memory)
    }

    private func found(_ liveness: Liveness, isComplete: Bool = true, _ heap: [UInt64]) -> FoundDispatch {
      let layout = DispatchLayout(kinds: [0x70: .semaphore, 0x71: .source, 0x72: .serialQueue])
      return FoundDispatch(layout, liveness, heap: heap, fixed: [], tasks: nil, isComplete: isComplete)
    }

    @Test("what may bring an event counts in any memory, and other objects are counted as lost") func sources() {
      let liveness = Liveness(view: memory())
      let all = found(liveness, [0x1080, 0x2080, 0x3080])
      #expect(all.semaphores.isEmpty && all.sources == [0x2080: 0x4000] && all.hasSources)
      #expect(!liveness.tally.isOfGlibc)
      let stack = Liveness(view: memory())
      #expect(!found(stack, [0x3080]).hasSources && stack.tally.isOfGlibc)
    }

    @Test("where there are more candidates than are read, one of them may bring an event") func more() {
      #expect(!found(Liveness(view: memory()), []).hasSources)
      #expect(found(Liveness(view: memory()), isComplete: false, []).hasSources)
    }

    @Test("while threads run, a list that is torn once is nothing that is left out") func torn() {
      let once: Set<LeftOut> = [.queueList(address: 1), .dispatch, .operation(address: 3)]
      let twice: Set<LeftOut> = [.queueList(address: 2), .operation(address: 3), .cutShort]
      #expect(once.standing(with: twice) == [.dispatch, .operation(address: 3), .cutShort])
    }
  }
#endif
