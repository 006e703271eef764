#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @testable import OpTraceSymbols

  @Suite(.ownThread, .enabled(if: Tool.hasCompilers, "needs clang and swiftc")) struct InlinedTests {
    private func ask(_ path: String, tool: String?, seconds: Int = 300) throws -> Symbolication {
      var options = Symbolicator.Options()
      options.inlining = Symbolicator.Inlining(tool: tool, seconds: seconds)
      return Symbolicator(options: options).symbolicate(Array(try code(of: path)), of: path)
    }

    /// Another process writes the file: a file cannot be run while a process has it open for writing.
    private func makeTool(_ script: String, in scratch: Scratch) throws -> String {
      let text = try scratch.write("script", Array("#!/bin/sh\n\(script)\n".utf8))
      let tool = scratch.path("llvm-symbolizer")
      #expect(chmod(text, 0o700) == 0)
      try Programs.run(URL(fileURLWithPath: "/bin/cp"), ["-p", text, tool])
      return tool
    }

    @Test(.enabled(if: Tool.symbolizer != nil, "needs llvm-symbolizer")) func inlinedFunctionsComeFirst() throws {
      let tool = try #require(Tool.symbolizer?.path)
      let path = try Programs.c(dwarf: 5)
      let result = try ask(path, tool: nil)
      #expect(result.inlining == .done(tool))
      let twice = try #require(result.frames.first { $0.first?.function.short == "twice" })
      #expect(twice.map(\.isInlined) == [true, false])
      #expect(["second", "third"].contains(twice[1].function.short))
      #expect(twice.allSatisfy { $0.file?.hasSuffix("/program.c") == true })
      #expect(twice[0].line.map { (2...5).contains($0) } == true)
      // Other frames are the same as without the tool.
      let own = Symbolicator().symbolicate(Array(try code(of: path)), of: path)
      for (all, alone) in zip(result.frames, own.frames) where all.count == 1 { #expect(all == alone) }
      #expect(result.modules[0].named == own.modules[0].named)
    }

    @Test(.enabled(if: Tool.symbolizer != nil, "needs llvm-symbolizer")) func inlinedSwiftFunctionsAreFound() throws {
      let result = try ask(try Programs.swiftOptimized.get(), tool: nil)
      let names = Set(result.frames.lazy.filter { $0.count > 1 && $0[0].isInlined }.map { $0[0].function.short })
      #expect(names.contains("Loader.twice(_:)"), "\(names)")
    }

    /// Other frames are known whatever the tool does.
    @Test(arguments: [
      ("exit 3", "ended with status 3"), ("kill -9 $$", "was ended by signal 9"),
      ("echo nonsense", "gave 0 answers to"),
      ("yes ''", "gave 0 answers to"), ("exit 0", "gave 0 answers to"),
    ])
    func brokenToolIsReportedAndLosesOnlyInlining(_ script: String, _ reason: String) throws {
      let scratch = try Scratch()
      let tool = try makeTool(script, in: scratch)
      let path = try Programs.c(dwarf: 5)
      let result = try ask(path, tool: tool, seconds: script.hasPrefix("yes") ? 1 : 300)
      #expect(result.frames == Symbolicator().symbolicate(Array(try code(of: path)), of: path).frames)
      switch result.inlining {
      case .failed(tool, let said): #expect(said.hasPrefix(reason))
      case .late: #expect(script.hasPrefix("yes"))
      default: Issue.record("\(result.inlining)")
      }
    }

    @Test func missingToolIsReported() throws {
      let result = try ask(try Programs.c(dwarf: 5), tool: "/nowhere/llvm-symbolizer")
      #expect(
        result.inlining == .failed("/nowhere/llvm-symbolizer", "cannot be run: No such file or directory"))
      #expect(result.modules[0].named > 0)
    }

    /// It answers some and then hangs.
    @Test func slowToolIsStopped() throws {
      let scratch = try Scratch()
      let script = "printf 'inner\\n/a/b.c:1:2\\nouter\\n/a/b.c:3:4\\n\\ncut off'; exec sleep 1000"
      let tool = try makeTool(script, in: scratch)
      let result = try ask(try Programs.c(dwarf: 5), tool: tool, seconds: 1)
      #expect(result.inlining == .late(tool, seconds: 1))
      #expect(result.modules[0].named > 0)
    }

    @Test func answersOfTheToolAreParsed() {
      let text = "f\n/a:b/c.c:3:4\n\n??\n??:0:0\n\ng\n/x.c:5:0\nh\n/<compiler-generated>:0:0\ni\n/w/<stdin>:0:0\n\n"
      let answers = InlinedFrames.answers(Array(text.utf8), most: 10)
      #expect(
        answers == [
          [.init(mangled: "f", file: "/a:b/c.c", line: 3, column: 4)], [.init()],
          [.init(mangled: "g", file: "/x.c", line: 5), .init(mangled: "h"), .init(mangled: "i")],
        ])
      #expect(InlinedFrames.answers(Array(text.utf8), most: 1).count == 1)
    }
  }
#endif
