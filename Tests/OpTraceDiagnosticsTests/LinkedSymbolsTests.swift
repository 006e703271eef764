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
    let own: Set = [
      "OpTrace", "OpTraceFormat", "OpTraceModel", "OpTraceKernel", "OpTraceText", "OpTraceDoctor", "OpTraceHangs",
      "OpTraceDiagnostics",
    ]
    for module in own { #expect(links(module), "\(module) is linked, or this test looks for the wrong names") }
    let sources = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Sources").standardized
    let others = try FileManager.default.contentsOfDirectory(atPath: sources.path).filter {
      $0.hasPrefix("OpTrace") && !own.contains($0)
    }
    #expect(Set(others).isSuperset(of: ["OpTraceRequests", "OpTraceSamples", "OpTracePage", "OpTraceTables"]))
    for module in others { #expect(!links(module), "\(module)") }
    #expect(program.range(of: Data("lzma_".utf8)) == nil)
  }
}
