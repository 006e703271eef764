#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @testable import OpTraceSymbols

  /// Functions and lines match those that LLVM's tool reports for the same programs.
  @Suite(
    .ownThread, .enabled(if: Tool.hasCompilers && Tool.symbolizer != nil, "needs clang, swiftc and llvm-symbolizer"))
  struct LineTests {
    @Test(arguments: 2...5) func linesOfEveryDwarfVersionMatch(_ version: Int) throws {
      let path = try Programs.c(dwarf: version)
      let functions = try code(of: path)
      try compare(path, Array(functions))
    }

    @Test func linesOfOptimizedSwiftMatch() throws { try compareSome(Programs.swiftOptimized.get()) }
    @Test func linesOfDebugSwiftMatch() throws { try compareSome(Programs.swiftDebug.get()) }

    private func compareSome(_ path: String) throws {
      let seed = UInt64.random(in: 0...UInt64.max)
      var generator = SeededGenerator(seed)
      let text = try code(of: path)
      let offsets = (0..<3000).map { _ in text.lowerBound + UInt64(generator.number(0..<text.count)) }
      try compare(path, offsets, "seed \(seed)")
    }

    /// Lines match at 99 of 100 addresses, and no address has a wrong function.
    private func compare(_ path: String, _ offsets: [UInt64], _ comment: Comment? = nil) throws {
      let tool = try #require(Tool.symbolizer?.path)
      let (answers, outcome) = InlinedFrames.ask(
        tool, offsets.map { InlinedFrames.Question(path: path, address: $0) }, seconds: 300)
      try #require(outcome == .done(tool))
      let own = Symbolicator().symbolicate(offsets, of: path)
      var lines = 0
      var differing: [String] = []
      for ((offset, answer), frames) in zip(zip(offsets, answers), own.frames) {
        guard let expected = answer.first, let outermost = answer.last, let frame = frames.first else { continue }
        // Each of several names at one address is right; the line is the same.
        #expect(
          frame.function.mangled == outermost.mangled || outermost.mangled == nil || frame.line == expected.line,
          "\(String(offset, radix: 16))")
        let isSame =
          expected.line == nil
          ? frame.line == nil
          : frame.file == expected.file && frame.line == expected.line && frame.column == expected.column
        if isSame {
          lines += 1
        } else {
          differing.append("\(String(offset, radix: 16)): \(frame) instead of \(expected)")
        }
      }
      #expect(lines > offsets.count / 2, comment)
      #expect(differing.count * 100 <= offsets.count, "\(differing.prefix(5)) \(comment?.rawValue ?? "")")
      #expect(own.modules[0].withLine > 0)
    }
  }
#endif
