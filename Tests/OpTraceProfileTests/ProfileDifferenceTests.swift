import OpTraceAnalysis
import OpTraceModel
import OpTraceProfile
import TestSupport
import Testing

@Suite("Differences between profiles")
struct ProfileDifferenceTests {
  private func profile(_ counts: [String: Int], every period: Int = 1_000_000) throws -> Profile {
    var trace = SampledTrace()
    trace.sampling(every: period)
    var time = 0
    for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
      for _ in 0..<count {
        trace.sample(time, 2, trace.stack(["main", name]))
        time += 1
      }
    }
    return Profile(of: TraceBuilder.build(try TraceText.parse(trace.text)))
  }

  @Test("functions of both sides are sorted by change, and large changes are clear")
  func functions() throws {
    let difference = ProfileDifference(
      from: try profile(["a()": 100, "b()": 10, "c()": 9]), to: try profile(["a()": 160, "b()": 14, "d()": 9]))
    let rows = difference.functions
    #expect(rows.map(\.name.name) == ["a()", "d()", "c()", "b()", "main"])
    #expect(rows.map(\.own.isClear) == [true, true, true, false, false])
    #expect(rows[0].own.before == 100_000_000 && rows[0].own.after == 160_000_000)
    #expect(rows[1].own.before == 0 && rows[2].own.after == 0)
    #expect(rows[4].total.difference == 64_000_000 && rows[4].total.isClear)
    #expect(difference.work.map(\.time.difference) == [64_000_000])
  }

  @Test("profiles with different sampling rates are compared by time")
  func rates() throws {
    let difference = ProfileDifference(
      from: try profile(["a()": 10], every: 10_000_000), to: try profile(["a()": 100]))
    #expect(difference.functions.allSatisfy { $0.total.difference == 0 && !$0.total.isClear })
  }

  @Test("a profile does not differ from itself", arguments: 0..<20)
  func same(seed: Int) throws {
    var random = SeededGenerator(seed)
    let names = ["a()", "b()", "c()"]
    let one = try profile(Dictionary(uniqueKeysWithValues: names.map { ($0, random.number(1..<50)) }))
    let difference = ProfileDifference(from: one, to: one)
    #expect(difference.functions.allSatisfy { $0.own.difference == 0 && $0.total.difference == 0 && !$0.own.isClear })
    #expect(difference.functions.count == 4)
  }
}
