import Foundation
import OpTraceAnalysis
import OpTraceModel
import Testing

/// What was planted in a program that hangs is found, and nothing else.
@Suite struct PlantedProgramTests {
  /// What a program says that it planted.
  private struct Plant {
    var seed: Int
    var code: String
    var waits: Int
    var behind: Int
    var culprits: Set<String>

    init?(_ line: String) {
      let words = line.split(separator: " ").map(String.init)
      guard words.count == 5, let seed = Int(words[0]), let waits = Int(words[2]), let behind = Int(words[3]) else {
        return nil
      }
      self.seed = seed
      code = words[1]
      self.waits = waits
      self.behind = behind
      culprits = Set(words[4].split(separator: ",").map(String.init))
    }
  }

  @Test func randomProgramsWithADeadlock() async throws {
    let (faults, found) = try await onThread { try findPlants() }
    let rows = found.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    print("planted programs: found \(rows.joined(separator: ", ")); wrong \(faults.count)")
    #expect(faults.isEmpty, "\(faults.prefix(20).joined(separator: "\n"))")
    #expect(found.values.reduce(0, +) == 1000)
  }

  private func findPlants() throws -> (faults: [String], found: [String: Int]) {
    var faults: [String] = []
    var found: [String: Int] = [:]
    let perProcess = 4
    for first in stride(from: 0, to: 1000, by: perProcess) {
      let process = try RandomProcess("planted", seed: first, count: perProcess)
      var plants: [Plant] = []
      while let line = process.line(), line != "planted" { plants += Plant(line).map { [$0] } ?? [] }
      let before = faults.count
      if plants.count != perProcess { faults.append("seeds from \(first): only \(plants.map(\.seed))") }
      for plant in plants {
        let trace = try settled(process.trace(plant.seed), plant)
        let problems = check(plant, trace)
        faults += problems.map { "seed \(plant.seed), \(process.trace(plant.seed)): \($0)" }
        if problems.isEmpty { found[plant.code, default: 0] += 1 }
      }
      process.kill()
      if before == faults.count { process.removeTraces() }
    }
    return (faults, found)
  }

  /// The trace once the program has come to where it hangs: all that is to wait does, and all else is over.
  private func settled(_ path: String, _ plant: Plant) throws -> Trace {
    let deadline = Date(timeIntervalSinceNow: 30)
    while true {
      let trace = try TraceReader.read(path: path)
      let waits = trace.waits.count { $0.ended == nil }
      let isOver = trace.operations.allSatisfy { operation in
        !operation.title.hasPrefix("operation ") || operation.finished != nil
      }
      // Who waits for a queue may wait for its operations on the way.
      if waits >= plant.waits && isOver || Date() > deadline { return trace }
      usleep(1000)
    }
  }

  private func check(_ plant: Plant, _ trace: Trace) -> [String] {
    // It does not move any more: what is seen a second later is the same.
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
    if !cycle.isSubset(of: plant.culprits) { problems.append("\(plant.code): the circle \(cycle)") }
    if finding.behind != plant.behind {
      problems.append("\(plant.code): \(plant.behind) behind, found \(finding.behind)")
    }
    return problems
  }
}
