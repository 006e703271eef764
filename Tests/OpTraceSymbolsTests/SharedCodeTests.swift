#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @testable import OpTraceSymbols

  /// Code with one address and several names has a certain name, or "one of" its possible names.
  @Suite(.ownThread, .enabled(if: Tool.hasCompilers, "needs clang and swiftc")) struct SharedCodeTests {
    /// The name of each function's code, by the name of its symbol.
    private func names(of path: String) throws -> [String: FunctionName] {
      let code = try code(of: path)
      let frames = Symbolicator().symbolicate(Array(code), of: path).frames.compactMap(\.first)
      return Dictionary(frames.map { ($0.function.mangled, $0.function) }, uniquingKeysWith: { first, _ in first })
    }

    @Test(arguments: Programs.Processor.allCases)
    func sharedCodeIsNamedOneOfItsFunctions(_ processor: Programs.Processor) throws {
      let names = try names(of: try Programs.shared(processor))
      let shorts = Set(names.values.map(\.short))
      #expect(
        shorts == [
          "one of load(_:), read(_:), store(_:) and 1 more", "one of run(_:), walk(_:)",
          "one of begin(_:), end(_:) (or one merged with them)", "alone(_:) (or one merged with it)",
          // A thunk that jumps there has a certain name, and so has a function with a line or with more code before.
          "read(_:)", "write(_:)", "erase(_:)", "wrapper(_:)", "run(_:)", "walk(_:)", "begin(_:)", "end(_:)",
          "alone(_:)",
          "value witness", "_swift_dead_method_stub", "__read", "Foo::Foo()", "first",
        ])
      let run = try #require(names["$s3app3runyS2iFTm"])
      #expect(run.full == "one of app.run(Swift.Int) -> Swift.Int, app.walk(Swift.Int) -> Swift.Int")
      #expect(run.module == "app")
    }

    /// Its lines belong to only one of its functions.
    @Test(arguments: Programs.Processor.allCases) func sharedCodeHasNoLines(_ processor: Programs.Processor) throws {
      let path = try Programs.shared(processor)
      var options = Symbolicator.Options()
      options.inlining = Tool.symbolizer.map { Symbolicator.Inlining(tool: $0.path, seconds: 300) }
      let frames = Symbolicator(options: options).symbolicate(Array(try code(of: path)), of: path).frames
      for frame in frames.compactMap(\.first) {
        let hasLine = ["wrapper(_:)", "first", "__read", "Foo::Foo()", "_swift_dead_method_stub"]
          .contains(frame.function.short)
        #expect((frame.line != nil) == hasLine, "\(frame.function.short)")
      }
    }

    /// Without lines a function that calls another looks like a thunk that the optimiser left.
    @Test(.enabled(if: Tool.objcopy != nil, "needs objcopy")) func sharedCodeIsLessCertainWithoutLines() throws {
      let scratch = try Scratch()
      let bare = scratch.path("bare")
      try Programs.run(Tool.objcopy, ["--strip-debug", try Programs.shared(.own), bare])
      let names = try names(of: bare)
      #expect(names.values.contains { $0.short == "one of load(_:), store(_:)" })
      #expect(names["$s3app3runyS2iFTm"]?.short == "run(_:) (or one merged with it)")
    }

    // MARK: - What Swift's compiler makes

    /// Compiler versions keep different ones of the merged functions.
    @Test func optimisedFunctionsAreNotMistaken() throws {
      let path = try Programs.merged.get()
      let frames = Symbolicator().symbolicate(Array(try code(of: path)), of: path).frames.compactMap(\.first)
      let counts = Dictionary(grouping: frames, by: \.function.short)
      var texts = [
        "one of loadPosts(_:), loadUsers(_:)", "one of first(_:), second(_:)",
        "one of initialiser of table1, initialiser of table2",
      ]
      #if compiler(>=6.3)
        // The last piece of both functions.
        texts.append("one of sleepA(_:), sleepB(_:)")
      #endif
      for text in texts {
        let shared = counts[text, default: []]
        #expect(!shared.isEmpty && shared.allSatisfy { $0.line == nil }, "\(text): \(counts.keys.sorted())")
      }
      // The rest of each function jumps to the shared code.
      for name in ["loadPosts(_:)", "loadUsers(_:)"] { #expect(counts[name, default: []].count <= 16) }
      #expect(counts["plain(_:)"]?.contains { $0.line != nil } == true)
      #expect(counts["wrapper(_:)"]?.contains { $0.line != nil } == true)
    }

    @Test func foldedFunctionsAreNotMistaken() throws {
      for program in [Programs.folded, Programs.mergedAndFolded] {
        let path = try program.get()
        let frames = Symbolicator().symbolicate(Array(try code(of: path)), of: path).frames.compactMap(\.first)
        let counts = Dictionary(grouping: frames, by: \.function.short).mapValues(\.count)
        #expect(counts["one of loadPosts(_:), loadUsers(_:)", default: 0] > 16)
        for name in ["loadPosts(_:)", "loadUsers(_:)"] { #expect(counts[name, default: 0] <= 16) }
        #expect(counts["plain(_:)"] != nil && counts["wrapper(_:)"] != nil)
      }
    }

    /// Libraries have many names at one address, all of one function.
    @Test(arguments: ["libc.so.6", "libswiftCore.so"]) func librariesKeepTheirNames(_ library: String) throws {
      let path = try #require(loaded(library))
      let code = try code(of: path)
      let offsets = stride(from: code.lowerBound, to: code.upperBound, by: 16).map { $0 }
      let frames = Symbolicator().symbolicate(offsets, of: path).frames.compactMap(\.first)
      #expect(frames.count > offsets.count / 2)
      #expect(frames.filter { $0.function.short.hasPrefix("one of ") }.isEmpty)
    }

    /// The path of a library of this process.
    private func loaded(_ library: String) -> String? {
      let file = FileHandle(forReadingAtPath: "/proc/self/maps")
      let maps = String(decoding: file?.readDataToEndOfFile() ?? Data(), as: UTF8.self)
      return maps.split(separator: "\n").compactMap { $0.split(separator: " ").last.map(String.init) }
        .first { $0.hasSuffix("/" + library) }
    }

    // MARK: - Damage

    /// Damaged files do not trap or hang.
    @Test func damagedFilesDoNotTrap() throws {
      let sound = try Programs.shared(.own)
      let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: sound)))
      let offsets = Array(try code(of: sound))
      let image = try ElfImage(path: sound)
      let tables = image.sections.filter { [".symtab", ".strtab", ".text"].contains($0.name) }
      let seed = UInt64.random(in: 0...UInt64.max)
      print("damaged shared code of seed \(seed)")
      var generator = SeededGenerator(seed)
      let scratch = try Scratch()
      for _ in 0..<300 {
        var damaged = bytes
        for _ in 0...generator.number(0..<8) {
          let table = tables[generator.number(tables.indices)]
          let offset = Int(table.offset) + generator.number(0..<Int(table.size))
          damaged[offset] = [0, 0xFF, 0x7F, 0x80, UInt8(generator.number(0..<256))][generator.number(0..<5)]
        }
        let path = try scratch.write("damaged", damaged)
        #expect(Symbolicator().symbolicate(offsets, of: path).frames.count == offsets.count)
      }
    }
  }
#endif
