import Foundation
import OpTraceAnalysis
import OpTraceModel
import TestSupport
import Testing

/// In a program with a planted deadlock, the doctor finds that deadlock and nothing else.
@Suite(.ownThread) struct PlantedProgramTests {
  @Test func randomProgramsWithADeadlock() throws {
    let (faults, found) = try findPlants()
    let rows = found.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    print("planted programs: found \(rows.joined(separator: ", ")); wrong \(faults.count)")
    #expect(faults.isEmpty, "\(faults.prefix(20).joined(separator: "\n"))")
    #expect(found.values.reduce(0, +) == 1000)
  }

  private func findPlants() throws -> (faults: [String], found: [DoctorCode: Int]) {
    var faults: [String] = []
    var found: [DoctorCode: Int] = [:]
    let perProcess = 4
    for first in stride(from: 0, to: 1000, by: perProcess) {
      let process = try RandomProcess("planted", seed: first, count: perProcess)
      var plants: [Plant] = []
      while let line = process.program.line(), line != "planted" { plants += Plant(line).map { [$0] } ?? [] }
      let before = faults.count
      if plants.count != perProcess { faults.append("seeds from \(first): only \(plants.map(\.seed))") }
      for plant in plants {
        let trace = try settled(process, plant)
        let problems = check(plant, trace)
        faults += problems.map { "seed \(plant.seed), \(process.trace(plant.seed)): \($0)" }
        if problems.isEmpty { found[plant.code, default: 0] += 1 }
      }
      process.program.kill()
      if before == faults.count { process.removeTraces() }
    }
    return (faults, found)
  }

  /// The trace, once the program hangs.
  private func settled(_ process: RandomProcess, _ plant: Plant) throws -> Trace {
    let path = process.trace(plant.seed)
    var trace = try TraceReader.read(path: path)
    try eventually("\(path) comes to where it hangs", whileRunning: process.program) {
      trace = try TraceReader.read(path: path)
      return plant.isSettled(in: trace)
    }
    return trace
  }

  private func check(_ plant: Plant, _ trace: Trace) -> [String] {
    // The program hangs: a second later its trace is the same.
    var options = DoctorOptions()
    options.now = trace.end + 1_000_000_000
    let diagnosis = Diagnosis(of: trace, options: options)
    let errors = diagnosis.findings.filter { $0.severity != .note && DoctorRule.of($0.code)?.symptom != .slow }
    guard let finding = errors.first, errors.count == 1, finding.severity == .error, finding.code == plant.code else {
      return ["\(plant.code) planted, found \(errors.map(\.line))"]
    }
    var problems: [String] = []
    let names = Set(finding.operations.map { trace.operation($0)?.title ?? "?" })
    if names != plant.culprits { problems.append("\(plant.code): \(plant.culprits) planted, found \(names)") }
    let cycle = Set(finding.cycle.map { trace.operation($0)?.title ?? "?" })
    if !cycle.isSubset(of: plant.culprits) { problems.append("\(plant.code): the cycle \(cycle)") }
    if finding.behind != plant.behind {
      problems.append("\(plant.code): \(plant.behind) behind, found \(finding.behind)")
    }
    return problems
  }
}

/// Real runs of healthy programs give no false findings.
@Suite(.ownThread) struct HealthyProgramTests {
  @Test func healthyProgramsHaveNoErrors() throws {
    let seeds = 0..<1000
    let process = try RandomProcess.healthy(seeds)
    var faults: [String] = []
    var told: [DoctorCode: Int] = [:]
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
