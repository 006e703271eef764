import OpTraceKernel
import OpTraceSamples
import OpTraceModel
import TestSupport
import Testing

@Suite("Samples: coverage and losses")
struct ProfileFactsTests {
  private func facts(
    _ more: String = "", from: Nanoseconds? = nil, to: Nanoseconds? = nil, _ make: (inout SampledTrace) -> Void
  ) throws -> Profile.Facts {
    var trace = SampledTrace()
    trace.unit = .milliseconds
    trace.sampling(every: 10_000_000, more)
    make(&trace)
    var selection = Profile.Selection()
    (selection.from, selection.to) = (from.map { $0 * 1_000_000 }, to.map { $0 * 1_000_000 })
    return Profile(of: TraceBuilder.build(try TraceText.parse(trace.text)), selection: selection).facts
  }

  /// A sample every 10 ms from 10 to 100 ms; according to the readings, twice as much was used from 50 ms on.
  private func steady(_ trace: inout SampledTrace) {
    let stack = trace.stack(["f()"])
    for index in 1...10 { trace.sample(index * 10, 2, stack) }
    trace.used(0, at: 0)
    trace.used(50_000_000, at: 50)
    trace.used(150_000_000, at: 100, lost: 3, missing: 2)
  }

  @Test("facts have the share of processor time that samples cover, and the losses")
  func shares() throws {
    let facts = try facts { steady(&$0) }
    #expect(facts.isSampled && facts.rate == 100 && facts.samplesInTime == 10)
    #expect(facts.used == 150_000_000 && facts.lost == 3 && facts.missingThreads == 2)
    #expect(try #require(facts.sampledShare) - 100.0 / 150 < 1e-9)
  }

  @Test("facts of a part of the time interpolate between readings")
  func part() throws {
    var part = try facts(from: 0, to: 50) { steady(&$0) }
    #expect(part.used == 50_000_000 && part.lost == 0 && part.sampledShare == 1 && part.samplesInTime == 5)
    part = try facts(from: 55, to: 75) { steady(&$0) }
    #expect(part.used == 40_000_000 && part.lost == 3 && part.samplesInTime == 2 && part.sampledShare == 0.5)
    part = try facts(from: 200, to: 300) { steady(&$0) }
    #expect(part.used == nil && part.lost == 0 && part.sampledShare == nil && part.samplesInTime == 0)
  }

  @Test("used time counts from the start of sampling; samples after the last reading do not count in the share")
  func beginning() throws {
    let facts = try facts { trace in
      let stack = trace.stack(["f()"])
      for time in [20, 30, 40, 90] { trace.sample(time, 2, stack) }
      trace.used(40_000_000, at: 50)
    }
    #expect(facts.used == 40_000_000)
    #expect(facts.sampledShare == 0.75)
  }

  @Test("without readings, the used time and the share are unknown")
  func none() throws {
    let facts = try facts("kernel") { $0.sample(10, 2, $0.stack(["f()"])) }
    #expect(facts.used == nil && facts.sampledShare == nil && facts.seesKernel)
  }

  @Test("facts have the refusal and the way of sampling; a trace without samples has no facts")
  func refused() throws {
    let refused = try facts("refused=13 by=1") { _ in }
    #expect(refused.refused == 13 && refused.way == .timer && refused.isSampled)
    #expect(Profile(of: HandmadeTrace().trace).facts == Profile.Facts())
  }

  @Test("sums of a damaged trace do not overflow")
  func large() throws {
    var trace = SampledTrace()
    trace.sampling(every: 1 << 39)
    for time in 0..<100 { trace.sample(time, 2, trace.stack(["f()"])) }
    var built = TraceBuilder.build(try TraceText.parse(trace.text))
    built.profile?.period = .max
    let profile = Profile(of: built)
    #expect(profile.total > 0)
    #expect(profile.functionRows().first?.total == profile.total)
  }
}
