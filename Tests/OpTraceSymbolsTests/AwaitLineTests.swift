#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @testable import OpTraceSymbols

  /// A waiting task's resume point is shown as the line of its `await`.
  @Suite(.ownThread, .enabled(if: Tool.hasCompilers, "needs clang and swiftc")) struct AwaitLineTests {
    @Test("pieces of async functions have the lines of their awaits", arguments: ["-O", "-Onone"])
    func lines(_ mode: String) throws {
      let path = try (mode == "-O" ? Programs.awaitingOptimized : Programs.awaitingDebug).get()
      let symbols = try #require(FunctionSymbols(try ElfImage(path: path)))
      let text = try code(of: path)
      // Functions begin at multiples of 16.
      let starts = Array(stride(from: (text.lowerBound + 15) & ~15, to: text.upperBound, by: 16))
      let pieces = zip(starts, symbols.functions(at: starts)).filter { start, symbol in
        guard let symbol, symbol.start == start, let name = symbols.name(of: symbol) else { return false }
        return AwaitLines.function(name) != nil && (name.contains("Loader") || name.contains("Cache"))
      }
      let frames = Symbolicator().symbolicate(pieces.map(\.0), of: path).frames.compactMap(\.first)
      let source = Programs.awaitingSource.split(separator: "\n", omittingEmptySubsequences: false)
      var found: [String: Set<Int>] = [:]
      for frame in frames {
        guard let line = frame.line, let function = frame.function.short.split(separator: "(").first else { continue }
        found[String(function), default: []].insert(line)
      }
      for function in ["Loader.load", "Cache.load"] {
        let lines = found[function] ?? []
        let isAwait = lines.filter { source.indices.contains($0 - 1) && source[$0 - 1].contains("await") }
        // After an await whose value is unused, the compiler may begin with the next line.
        #expect(
          isAwait.count >= 2 && lines.isSubset(of: isAwait.union(isAwait.map { $0 + 1 })),
          "\(function) \(mode): \(lines.sorted())")
        #expect(!lines.contains { source[$0 - 1].contains("func ") }, "\(function) \(mode): \(lines.sorted())")
      }
    }

    @Test("pieces of async functions are recognised by their names")
    func names() {
      for name in ["async_Main", "async_MainTQ1_", "async_MainTY0_"] {
        #expect(FunctionName(mangled: name).short == "async main" && FunctionName(mangled: name).full == name)
      }
      #expect(FunctionName(mangled: "async_Maintain").short == "async_Maintain")
      #expect(AwaitLines.function("$s4main4loadyyYaFTQ2_") == "$s4main4loadyyYaF")
      #expect(AwaitLines.function("$s4main4loadyyYaFTQ12_") == "$s4main4loadyyYaF")
      for name in ["$s4main4loadyyYaF", "$s4main4loadyyYaFTY2_", "TQ_", "_", "", "TQ2"] {
        #expect(AwaitLines.function(name) == nil, "\(name)")
      }
    }
  }
#endif
