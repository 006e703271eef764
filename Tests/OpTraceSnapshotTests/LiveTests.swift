#if os(Linux)
  import Foundation
  import OpTraceSymbols
  import TestSupport
  import Testing

  @testable import OpTraceSnapshot

  /// A program that hangs, once it does. On a busy machine one may come to its end, and is started again.
  struct HungProgram {
    let program: RunningProgram
    var id: UInt32 { UInt32(program.processID) }

    /// - Parameter threads: how many wait for good, at least.
    init(_ name: String, of executable: String = "HangingProgram", threads: Int) throws {
      try self.init(threads: threads) { try RunningProgram(try Built.program(executable), [name]) }
    }

    init(threads: Int, _ start: () throws -> RunningProgram) throws {
      let end = Date(timeIntervalSinceNow: patience)
      var next = try start()
      while !Self.isStill(next, threads), Date() < end {
        if !next.isRunning { next = try start() }
      }
      if Date() >= end { Issue.record("the program does not come to rest") }
      program = next
    }

    /// Waits until a program that was started already has come to rest.
    static func settled(_ program: RunningProgram, threads: Int) throws {
      let end = Date(timeIntervalSinceNow: patience)
      while !isStill(program, threads), program.isRunning, Date() < end {}
    }

    /// Whether all threads but libdispatch's own wait for each other, and do not run between two looks. Waits a little.
    private static func isStill(_ program: RunningProgram, _ threads: Int) -> Bool {
      func all() -> [ThreadState] { (try? LiveMemory(UInt32(program.processID)).threads()) ?? [] }
      func waiting() -> [ThreadState] { all().filter { $0.call == 202 } }
      // One of which no thread waits for another: then all of them are in calls of the system.
      if threads == 0, all().isEmpty || !all().allSatisfy({ $0.call != nil }) { return false }
      let before = waiting()
      // Lets the program go on.
      poll(nil, 0, 20)
      let isLoaded = ((try? LiveMemory(UInt32(program.processID)))?.mappings ?? []).contains {
        $0.path.contains("libFoundation.so")
      }
      return isLoaded && before.count >= threads && waiting() == before
    }
  }

  @Suite("Processes that run", .ownThread) struct LiveTests {
    @Test("memory, files and threads are those of the process, which does not notice") func memory() throws {
      let hung = try HungProgram("two-locks", threads: 3)
      let memory = try LiveMemory(hung.id)
      let program = try Built.program("HangingProgram").resolvingSymlinksInPath().path
      let mapping = try #require(memory.mappings.first { $0.path == program && $0.offset == 0 })
      let file = try #require(try memory.file(of: mapping))
      #expect(try memory.bytes(at: mapping.low, count: 1000) == file.bytes(at: 0, count: 1000))
      let threads = try memory.threads()
      #expect(threads.first?.id == hung.id && threads.first?.name == "HangingProgram")
      #expect(threads.allSatisfy { $0.runs != nil && $0.letter == UInt8(ascii: "S") })
      #expect(threads.count { $0.call == 202 && $0.arguments.count == 6 && $0.registers != nil } >= 3)
      // Its own stacks hold the stack pointers' words.
      let stack = try #require(threads[0].registers?.sp)
      #expect(memory.mappings.containing(stack)?.isWritable == true)
      let status = try String(contentsOfFile: "/proc/\(hung.id)/status", encoding: .utf8)
      #expect(status.contains("TracerPid:\t0\n") && status.contains("State:\tS"))
      #expect(hung.program.isRunning)
    }

    @Test("there is nothing at an address that is not mapped") func unmapped() throws {
      let hung = try HungProgram("semaphore", threads: 2)
      let memory = try LiveMemory(hung.id)
      #expect(throws: MemoryTrouble.unreadable(address: 16)) { try memory.bytes(at: 16, count: 8) }
      #expect(throws: MemoryTrouble.unreadable(address: .max - 7)) { try memory.bytes(at: .max - 7, count: 8) }
      let low = try #require(memory.mappings.first).low
      #expect(throws: MemoryTrouble.unreadable(address: low - 8)) { try memory.bytes(at: low - 8, count: 8) }
    }

    @Test("a process that ends meanwhile is told as such") func ended() throws {
      let hung = try HungProgram("semaphore", threads: 2)
      let memory = try LiveMemory(hung.id)
      let low = try #require(memory.mappings.first).low
      hung.program.signal(SIGKILL)
      // It stays a zombie until it is asked for its status.
      while hung.program.isRunning { poll(nil, 0, 1) }
      #expect(throws: MemoryTrouble.zombie(hung.id)) { try LiveMemory(hung.id) }
      #expect(throws: MemoryTrouble.ended(hung.id)) { try memory.bytes(at: low, count: 8) }
      hung.program.end()
      #expect(throws: MemoryTrouble.ended(hung.id)) { try memory.bytes(at: low, count: 8) }
      #expect(throws: MemoryTrouble.self) { try memory.threads() }
      #expect(throws: MemoryTrouble.noSuchProcess(hung.id)) { try LiveMemory(hung.id) }
    }

    @Test("a program that was replaced on the disk is not mistaken for the new one") func replaced() throws {
      let scratch = try Scratch()
      let copy = scratch.file("program")
      let original = try Built.program("HangingProgram").resolvingSymlinksInPath()
      try FileManager.default.copyItem(at: original, to: copy)
      let program = try RunningProgram(
        copy, ["semaphore"],
        environment: RunningProgram.environment(adding: ["LD_LIBRARY_PATH": original.deletingLastPathComponent().path]))
      defer { program.kill() }
      while try LiveMemory(UInt32(program.processID)).mappings.allSatisfy({ !$0.path.contains("libFoundation.so") }) {
        poll(nil, 0, 20)
      }
      try FileManager.default.removeItem(at: copy)
      try FileManager.default.copyItem(at: URL(fileURLWithPath: "/bin/ls"), to: copy)
      let memory = try LiveMemory(UInt32(program.processID))
      let mapping = try #require(memory.mappings.first { $0.path == copy.path })
      #expect(mapping.isDeleted)
      let expected = try ImageFile(path: original.path).bytes(at: 0, count: 4096)
      // Not every user may open what was removed.
      if let file = try memory.file(of: mapping) { #expect(file.bytes(at: 0, count: 4096) == expected) }
    }

    @Test("a process does not look at itself") func own() {
      #expect(throws: MemoryTrouble.ownProcess) { try LiveMemory(UInt32(getpid())) }
    }

    @Test("lines of /proc/PID/maps") func maps() {
      let one = MemoryMapping(line: "7f00-7f10 r-xp 00002000 08:01 1234   /a folder/lib (deleted)")
      #expect(
        one
          == MemoryMapping(
            low: 0x7F00, high: 0x7F10, isReadable: true, isWritable: false, isExecutable: true, offset: 0x2000,
            path: "/a folder/lib", isDeleted: true, node: .init(major: 8, minor: 1, number: 1234)))
      #expect(MemoryMapping(line: "7f00-7f10 rw-s 00000000 00:01 9 /dev/zero (deleted)")?.isShared == true)
      #expect(MemoryMapping(line: "7f00-7f10 rw-p 00000000 00:00 0 ")?.path == "")
      for line in ["", "7f10-7f00 rw-p 0 00:00 0", "x-y rw-p 0 00:00 0", "7f00-7f10 r 0 00:00 0", "7f00 rw-p 0 0 0"] {
        #expect(MemoryMapping(line: line[...]) == nil, "\(line)")
      }
    }

    @Test("texts of a thread in /proc") func texts() throws {
      #expect(LiveThread.fields(ofStatus: "12 (a) name) S 1 2")?.first == "S")
      #expect(LiveThread.runs("7335913 5347947 5\n") == .init(times: 5, time: 7_335_913))
      #expect(LiveThread.runs("0 0 0\n") == nil && LiveThread.runs("1 2") == nil)
      #expect(LiveThread.lastRan("a (1)\n---\nse.exec_start   :   2214167.925792\n") == 2_214_167_925_792)
      #expect(LiveThread.lastRan("se.exec_start : 99999999999999999999.000000") == nil)
      var state = ThreadState(id: 1)
      LiveThread.read("202 0x10 0x1 0x2 0x3 0x4 0x5 0x7000 0x8000\n", into: &state)
      #expect(state.call == 202 && state.arguments == [16, 1, 2, 3, 4, 5])
      #expect(state.registers == .init(pc: 0x8000, sp: 0x7000))
      var other = ThreadState(id: 1)
      LiveThread.read("-1 0x7000 0x8000", into: &other)
      #expect(other.call == nil && other.registers?.pc == 0x8000)
      for text in ["running", "", "1 2", "202 0x10 1 2 3 4 5 6 7"] {
        var none = ThreadState(id: 1)
        LiveThread.read(text, into: &none)
        #expect(none == ThreadState(id: 1))
      }
    }

    @Test("words are found where they are, and nowhere else") func search() throws {
      var memory = MadeMemory()
      memory.add(0x1000, little(7, 1, 2, 7) + [7, 0, 0])
      var found: [UInt64] = []
      try memory.search(0x1000..<0x4000, for: WordSet([7, 9])) { address, word in found.append(address + word) }
      #expect(found == [0x1007, 0x101F])
      try memory.search(0x1000..<0x4000, for: WordSet([])) { _, _ in Issue.record("nothing was asked for") }
    }

    @Test("bytes that change all the time are told as such, and others are the same twice") func torn() throws {
      var memory = MadeMemory()
      memory.add(0x1000, [1, 2, 3])
      #expect(try memory.unchanged(at: 0x1000, count: 3) == [1, 2, 3])
      memory.changes = Changes()
      #expect(throws: MemoryTrouble.torn(address: 0x1000)) { try memory.unchanged(at: 0x1000, count: 3) }
      memory.changes = Changes(until: 2)
      #expect(try memory.unchanged(at: 0x1000, count: 3).count == 3)
    }

    @Test("mappings that overlap are of two moments") func overlap() {
      func one(_ low: UInt64, _ high: UInt64) -> MemoryMapping {
        MemoryMapping(
          low: low, high: high, isReadable: true, isWritable: true, isExecutable: false, offset: 0, path: "")
      }
      #expect([one(5, 9), one(1, 4), one(3, 6), one(7, 7)].inOrder() == [one(1, 4), one(5, 9)])
      let all = [one(1, 4), one(5, 9)]
      #expect(all.containing(4) == nil && all.containing(5) == one(5, 9) && all.containing(9) == nil)
      #expect(all.containing(0) == nil && all.containing(3) == one(1, 4))
    }
  }
#endif
