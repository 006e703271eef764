import Foundation
import OpTraceAnalysis
import OpTraceModel
import OpTraceScenarios
import TestSupport
import Testing

@Suite("Broken programs: without their fault", .serialized, .ownThread)
struct BrokenTwinTests {
  @Test("the fixed programs end by themselves, and every operation is finished", arguments: Scenario.broken.map(\.name))
  func twin(name: String) async throws {
    let run = try await BrokenRun(name, fixed: true)
    #expect(run.ending == .exited(status: 0))
    #expect(!run.trace.operations.isEmpty)
    #expect(run.titles { $0.finished == nil } == [])
    #expect(run.titles { $0.startCount != 1 || $0.enqueueCount > 1 || $0.finishCount != 1 } == [])
    #expect(run.trace.waits.allSatisfy { $0.ended != nil })
    #expect(run.trace.queues.allSatisfy { !$0.isSuspended })
  }

  @Test("each broken program has a unique name that begins with its code, and a summary that fits a line")
  func table() {
    let names = Scenario.broken.map(\.name)
    #expect(Set(names + Scenario.all.map(\.name)).count == names.count + Scenario.all.count)
    for scenario in Scenario.broken {
      #expect(scenario.health == .broken)
      #expect(scenario.options.contains(.fixed))
      #expect(scenario.code.map { scenario.name == $0 || scenario.name.hasPrefix($0 + "-") } == true)
      #expect((20...110).contains(scenario.summary.count) && scenario.summary.hasSuffix("."), "\(scenario.name)")
      #expect(Scenario.named(scenario.name)?.code == scenario.code)
    }
    #expect(Scenario.all.allSatisfy { $0.code == nil })
  }

  @Test("each code about operations has a program, each other one a test, and each program a code")
  func complete() throws {
    let shown = Set(Scenario.broken.compactMap(\.code))
    // These need blocks and tasks, or waits outside of operations: see Tests/LayerProgram and Tests/HangPrograms.
    let others: Set = ["dispatch-cycle", "continuation-never-resumed", "never-signalled"]
    let about = Set((RuleSet.hangs + RuleSet.summary).rules.map(\.code.rawValue)).subtracting(others)
    let known = Set(DoctorRule.table.map(\.code.rawValue))
    #expect(about.subtracting(shown) == [], "no program in Scenario.broken shows these")
    #expect(shown.subtracting(known) == [], "no rule in DoctorRule.table finds these")
    // Those of other columns.
    let tests = URL(fileURLWithPath: #filePath).appendingPathComponent("../..").standardized
    let texts = try #require(FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil))
      .compactMap { $0 as? URL }
      .filter { $0.pathExtension == "swift" && $0.path != #filePath }
      .map { try String(contentsOf: $0, encoding: .utf8) }
    let untested = known.subtracting(about).subtracting(shown).filter { code in
      !texts.contains { $0.contains("\"\(code)\"") }
    }
    #expect(untested == [], "no test and no program in Scenario.broken shows these")
  }
}
