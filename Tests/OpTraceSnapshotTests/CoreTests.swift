#if os(Linux) && arch(x86_64)
  import Foundation
  import OpTraceModel
  import OpTraceSymbols
  import TestSupport
  import Testing

  @testable import OpTraceSnapshot

  @Suite("Core files", .ownThread) struct CoreTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// A heap, and a library of which the core has the first page.
    private func core(_ library: String) -> MadeCore {
      var core = MadeCore()
      core.parts = [
        .init(low: 0x10000, bytes: Array(MadeLibrary.bytes(build: 7, filling: 1).prefix(4096)), size: 8192, flags: 5),
        .init(low: 0x20000, bytes: [UInt8](1...64) + [UInt8](repeating: 0, count: 4032), size: 4096),
        .init(low: 0x30000, size: 4096),
      ]
      core.files = [.init(low: 0x10000, size: 8192, path: library)]
      return core
    }

    private func open(_ core: MadeCore, programs: [String] = [], root: String = "") throws -> CoreMemory {
      try CoreMemory(path: try scratch.write("core", core.bytes), programs: programs, root: root)
    }

    @Test("memory, registers and calls are those of the core") func content() throws {
      var made = core("/gone/library")
      made.threads.append((78, MadeCore.sleeping(call: .max, on: 0, pc: 0x10020, sp: 0x8000, bp: 0x8010)))
      let core = try open(made)
      #expect(core.processID == 77 && !core.isCutShort)
      #expect(try core.bytes(at: 0x20001, count: 3) == [2, 3, 4])
      #expect(core.mappings.map(\.low) == [0x10000, 0x20000, 0x30000])
      #expect(core.mappings[0].path == "/gone/library" && core.mappings[0].isExecutable)
      let threads = core.threads()
      #expect(threads.map(\.id) == [77, 78])
      #expect(threads[0].call == 202 && threads[0].arguments.first == 0x5000 && threads[0].registers?.pc == 0x10010)
      #expect(threads[1].call == nil && threads[1].registers == .init(pc: 0x10020, sp: 0x8000, bp: 0x8010))
    }

    @Test("what is neither in the core nor in a file cannot be read") func unreadable() throws {
      let core = try open(core("/gone/library"))
      #expect(throws: MemoryTrouble.unreadable(address: 0x30000)) { try core.bytes(at: 0x30000, count: 8) }
      #expect(throws: MemoryTrouble.unreadable(address: 0x21000)) { try core.bytes(at: 0x20FFC, count: 8) }
      #expect(throws: MemoryTrouble.unreadable(address: 0x11000)) { try core.bytes(at: 0x11000, count: 8) }
      #expect(throws: MemoryTrouble.unreadable(address: 0)) { try core.bytes(at: 0, count: 1) }
    }

    @Test("pages that are not in the core come from the file of the same build id, wherever it is now")
    func pagesOfFiles() throws {
      let library = try scratch.write("library", MadeLibrary.bytes(build: 7, filling: 9))
      let here = try open(core(library))
      #expect(here.missing == [])
      #expect(try here.bytes(at: 0x11000, count: 2) == [9, 9])
      // The file's own page counts less than the process's.
      #expect(try here.bytes(at: 0x10FFF, count: 2) == [0, 9])

      let given = try open(core("/gone/library"), programs: [library])
      #expect(try given.bytes(at: 0x11000, count: 1) == [9])

      try FileManager.default.createDirectory(at: scratch.file("root/gone"), withIntermediateDirectories: true)
      try scratch.write("root/gone/library", MadeLibrary.bytes(build: 7, filling: 8))
      let rooted = try open(core("/gone/library"), root: scratch.path("root"))
      #expect(try rooted.bytes(at: 0x11000, count: 1) == [8])
    }

    @Test("a file of another build is not used, and named with the build id that is missing") func otherBuild() throws {
      let library = try scratch.write("library", MadeLibrary.bytes(build: 6, filling: 9))
      let id = String(repeating: "07", count: 20)
      let core = try open(core(library))
      #expect(core.missing == [.init(path: library, buildID: id, isOtherBuild: true)])
      #expect(throws: MemoryTrouble.unreadable(address: 0x11000)) { try core.bytes(at: 0x11000, count: 1) }
      #expect(try open(self.core("/gone")).missing == [.init(path: "/gone", buildID: id, isOtherBuild: false)])
    }

    @Test("without a build id the first page tells whether a file is the same") func withoutBuildID() throws {
      let library = try scratch.write("library", MadeLibrary.bytes(build: nil, filling: 9))
      var made = core(library)
      made.parts[0].bytes = Array(MadeLibrary.bytes(build: nil, filling: 1).prefix(4096))
      #expect(try open(made).bytes(at: 0x11000, count: 1) == [9])
      made.parts[0].bytes[4000] = 1
      #expect(try open(made).missing.map(\.path) == [library])
    }

    @Test("packed cores are read like others") func packed() throws {
      let plain = core("/gone/library").bytes
      try scratch.write("core", plain)
      let result = try RunningProgram.run(URL(fileURLWithPath: "/bin/gzip"), ["-k", scratch.path("core")])
      #expect(result.status == 0)
      let gzip = try CoreMemory(path: scratch.path("core.gz"))
      #expect(try gzip.bytes(at: 0x20001, count: 3) == [2, 3, 4])
      // As tools write it that pack in parallel: in several members, with zeros behind.
      let half = plain.count / 2
      var members: [UInt8] = []
      for (name, bytes) in [("first", plain[..<half]), ("second", plain[half...])] {
        try scratch.write(name, Array(bytes))
        let result = try RunningProgram.run(URL(fileURLWithPath: "/bin/gzip"), [scratch.path(name)])
        #expect(result.status == 0)
        members += [UInt8](try Data(contentsOf: scratch.file("\(name).gz")))
      }
      members += [UInt8](repeating: 0, count: 512)
      let several = try CoreMemory(path: try scratch.write("several.gz", members))
      #expect(!several.isCutShort)
      #expect(try several.bytes(at: 0x20001, count: 3) == [2, 3, 4])
      let zstd = try CoreMemory(path: try scratch.write("core.zst", Self.zstd(plain)))
      #expect(try zstd.bytes(at: 0x20001, count: 3) == [2, 3, 4])
      #expect(throws: MemoryTrouble.packedCore(scratch.path("core.gz"), "it is larger than 0 GiB unpacked")) {
        try CoreFile.opened(scratch.path("core.gz"), most: 100)
      }
      #expect(throws: MemoryTrouble.packedCore(scratch.path("core.zst"), "its content is damaged")) {
        try CoreMemory(path: try scratch.write("core.zst", Self.zstd(plain).prefix(6) + [0xFF, 0xFF, 0xFF]))
      }
    }

    /// A frame with blocks that are not packed.
    private static func zstd(_ bytes: [UInt8]) -> [UInt8] {
      var frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0, 0x58]
      for start in stride(from: 0, to: bytes.count, by: 4096) {
        let block = bytes[start...].prefix(4096)
        frame += little(UInt64(block.count << 3 | (block.endIndex == bytes.count ? 1 : 0)), bytes: 3) + block
      }
      return frame
    }

    @Test("a file that is no core, of another processor, or without threads is refused") func refused() throws {
      #expect(throws: MemoryTrouble.notCore(scratch.path("text"))) {
        try CoreMemory(path: try scratch.write("text", Array("no core".utf8)))
      }
      #expect(throws: MemoryTrouble.notCore(scratch.path("library"))) {
        try CoreMemory(path: try scratch.write("library", MadeLibrary.bytes(build: 1, filling: 1)))
      }
      #expect(throws: MemoryTrouble.cannotRead(scratch.path("nothing"), "there is no such file")) {
        try CoreMemory(path: scratch.path("nothing"))
      }
      var bytes = core("/gone").bytes
      bytes[18] = 183
      #expect(throws: MemoryTrouble.otherMachine("64-bit ARM")) {
        try CoreMemory(path: try scratch.write("arm", bytes))
      }
      var none = core("/gone")
      none.threads = []
      #expect(throws: MemoryTrouble.damagedCore(scratch.path("core"), "it has no threads")) { try open(none) }
    }

    @Test("a core that is cut short has what is there, and says so") func cutShort() throws {
      let made = core("/gone/library")
      let bytes = made.bytes
      let cut = try CoreMemory(path: try scratch.write("cut", Array(bytes.dropLast(4000))))
      #expect(cut.isCutShort)
      #expect(try cut.bytes(at: 0x20000, count: 2) == [1, 2])
      #expect(throws: MemoryTrouble.self) { try cut.bytes(at: 0x20000, count: 4096) }
    }

    @Test("a thread whose call has a result was on its way back, and does not sleep", arguments: [0, -11, -110, -4, 3])
    func woken(result: Int64) throws {
      var made = core("/gone/library")
      made.threads = [
        (77, MadeCore.sleeping(call: 202, on: 0x5000, pc: 0x10010, sp: 0x7000, result: result)),
        (78, MadeCore.sleeping(call: 202, on: 0x5000, pc: 0x10010, sp: 0x7000, result: -512)),
        (79, MadeCore.sleeping(call: 232, on: 5, pc: 0x10010, sp: 0x7000, result: -4)),
        (80, MadeCore.sleeping(call: 230, on: 5, pc: 0x10010, sp: 0x7000, result: -516)),
      ]
      #expect(try open(made).threads().map(\.call) == [nil, 202, 232, 230])
    }

    @Test("a thread whose word has changed waits for nothing") func changed() throws {
      var made = core("/gone/library")
      // The word is 7 now: one thread sleeps until it is no longer 7, the other one was about to see that it is no longer 6.
      made.parts[1].bytes = little(7, bytes: 4) + [UInt8](repeating: 0, count: 4092)
      made.threads = [UInt64(7), 6].map { expected in
        var registers = MadeCore.sleeping(call: 202, on: 0x20000, pc: 0x10010, sp: 0x20100)
        (registers[13], registers[12]) = (128, UInt64(expected))
        return (UInt64(70 + expected), registers)
      }
      let core = try open(made)
      let seen = try StackWalker.with(core, isLive: false, [], threads: [76, 77]) { walker in
        walker.walked(core.threads())
      }
      #expect(seen?.map { $0.wait != nil } == [false, true])
    }

    @Test("a core says of its memory what it likes, and only what is in the file is read") func sparse() throws {
      var made = core("/gone/library")
      made.parts[2].size = 1 << 56
      made.parts.append(.init(low: 1 << 62, bytes: [1], size: 4096))
      made.parts.append(.init(low: .max - 4095, bytes: [1], size: 4095))
      let core = try open(made)
      #expect(core.mappings.map(\.low) == [0x10000, 0x20000, 0x30000] && core.mappings[2].size == 1 << 56)
      var found: [UInt64] = []
      for mapping in core.mappings {
        try core.search(mapping.low..<mapping.high, for: WordSet([0x0807_0605_0403_0201])) { address, _ in
          found.append(address)
        }
      }
      #expect(found == [0x20000])
      #expect(core.written(in: 0..<1 << 57) == 0x20000..<0x21000)
      // The library is known by its first page, and it has nothing to look for.
      let snapshot = try Snapshot.taken(of: core)
      #expect(snapshot.modules.map(\.path) == ["/gone/library"] && TraceValidator.check(snapshot.events) == [])
    }

    @Test("parts that are in the same place of the file are refused") func overlapping() throws {
      var made = core("/gone/library")
      made.parts += (1...64).map { .init(low: 0x100000 * UInt64($0), size: 0x100000, offset: 0, said: 8192) }
      #expect(
        throws: MemoryTrouble.damagedCore(scratch.path("core"), "parts of its memory are in the same place of the file")
      ) { try open(made) }
    }

    @Test("a segment's entry of 64 KiB is refused") func wide() throws {
      var bytes = core("/gone/library").bytes
      (bytes[54], bytes[55]) = (0xFF, 0xFF)
      #expect(
        throws: MemoryTrouble.damagedCore(scratch.path("wide"), "its table of memory is not where its header says")
      ) { try CoreMemory(path: try scratch.write("wide", bytes)) }
    }

    @Test("any number of a call is told, or none") func calls() throws {
      var made = core("/gone/library")
      made.threads = [0, 4094, 4095, 70000, UInt64(Int32.max)].enumerated().map { index, call in
        (UInt64(77 + index), MadeCore.sleeping(call: call, on: 1, pc: 0x10010, sp: 0x7000))
      }
      #expect(try open(made).threads().map(\.callNumber) == [1, 4095, 0, 0, 0])
      #expect(try Snapshot.taken(of: open(made)).threads.count == 5)
      _ = try Snapshot.taken(of: open(made)).events
    }

    @Test("cut and damaged cores are read in bounded time, or refused", arguments: [1, 2, 3])
    func damage(seed: Int) throws {
      var random = SeededGenerator(seed)
      var made = core("/gone/library")
      made.threads += (0..<4).map { (UInt64(100 + $0), MadeCore.sleeping(call: 202, on: 1, pc: 2, sp: 3)) }
      let whole = made.bytes
      for _ in 0..<400 {
        var bytes = whole
        // Mostly in the tables, where each byte counts.
        for _ in 0..<random.number(0..<6) {
          let limit = random.chance(80) ? 64 + 56 * 4 + 2000 : bytes.count
          bytes[random.number(0..<limit)] = random.chance(50) ? 0xFF : UInt8(truncatingIfNeeded: random.next())
        }
        if random.chance(50) { bytes.removeLast(random.number(0..<bytes.count)) }
        guard let core = try? CoreMemory(path: try scratch.write("damaged", bytes)) else { continue }
        for mapping in core.mappings {
          _ = try? core.beginning(at: mapping.low, count: 4096)
          _ = try? core.beginning(at: mapping.high - 1, count: 16)
        }
        #expect(core.threads().count <= 10)
        if let snapshot = try? Snapshot.taken(of: core) { #expect(TraceValidator.check(snapshot.events) == []) }
        #expect(zip(core.mappings, core.mappings.dropFirst()).allSatisfy { $0.high <= $1.low })
      }
    }
  }
#endif
