import OpTraceAnalysis
import OpTraceModel
import OpTraceTimeline
import TestSupport
import Testing

@testable import OpTracePage

@Suite("Phases of work are its times, as moments")
struct WorkPhasesTests {
  @Test("their differences are the times; open ones end with the trace, whenever that is", arguments: 1...20)
  func differences(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let trace = try RandomBlocks.trace(&random)
    for operation in trace.operations {
      check(operation, trace.end) { operation.execution(traceEnd: $0) }
    }
    for block in trace.blocks {
      check(block, trace.end) { end in
        block.began.map { ($0.time, max($0.time, block.over ?? end), block.over == nil) }
      }
    }
  }

  private func check(
    _ work: some Work, _ traceEnd: Nanoseconds,
    _ execution: (Nanoseconds) -> (begin: Nanoseconds, end: Nanoseconds, isOpen: Bool)?
  ) {
    var phases: [Int?] = []
    WorkPhases(of: work, execution(traceEnd), traceEnd: traceEnd).add(to: &phases)
    let ends = [traceEnd, traceEnd + 1000]
    for end in ends {
      let times = OperationTimes(of: work, traceEnd: end)
      func between(_ from: Int?, _ to: Int?) -> Int { from.map { (to ?? Int(end)) - $0 } ?? 0 }
      let submitted = work.submitted.map { Int($0.time) }
      #expect(between(submitted, phases[0]) == Int(times.waitingForDependencies))
      #expect(between(phases[0], phases[1]) == Int(times.waitingForSlot))
      #expect(between(phases[2], phases[4]) == Int(times.running))
      #expect(phases[2] == execution(end).map { Int($0.begin) })
      #expect(execution(end) == nil || phases[3] ?? Int(end) == execution(end).map { Int($0.end) })
    }
  }
}
