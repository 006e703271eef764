import Foundation
import TestSupport
import Testing

/// A program with the watchdog links no code that draws, predicts or compares.
@Suite struct LinkedSymbolsTests {
  @Test("a program with the watchdog links no simulator, statistics, drawing or packing")
  func whatAWatchdogLinks() throws {
    let program = try Data(contentsOf: Built.program("DiagnosticsTestProgram"), options: .alwaysMapped)
    func links(_ module: String) -> Bool {
      // Swift writes a module into its symbols as length and name.
      program.range(of: Data("\(module.utf8.count)\(module)".utf8)) != nil
    }
    for module in [
      "OpTrace", "OpTraceModel", "OpTraceKernel", "OpTraceText", "OpTraceDoctor", "OpTraceHangs", "OpTraceDiagnostics",
    ] {
      #expect(links(module), "\(module) is linked, or this test looks for the wrong names")
    }
    for module in [
      "OpTraceSummary", "OpTraceRequests", "OpTraceSamples", "OpTracePrediction", "OpTraceComparison", "OpTraceGraph",
      "OpTraceTimeline", "OpTracePage", "OpTracePageParts", "OpTraceReport", "OpTraceLive", "OpTraceRunning",
      "OpTraceTables", "OpTraceSQL", "OpTraceFleet", "OpTracePacked", "OpTraceSymbols",
    ] {
      #expect(!links(module), "\(module)")
    }
    #expect(program.range(of: Data("lzma_".utf8)) == nil)
  }
}
