#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @testable import OpTraceSymbols

  /// Which file is used for a module, and what is reported if none is.
  @Suite(.ownThread, .enabled(if: Tool.hasCompilers && Tool.objcopy != nil, "needs clang, swiftc and objcopy"))
  struct ModuleTests {
    private let scratch: Scratch
    private let program: String
    private let buildID: [UInt8]
    /// An address in the function `third`.
    private let third: UInt64

    init() throws {
      scratch = try Scratch()
      program = try Programs.c(dwarf: 5)
      buildID = try #require(try ElfImage(path: program).buildID)
      let offsets = Array(try code(of: program))
      let frames = Symbolicator().symbolicate(offsets, of: program).frames
      third = try #require(zip(offsets, frames).first { $1.first?.function.short == "third" }?.0)
    }

    private func ask(
      _ path: String, _ buildID: [UInt8]? = nil, folders: [String] = [], given: [String] = [], lines: Bool = true
    ) -> (frame: SymbolFrame?, summary: ModuleSymbols) {
      var options = Symbolicator.Options()
      options.debugFolders = folders
      options.debugFiles = given
      options.lines = lines
      let result = Symbolicator(options: options).symbolicate([third], of: path, buildID: buildID)
      return (result.frames[0].first, result.modules[0])
    }

    @Test func namesAndLinesAreFound() {
      let (frame, summary) = ask(program, buildID)
      #expect(frame?.function.short == "third")
      #expect(frame?.file?.hasSuffix("/program.c") == true)
      #expect(frame?.line == 16)
      #expect(summary.troubles.isEmpty)
      #expect(summary.addresses == 1 && summary.named == 1 && summary.withLine == 1)
    }

    @Test func fileOfAnotherBuildIsNotUsed() {
      let (frame, summary) = ask(program, [1, 2, 0xAB])
      #expect(frame == nil)
      let found = hexadecimal(buildID)
      #expect(summary.troubles == [.otherBuild(program, recorded: "0102ab", found: found)])
      #expect(
        summary.troubles[0].description
          == "\(program) is another build than the one that ran (\(found) instead of 0102ab), so it is not used.")
    }

    @Test func fileWithoutABuildIDIsUsedAndReported() {
      #expect(ask(program).summary.troubles == [.notVerified(program)])
      #expect(ask(program).frame?.function.short == "third")
    }

    @Test func aReturnAddressBelongsToTheCallBeforeIt() {
      let after = CodeAddress(module: 0, offset: third)
      let at = CodeAddress(module: 0, offset: third + 1)
      let start = CodeAddress(module: 0, offset: 0)
      let frames = Symbolicator().symbolicate([after, at, start], in: [CodeModule(path: program)]).frames
      #expect(frames[0].first?.function.short != "third")
      #expect(frames[1].first?.function.short == "third")
      #expect(frames[2].isEmpty)
    }

    @Test func modulesThatCannotBeReadAreReported() throws {
      let text = try scratch.write("text", Array("no program".utf8))
      let short = try scratch.write("short", [0x7F, 0x45, 0x4C, 0x46])
      let words = try scratch.write("words", [0x7F, 0x45, 0x4C, 0x46, 1, 1] + [UInt8](repeating: 0, count: 60))
      let pipe = scratch.path("pipe")
      #expect(mkfifo(pipe, 0o600) == 0)
      #expect(ask("[vdso]").summary.troubles == [.kernelCode])
      #expect(ask("linux-vdso.so.1").summary.troubles == [.kernelCode])
      #expect(ask("/nowhere/at/all").summary.troubles == [.noSuchFile("/nowhere/at/all")])
      #expect(ask(text).summary.troubles == [.notElf(text)])
      #expect(ask(short).summary.troubles == [.damaged(short, "its header is cut off")])
      #expect(ask(words).summary.troubles == [.otherWords(words)])
      #expect(ask(pipe).summary.troubles == [.notElf(pipe)])
      #expect(ask(scratch.folder.path).summary.troubles == [.notElf(scratch.folder.path)])
      #expect(ask("").summary.troubles == [.noSuchFile("")])
    }

    @Test(.enabled(if: getuid() != 0, "root may read everything")) func withoutPermission() throws {
      let path = try scratch.write("secret", [])
      #expect(chmod(path, 0) == 0)
      #expect(ask(path).summary.troubles == [.noPermission(path)])
    }

    @Test func deletedFilesAreReported() {
      #expect(ask("\(program) (deleted)", buildID).frame?.function.short == "third")
      #expect(ask("\(program) (deleted)").summary.troubles == [.deleted(program)])
      #expect(ask("\(program) (deleted)", [1]).summary.troubles == [.deleted(program)])
      #expect(ask("/nowhere (deleted)", buildID).summary.troubles == [.deleted("/nowhere")])
    }

    @Test func addressesOutsideOfCodeAreReported() {
      let result = Symbolicator().symbolicate([0, third, .max], of: program, buildID: buildID)
      #expect(result.frames.map(\.isEmpty) == [true, false, true])
      #expect(result.modules[0].troubles == [.outsideOfCode(program, count: 2)])
    }

    @Test func manyModulesAreReadAtOnce() throws {
      let other = try Programs.c(dwarf: 2)
      let modules = ["/nowhere", program, other].map { CodeModule(path: $0) }
      let addresses = [2, 1, 0, 1, 7, -1].map { CodeAddress(module: $0, offset: third, isReturnAddress: false) }
      let result = Symbolicator().symbolicate(addresses, in: modules)
      #expect(result.frames.map(\.isEmpty) == [false, false, true, false, true, true])
      #expect(result.frames[1] == result.frames[3])
      #expect(result.modules.map(\.addresses) == [1, 1, 1])
      #expect(result.inlining == .notAsked)
    }

    @Test func linesMayBeLeftOut() {
      let frame = ask(program, buildID, lines: false).frame
      #expect(frame?.function.short == "third")
      #expect(frame?.file == nil && frame?.line == nil)
    }

    // MARK: - Debug files

    @Test func strippedFilesAreReported() throws {
      let stripped = scratch.path("stripped")
      try Programs.run(Tool.objcopy, ["--strip-all", program, stripped])
      let (frame, summary) = ask(stripped, buildID)
      #expect(frame == nil)
      #expect(summary.troubles == [.stripped(stripped), .noSymbol(stripped, count: 1)])
    }

    @Test func missingLinesAreReported() throws {
      let bare = scratch.path("bare")
      try Programs.run(Tool.objcopy, ["--strip-debug", program, bare])
      let (frame, summary) = ask(bare, buildID)
      #expect(frame?.function.short == "third")
      #expect(summary.troubles == [.noLines(bare)])
    }

    @Test func debugFileIsFoundByBuildID() throws {
      let stripped = scratch.path("stripped")
      try Programs.run(Tool.objcopy, ["--strip-all", program, stripped])
      let digits = hexadecimal(buildID)
      let folder = scratch.file("debug/.build-id/\(digits.prefix(2))")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let debug = folder.appendingPathComponent("\(digits.dropFirst(2)).debug").path
      try Programs.run(Tool.objcopy, ["--only-keep-debug", program, debug])
      let (frame, summary) = ask(stripped, buildID, folders: ["/nowhere", scratch.path("debug")])
      #expect(frame?.function.short == "third" && frame?.line == 16)
      #expect(summary.debugFile == debug)
      #expect(summary.troubles.isEmpty)
      // Now with a file of another build.
      try Programs.run(Tool.objcopy, ["--only-keep-debug", try Programs.c(dwarf: 4), debug])
      let other = ask(stripped, buildID, folders: [scratch.path("debug")])
      #expect(other.frame == nil)
      #expect(other.summary.troubles.contains(.otherDebugFile(debug)))
    }

    @Test("a debug file beside the program is found without a debug link, and so is a named one")
    func debugFileIsFoundBeside() throws {
      let (stripped, debug) = (scratch.path("bare"), scratch.path("bare.debug"))
      try Programs.run(Tool.objcopy, ["--strip-all", program, stripped])
      try Programs.run(Tool.objcopy, ["--only-keep-debug", program, debug])
      let (frame, summary) = ask(stripped, buildID)
      #expect(frame?.function.short == "third" && frame?.line == 16)
      #expect(summary.debugFile == debug && summary.troubles.isEmpty)
      // A debug file of another build is not used.
      let named = scratch.path("named")
      try FileManager.default.moveItem(atPath: debug, toPath: named)
      try Programs.run(Tool.objcopy, ["--only-keep-debug", try Programs.c(dwarf: 4), debug])
      let other = ask(stripped, buildID)
      #expect(other.frame == nil && other.summary.troubles.contains(.otherDebugFile(debug)))
      let asked = ask(stripped, buildID, given: ["/nowhere", debug, named])
      #expect(asked.frame?.line == 16 && asked.summary.debugFile == named)
    }

    @Test(arguments: ["", ".debug/", "by-path"]) func debugFileIsFoundByName(_ subfolder: String) throws {
      let stripped = scratch.path("stripped")
      let beside = scratch.path("stripped.debug")
      try Programs.run(Tool.objcopy, ["--only-keep-debug", program, beside])
      try Programs.run(Tool.objcopy, ["--strip-all", "--add-gnu-debuglink=\(beside)", program, stripped])
      let folder = subfolder == "by-path" ? scratch.path("root") + scratch.folder.path : scratch.path(subfolder)
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let debug = "\(folder)/stripped.debug".replacingOccurrences(of: "//", with: "/")
      if debug != beside { try FileManager.default.moveItem(atPath: beside, toPath: debug) }
      let (frame, summary) = ask(stripped, buildID, folders: [scratch.path("root")])
      #expect(frame?.function.short == "third" && frame?.line == 16)
      #expect(summary.debugFile?.replacingOccurrences(of: "//", with: "/") == debug)
      // One more byte changes its checksum.
      let handle = try #require(FileHandle(forWritingAtPath: debug))
      try handle.seekToEnd()
      try handle.write(contentsOf: [0])
      try handle.close()
      let other = ask(stripped, buildID, folders: [scratch.path("root")])
      #expect(other.frame == nil && other.summary.debugFile == nil)
      #expect(other.summary.troubles.count == 3)
    }

    @Test func compressedSectionsAreUnpacked() throws {
      let packed = scratch.path("packed")
      try Programs.run(Tool.objcopy, ["--compress-debug-sections=zlib", program, packed])
      #expect(try ElfImage(path: packed).section(".debug_line")?.isCompressed == true)
      #expect(ask(packed, buildID).frame == ask(program, buildID).frame)
    }
  }
#endif
