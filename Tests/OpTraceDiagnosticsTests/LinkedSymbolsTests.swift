import Foundation
import TestSupport
import Testing

/// A program with the watchdog carries what it needs, and nothing that draws, predicts or compares.
@Suite struct LinkedSymbolsTests {
  @Test("a program that watches itself links no simulator, no statistics, no drawing, no packing")
  func whatAWatchdogLinks() throws {
    let program = try Data(contentsOf: Built.program("DiagnosticsTestProgram"), options: .alwaysMapped)
    func links(_ module: String) -> Bool {
      // As Swift writes a module's name into its symbols: its length, then the name.
      program.range(of: Data("\(module.utf8.count)\(module)".utf8)) != nil
    }
    for module in ["OpTrace", "OpTraceModel", "OpTraceAnalysis", "OpTraceText", "OpTraceDiagnostics"] {
      #expect(links(module), "\(module) is linked, or this test looks for the wrong names")
    }
    for module in [
      "OpTracePrediction", "OpTraceComparison", "OpTraceGraph", "OpTraceTimeline", "OpTraceReport", "OpTraceLive",
      "OpTraceTables", "OpTraceSQL", "OpTraceFleet", "OpTracePacked", "OpTraceSymbols",
    ] {
      #expect(!links(module), "\(module)")
    }
    #expect(program.range(of: Data("lzma_".utf8)) == nil)
  }
}
