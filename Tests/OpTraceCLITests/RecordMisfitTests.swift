#if os(Linux)
  import Foundation
  import OpTraceModel
  import TestSupport
  import Testing

  /// The program runs with a copy of a library in which some bytes are changed: of Foundation, whose layout then differs
  /// from the one for which the program was compiled, or of the concurrency runtime, which says another version of its
  /// layout. The recorder reads the layout of the loaded Foundation, and does without what depends on an unknown version.
  @Suite(.ownThread) struct RecordMisfitTests {
    private let workspace: RecordFolder
    private let program: String
    private let concurrency = "libswift_Concurrency.so"

    init() throws {
      workspace = try RecordFolder()
      program = try Built.program("RecordTestProgram").path
    }

    /// The file of a shared library, and the addresses of its symbols.
    private struct Library {
      var bytes: [UInt8]
      /// The folder of the library and of the libraries that it needs.
      let folder: String
      private let base: UInt

      /// The library that this process has loaded.
      init(_ name: String = "libFoundation.so") throws {
        // The size of this file is reported as 0, so it is read to its end.
        let file = try #require(FileHandle(forReadingAtPath: "/proc/self/maps"))
        let maps = String(decoding: file.readDataToEndOfFile(), as: UTF8.self)
        let line = try #require(maps.split(separator: "\n").first { $0.hasSuffix("/" + name) })
        let fields = line.split(separator: " ", omittingEmptySubsequences: true)
        base = try #require(fields.first?.split(separator: "-").first.flatMap { UInt($0, radix: 16) })
        let path = URL(fileURLWithPath: String(try #require(fields.last)))
        bytes = Array(try Data(contentsOf: path))
        folder = path.deletingLastPathComponent().path
      }

      private static func address(_ symbol: String) throws -> UnsafeMutableRawPointer {
        try #require(dlsym(nil, symbol), "\(symbol)")
      }

      func word<T: FixedWidthInteger>(at offset: Int, _ type: T.Type = T.self) -> T {
        bytes[offset..<offset + MemoryLayout<T>.size].reversed().reduce(0) { $0 << 8 | T($1) }
      }

      mutating func set<T: FixedWidthInteger>(_ value: T, at offset: Int) {
        withUnsafeBytes(of: value.littleEndian) { bytes.replaceSubrange(offset..<offset + $0.count, with: $0) }
      }

      /// The symbol's address in the library, without the load address.
      func relativeAddress(of symbol: String) throws -> UInt { UInt(bitPattern: try Self.address(symbol)) - base }

      /// The offset of an address in the file.
      func offset(of workspace: UInt) throws -> Int {
        let table = Int(word(at: 32, UInt64.self))
        for index in 0..<Int(word(at: 56, UInt16.self)) {
          let segment = table + index * Int(word(at: 54, UInt16.self))
          let from = UInt(word(at: segment + 16, UInt64.self))
          guard word(at: segment, UInt32.self) == PT_LOAD, workspace >= from,
            workspace < from + UInt(word(at: segment + 32, UInt64.self))
          else { continue }
          return Int(word(at: segment + 8, UInt64.self)) + Int(workspace - from)
        }
        throw NotThere(workspace: workspace)
      }

      struct NotThere: Error { var workspace: UInt }

      /// The offset of the relocation that makes the loader write this function's address into the table.
      func slot(of function: String, in table: String, words: Int) throws -> Int {
        let target = UInt64(try relativeAddress(of: function))
        let from = UInt64(try relativeAddress(of: table))
        for offset in stride(from: 0, to: bytes.count - 24, by: 8) where word(at: offset + 16, UInt64.self) == target {
          let at = word(at: offset, UInt64.self)
          if at >= from, at < from + UInt64(words * 8) { return offset + 16 }
        }
        throw NotThere(workspace: UInt(target))
      }
    }

    /// Records a program with the changed library. The command itself has the original one.
    private func record(
      _ library: Library, as name: String = "libFoundation.so", _ arguments: String, options: String = "",
      program other: String? = nil
    ) throws -> Command.Result {
      try workspace.folder.write(name, library.bytes)
      return try workspace.record(
        other ?? program, arguments,
        environment: ["FOLDERS": "\(workspace.folder.folder.path):\(library.folder)", "OPTIONS": options],
        shell: #"exec "$optrace" record $OPTIONS -o run.optrace -- env LD_LIBRARY_PATH="$FOLDERS" "$1" $2"#)
    }

    /// Records all operations, as the recorder does not depend on a fixed layout of Foundation.
    private func check(_ library: Library) throws {
      let result = try record(library, "work 6")
      #expect(result.status == 6 && result.output == "worked\n", "\(result)")
      #expect(try workspace.trace("run.optrace").operations.count == 10)
    }

    @Test("a program with an unchanged copy of Foundation is recorded")
    func copy() throws {
      #expect(try record(Library(), "work").output == "worked\n")
      #expect(try workspace.trace("run.optrace").operations.count == 10)
    }

    @Test(
      "a program is recorded if objects are larger",
      arguments: ["9Operation", "14BlockOperation", "14OperationQueue"])
    func largerObjects(_ mangled: String) throws {
      var library = try Library()
      let size = try library.offset(of: library.relativeAddress(of: "$s10Foundation\(mangled)CN")) + 24
      library.set(library.word(at: size, UInt32.self) + 16, at: size)
      // Subclasses take the size of their superclass from the library.
      try check(library)
    }

    @Test("a program is recorded if two methods are exchanged")
    func exchangedMethods() throws {
      var library = try Library()
      let methods = try ["$s10Foundation9OperationC6cancelyyF", "$s10Foundation9OperationC16removeDependencyyyACF"]
        .map { try library.slot(of: $0, in: "$s10Foundation9OperationCN", words: 146) }
      let first = library.word(at: methods[0], UInt64.self)
      library.set(library.word(at: methods[1], UInt64.self), at: methods[0])
      library.set(first, at: methods[1])
      try check(library)
    }

    @Test("a program is recorded if a field has another offset")
    func movedField() throws {
      var library = try Library()
      let table = try library.offset(of: library.relativeAddress(of: "$s10Foundation14OperationQueueCN"))
      // After the head of the table, the small numbers are the offsets of fields.
      let places = stride(from: table + 64, to: table + 1248, by: 8).filter {
        (16..<221).contains(library.word(at: $0, UInt64.self))
      }
      let last = try #require(places.last)
      library.set(library.word(at: last, UInt64.self) + 1, at: last)
      try check(library)
    }

    // MARK: Tasks

    /// Records the program of tasks with a runtime of this version; its trace.
    private func tasks(version: UInt32) throws -> (result: Command.Result, trace: Trace) {
      var library = try Library(concurrency)
      let at = try library.offset(of: library.relativeAddress(of: "_swift_concurrency_debug_internal_layout_version"))
      #expect(library.word(at: at, UInt32.self) == 1)
      library.set(version, at: at)
      let result = try record(
        library, as: concurrency, "", options: "--tasks", program: try Built.program("TaskTestProgram").path)
      #expect(result.status == 0 && result.output == "10\n3\n42\nwoken\nmain\ndone\n", "\(result)")
      let violations = TraceValidator.check(try TraceReader.events(path: workspace.folder.path("run.optrace")))
      #expect(violations.isEmpty, "\(violations)")
      return (result, try workspace.trace("run.optrace"))
    }

    private static let unknownWaits = "this version of OpTrace does not know the layout of the program's Swift runtime"

    @Test("with a known version of the runtime's layout it is recorded what tasks wait for")
    func knownVersionOfTasks() throws {
      let (result, trace) = try tasks(version: 1)
      let reasons = trace.tasks.flatMap(\.suspensions).map(\.reason)
      #expect(!reasons.isEmpty && !reasons.contains(.unknown), "\(reasons)")
      #expect(!result.errors.contains(Self.unknownWaits) && !result.errors.contains("layout"), "\(result.errors)")
    }

    /// A number that nobody has given yet, and the form of the newest ones: the highest byte has another meaning.
    @Test("with an unknown one tasks are recorded without, and one sentence says so", arguments: [9, 0x0100_0003])
    func unknownVersionOfTasks(_ version: UInt32) throws {
      let (result, trace) = try tasks(version: version)
      #expect(
        trace.tasks.count > 5 && !trace.operations.isEmpty
          && trace.tasks.allSatisfy { $0.completed != nil || $0.id == trace.tasks.first?.id })
      let suspensions = trace.tasks.flatMap(\.suspensions)
      #expect(!suspensions.isEmpty)
      #expect(suspensions.allSatisfy { $0.reason == .unknown && $0.awaited == nil && $0.at == nil }, "\(suspensions)")
      let said = result.errors.split(whereSeparator: \.isNewline).filter { $0.contains("layout") }
      #expect(said.count == 1 && said[0].contains(Self.unknownWaits), "\(result.errors)")
      let doctor = try Command.run("doctor", workspace.folder.path("run.optrace"))
      let words = doctor.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(words.contains(Self.unknownWaits), "\(doctor)")
    }
  }
#endif
