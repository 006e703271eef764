import OpTraceAnalysis
import OpTraceComparison
import OpTraceModel
import OpTraceText
import TestSupport
import Testing

@Suite("Text and JSON of diff")
struct ComparisonTextTests {
  private func trace(_ changed: Bool, slow: Double = 1) -> Trace {
    var make = HandmadeTrace()
    let net = make.queue("net", limit: changed ? 1 : 4)
    let load = make.operation("load 1", on: net, began: 0.0, ended: 2.0 * slow)
    make.operation("load 2", on: net, after: changed ? [load] : [], began: 2.0 * slow, ended: 4.0 * slow)
    make.operation(changed ? "check\u{1B}[31m" : "log", on: net, began: 8.0, ended: 9.0)
    return make.trace
  }

  private func compared(_ base: [Trace], _ new: [Trace]) -> Comparison {
    var comparer = Comparer(by: .all)
    for trace in base { comparer.add(trace, as: .base) }
    for trace in new { comparer.add(trace, as: .new) }
    return comparer.comparison()
  }

  @Test("one run of each side gives additions, removals and ratios, but no verdict")
  func single() {
    let text = ComparisonText(compared([trace(false)], [trace(true, slow: 1.5)]), failed: [.structure]).text
    #expect(
      text == """
                runs  operations     wall
          base     1           3  9.00 ms
          new      1           3  9.00 ms
          wall time x1.00 (x1.00 to x1.00)

        Structure
          operations
            + check\u{FFFD}[#m (Step)  0 → 1
            - log (Step)  1 → 0
          dependencies
            + load # (Step) waits for load # (Step)  0 → 1
          limits
            + 'net' at most 1  0 → 1
            - 'net' at most 4  1 → 0

        Times of operations
          operations     queue  running  times  range           p  verdict
          load # (Step)  net    4.00 ms  x1.50  x1.50 to x1.50
          verdicts need at least 5 runs of each side: optrace record --runs 10

        fails on structure

        """)
  }

  @Test("five runs of each side give p and verdicts")
  func several() {
    let base = (0..<5).map { trace(false, slow: 1 + Double($0) / 1000) }
    let new = (0..<5).map { trace(false, slow: 1.5 + Double($0) / 1000) }
    #expect(
      ComparisonText(compared(base, new)).text == """
                runs  operations     wall
          base     5           3  9.00 ms
          new      5           3  9.00 ms
          wall time x1.00 (x1.00 to x1.00), p 1: same

        Structure
          the same

        Times of operations
          operations     queue  running  times  range               p  verdict
          load # (Step)  net    4.01 ms  x1.50  x1.50 to x1.50  0.016  slower
          log (Step)     net    1.00 ms  x1.00  x1.00 to x1.00      1  same

        """)
  }

  @Test("the keys of version 1 are a contract: Documentation/json.md")
  func json() throws {
    let json = compared([trace(false)], [trace(true, slow: 1.5)]).json(failed: [.structure, .findings])
    guard case .object(let members) = json else {
      Issue.record("no object")
      return
    }
    #expect(members.map(\.key) == ["version", "runs", "structure", "timings", "wall", "failedOn"])
    #expect(members.last?.value == .array([.string("structure"), .string("findings")]))
    guard case .array(let timings) = members[3].value, case .object(let timing)? = timings.first else {
      Issue.record("no timings")
      return
    }
    #expect(
      timing.map(\.key) == ["pattern", "class", "queue", "function", "ratio", "low", "high", "p", "verdict"])
    #expect(timing[0].value == .string("load #"))
    #expect(timing[3].value == .null)
    #expect(timing[8].value == .string("unclear"))
  }
}
