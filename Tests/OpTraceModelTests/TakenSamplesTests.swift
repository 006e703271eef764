import OpTraceFormat
import TestSupport
import Testing

@testable import OpTraceModel

@Suite struct TakenSamplesTests {
  private static let header = """
    optrace text 1
    process 4711 "sampled"
    mode streaming

    0 t0 profile period=10000000
    0 t1 thread t1 tid=101 "one"

    """

  private func events(_ lines: [String]) throws -> TraceEvents {
    try TraceText.parse(Self.header + lines.joined(separator: "\n"))
  }

  /// The times of samples, in milliseconds.
  private func times(_ trace: Trace) -> [Nanoseconds] { trace.samples.map { $0.time / 1_000_000 } }

  /// `recorded`, and for how long it had been taken then; in milliseconds.
  private func line(_ recorded: Int, age: Int) -> String {
    let units = age * 1_000_000 / Int(Layout.ageUnit)
    return "\(recorded)000000 t1 sampled f0 age=\(units) thread=t1"
  }

  @Test("a sample is handed out once: with those from before a time, or later if it is recorded later")
  func once() throws {
    var builder = TraceBuilder(growing: TraceHeader(), forgets: true)
    builder.keepSamples(since: 0)
    builder.add(newest: try events([line(100, age: 10), line(1000, age: 0), line(1100, age: 0)]))
    #expect(times(builder.takeSamples(before: 1_000_000_000)) == [90])
    #expect(!builder.hasSamples(before: 1_000_000_000))
    // One of them was taken before that time, and is recorded after it.
    builder.add(newest: try events([line(1200, age: 300), line(2500, age: 0)]))
    #expect(builder.hasSamples(before: 1_000_000_000))
    #expect(times(builder.takeSamples(before: 2_000_000_000)) == [900, 1000, 1100])
    #expect(times(builder.takeSamples(before: .max)) == [2500])
    #expect(times(builder.takeSamples(before: .max)) == [])
  }

  @Test("samples that are kept for somebody stay when everything else is forgotten")
  func forgetting() throws {
    var builder = TraceBuilder(growing: TraceHeader(), forgets: true)
    builder.keepSamples(since: 0)
    builder.add(newest: try events([line(100, age: 0), line(200, age: 0)]))
    builder.forget(finishedBefore: .max)
    #expect(times(builder.takeSamples(before: .max)) == [100, 200])
    var other = TraceBuilder(growing: TraceHeader(), forgets: true)
    other.add(newest: try events([line(100, age: 0), line(200, age: 0)]))
    other.forget(finishedBefore: .max)
    #expect(times(other.snapshot()) == [])
  }

  @Test("samples from before a time, and those that were recorded before another reader ended, are left out")
  func since() throws {
    var builder = TraceBuilder(growing: TraceHeader(), forgets: true)
    builder.keepSamples(since: 150_000_000, recordedAfter: 300_000_000)
    builder.add(newest: try events([line(200, age: 0), line(300, age: 10), line(301, age: 200), line(302, age: 100)]))
    #expect(times(builder.takeSamples(before: .max)) == [202])
    #expect(builder.lastSampleRecorded == 302_000_000)
  }
}
