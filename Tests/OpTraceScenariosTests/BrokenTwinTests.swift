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

  @Test("each code of the doctor has a program, and each program has a code")
  func complete() {
    let shown = Set(Scenario.broken.compactMap(\.code))
    // These need blocks and tasks, or waits outside of operations: see Tests/LayerProgram and Tests/HangPrograms.
    // For codes about services see ServiceRuleTests.
    let others: Set = [
      "dispatch-cycle", "continuation-never-resumed", "never-signalled", "event-loop-blocked", "hot-actor",
      "pool-exhausted", "cpu-hotspot", "task-leak", "stream-backlog", "retry-storm", "slow-dependency",
      "blocking-call", "lock-contention", "busy-queue", "repeated-calls", "stampede",
      "uneven-loops", "growing-backlog",
    ]
    let known = Set(DoctorRule.table.map(\.code.rawValue)).subtracting(others)
    #expect(known.subtracting(shown) == [], "no program in Scenario.broken shows these")
    #expect(shown.subtracting(known) == [], "no rule in DoctorRule.table finds these")
  }
}
