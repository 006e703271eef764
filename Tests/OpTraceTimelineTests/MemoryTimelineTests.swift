import OpTraceAnalysis
import OpTraceModel
import TestSupport
import Testing

@testable import OpTraceTimeline

@Suite("Memory in the timeline", .enabled(if: PerfettoEngine.isWanted), .ownThread)
struct MemoryTimelineTests {
  /// A block of 5,000 bytes that lives from 100 to 300 ms, and one of 700 that is resized; two looks at the process.
  private func trace() throws -> Trace {
    var made = MemoryTrace()
    let stack = made.sampled.stack(["main", "load()"])
    made.look(at: 0, resident: 20_000, anonymous: 2000)
    let large = made.allocate(5000, at: 100, in: stack)
    made.allocate(700, at: 200, in: stack)
    made.sampled.add("250 t9 resized a2 size=900")
    made.free(large, at: 300)
    made.look(at: 1000, resident: 30_000, anonymous: 3000)
    return try made.trace(to: 1200)
  }

  private static let lines = """
    select p.name as process, t.name as name, group_concat((c.ts / 1000000) || '=' || cast(c.value as int), ' ') as line
    from counter c join process_counter_track t on c.track_id = t.id join process p using (upid)
    group by p.name, t.name order by t.name
    """

  @Test("the process has counters of what is resident, of that what is in no file, and what lives")
  func counters() throws {
    let trace = try trace()
    try FormatComparison.expectSame([.init(name: "memory", trace: trace)])
    let answer = try PerfettoEngine.load(try FormatComparison.protobuf(trace).0, ending: "pftrace", Self.lines)
    #expect(
      answer.results.first?.map { "\($0["process"]?.text ?? "") \($0["name"]?.text ?? ""): \($0["line"]?.text ?? "")" }
        == [
          "fixture (pid 4711) anonymous bytes: 0=2048000 1000=3072000",
          "fixture (pid 4711) live bytes: 100=5000 200=5700 250=5900 300=900",
          "fixture (pid 4711) resident bytes: 0=20480000 1000=30720000",
        ])
  }

  @Test("a part of the run begins with what lived then")
  func selection() throws {
    var options = TimelineOptions()
    options.selection.from = 260_000_000
    let answer = try PerfettoEngine.load(
      try FormatComparison.protobuf(try trace(), options).0, ending: "pftrace", Self.lines)
    #expect(answer.results.first?.compactMap { $0["line"]?.text }.contains("260=5900 300=900") == true)
  }

  @Test("several traces in one file keep their own counters")
  func joined() throws {
    var operations = HandmadeTrace("other")
    let queue = operations.queue("work")
    operations.operation("first", on: queue, began: 1, ended: 2)
    let joined = JoinedTimeline([try trace(), operations.trace, try trace()])
    for format in TimelineFormat.all {
      var bytes: [UInt8] = []
      let options = [TimelineOptions](repeating: TimelineOptions(), count: joined.traces.count)
      _ = try format.write(joined, options: options) { bytes += Array($0) }
      let answer = try PerfettoEngine.load(
        bytes, ending: format.endings[0],
        "select count(*) as n from process_counter_track where name = 'live bytes'",
        "select max(value) as most from counter c join process_counter_track t on c.track_id = t.id where name = 'live bytes'"
      )
      #expect(answer.problems.map(\.name) == [] && answer.results.first?.first?["n"]?.integer == 2)
    }
  }
}
