import Foundation
import OpTraceAnalysis
import OpTraceModel
import TestSupport
import Testing

/// Nothing false is said of programs that are in order, each of them run for real.
@Suite(.ownThread) struct HealthyProgramTests {
  @Test func randomProgramsThatAreInOrder() throws {
    let seeds = 0..<1000
    let process = try RandomProcess.healthy(seeds)
    var faults: [String] = []
    var told: [String: Int] = [:]
    for seed in seeds {
      let trace = try TraceReader.read(path: process.trace(seed))
      #expect(trace.header.isClosed && trace.loss.isComplete)
      for finding in Diagnosis(of: trace).findings {
        told[finding.code, default: 0] += 1
        let isAllowed = finding.severity == .note || DoctorRule.of(finding.code)?.symptom == .slow
        if finding.severity == .error || !isAllowed { faults.append("seed \(seed): \(finding.line)") }
      }
    }
    print("healthy programs: \(seeds.count) run, \(faults.count) false; told besides: \(told)")
    #expect(faults.isEmpty, "\(faults.prefix(20).joined(separator: "\n")) (\(process.folder.path))")
    if faults.isEmpty { process.removeTraces() }
  }
}
