import Foundation
import OpTraceAnalysis
import OpTraceFormat
import OpTraceModel
import TestSupport
import Testing

@testable import OpTraceTimeline

/// Several traces in one file, as Perfetto's engine reads it in both formats.
@Suite("joined traces: the timeline", .enabled(if: PerfettoEngine.isWanted), .ownThread)
struct JoinedTimelineTests {
  private static func bytes(
    _ format: TimelineFormat, _ joined: JoinedTimeline, _ change: (inout TimelineOptions) -> Void = { _ in }
  ) throws -> (bytes: [UInt8], counts: TimelineCounts) {
    var options = TimelineOptions()
    change(&options)
    var bytes: [UInt8] = []
    let all = [TimelineOptions](repeating: options, count: joined.traces.count)
    let counts = try format.write(joined, options: all) { bytes += Array($0) }
    return (bytes, counts)
  }

  private static let flows = """
    select a.name as source, p.name as source_process, a.ts as source_ts, b.name as target, q.name as target_process,
      b.ts as target_ts from flow join slice a on slice_out = a.id join slice b on slice_in = b.id
    join thread_track k on a.track_id = k.id join thread t on t.utid = k.utid join process p on p.upid = t.upid
    join thread_track l on b.track_id = l.id join thread u on u.utid = l.utid join process q on q.upid = u.upid
    order by 3, 6, 1, 4
    """

  /// The arrows as `process: span > process: span`. Checks that both formats are the same and that nothing is lost.
  private func arrows(_ joined: JoinedTimeline, _ change: (inout TimelineOptions) -> Void = { _ in }) throws -> [String]
  {
    var files: [(bytes: [UInt8], ending: String)] = []
    var counts = TimelineCounts()
    for format in TimelineFormat.all {
      let (bytes, own) = try Self.bytes(format, joined, change)
      files.append((bytes, format.endings[0]))
      counts = own
    }
    let answers = try PerfettoEngine.load(
      files,
      [
        Self.flows, "select ts, dur, name, category from slice order by 1, 2, 3, 4",
        "select pid, name from process order by 1, 2",
        "select t.tid as tid, t.name as name, p.pid as pid from thread_track join thread t using (utid) "
          + "join process p using (upid) order by 1, 2, 3",
        "select c.ts as ts, c.value as value, p.pid as pid from counter c join process_counter_track t on c.track_id = t.id "
          + "join process p using (upid) order by 1, 2, 3",
        "select count(*) as n from flow",
      ])
    try #require(answers.count == 2)
    for answer in answers {
      #expect(answer.error == nil)
      #expect(answer.problems.map(\.name) == [])
    }
    #expect(answers[0].results == answers[1].results)
    let rows = answers[1].results
    #expect(rows[1].count == counts.slices + counts.instants)
    let all = counts.calls + counts.arrows + counts.submissionArrows + counts.resumptionArrows
    #expect(rows[5].first?["n"]?.integer == all)
    return rows[0].map { row in
      func text(_ key: String) -> String { row[key]?.text ?? "?" }
      return "\(text("source_process")): \(text("source")) > \(text("target_process")): \(text("target"))"
    }
  }

  /// A shop that calls a stock and posts a message that the stock handles later. Both have operations of the same name.
  private func pair(_ change: (inout CallingService, inout CallingService) -> Void = { _, _ in }) throws -> [Trace] {
    var shop = CallingService("shop", 100)
    shop.span("GET /order", .server, 90, 150, id: 1)
    shop.span("reserve", .client, 100, 140, id: 2)
    shop.span("mail", .producer, 141, 142, id: 3)
    shop.operation("pack", 91, 92)
    var stock = CallingService("stock", 200, wall: 50)
    stock.span("POST /reserve", .server, 60, 80, id: 4, caller: 2)
    stock.span("send mail", .consumer, 300, 310, id: 5, caller: 3)
    stock.operation("pack", 61, 62)
    stock.operation("count", 63, 64)
    change(&shop, &stock)
    return try [shop.read(), stock.read()]
  }

  @Test("arrows lead from the calling span to the serving span in another process")
  func calls() throws {
    let joined = JoinedTimeline(try pair())
    #expect(
      try arrows(joined) == [
        "shop (pid 100): reserve > stock (pid 200): POST /reserve",
        "shop (pid 100): mail > stock (pid 200): send mail",
      ])
    #expect(joined.clock.starts == [0, 50_000_000])
  }

  @Test("queues are named after their trace's program, and process numbers are unique")
  func processes() throws {
    let traces = try pair { shop, stock in (stock.process, stock.processID) = (shop.process, shop.processID) }
    let (json, _) = try Self.bytes(.json, JoinedTimeline(traces + [try pair { shop, _ in shop.processID = 7 }[0]]))
    let answer = try PerfettoEngine.load(json, "select pid, name from process where name is not null order by 1, 2")
    #expect(
      answer.results[0].map { "\($0["pid"]?.integer ?? 0) \($0["name"]?.text ?? "")" } == [
        "1 shop (pid 100)", "2 shop 100 · queue work", "3 shop (pid 100) [2]", "4 shop 100 [2] · queue work",
        "5 shop (pid 7)", "6 shop 7 · queue work",
      ])
  }

  @Test("a call has no arrow if the serving span began first")
  func late() throws {
    // The same system, so that no clock is moved.
    let traces = try pair { shop, stock in
      (shop.boot, stock.boot) = ((9, 0), (9, 0))
      stock.span("goes on", .server, 70, 130, id: 6, caller: 2)
      stock.span("at once", .server, 100, 120, id: 7, caller: 2)
      stock.span("is over", .server, 20, 30, id: 8, caller: 2)
      shop.span("at the end", .client, 310, 320, id: 9)
      stock.span("touches", .server, 305, 310, id: 10, caller: 9)
    }
    let found = try arrows(JoinedTimeline(traces))
    #expect(
      Set(found) == [
        "shop (pid 100): reserve > stock (pid 200): at once", "shop (pid 100): mail > stock (pid 200): send mail",
      ])
    #expect(found.count == 2)
    // The same with the traces in the other order.
    #expect(try Set(arrows(JoinedTimeline(traces.reversed()))) == Set(found))
  }

  @Test("an arrow needs both of its ends in the selection")
  func selection() throws {
    let joined = JoinedTimeline(try pair())
    #expect(try arrows(joined) { $0.selection.minimumDuration = 2_000_000 }.count == 1)
    #expect(try arrows(joined) { $0.selection.from = 200_000_000 } == [])
  }

  @Test("a span may call many spans and may handle many messages")
  func manyEnds() throws {
    let traces = try pair { shop, stock in
      shop.span("mail 2", .producer, 143, 144, id: 20)
      stock.span("batch", .consumer, 320, 330, id: 21, caller: 3, links: [20, 3])
      stock.span("again", .server, 61, 62, id: 22, caller: 2)
      stock.span("reserve too", .client, 64, 70, id: 23)
      shop.span("ask back", .server, 115, 119, id: 24, caller: 23)
    }
    #expect(
      try Set(arrows(JoinedTimeline(traces))) == [
        "shop (pid 100): reserve > stock (pid 200): POST /reserve", "shop (pid 100): reserve > stock (pid 200): again",
        "shop (pid 100): mail > stock (pid 200): send mail", "shop (pid 100): mail > stock (pid 200): batch",
        "shop (pid 100): mail 2 > stock (pid 200): batch", "stock (pid 200): reserve too > shop (pid 100): ask back",
      ])
  }

  @Test("joined samples keep their own arrows, counters and rows of samples")
  func samples() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("traces")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".optrace") }
    let traces = try names.sorted().prefix(8).map { try TraceReader.read(path: folder.appendingPathComponent($0).path) }
    try #require(traces.count == 8)
    let sampled = TraceBuilder.build(try TraceText.parse(SampledTrace.photos().text))
    _ = try arrows(JoinedTimeline(traces + [sampled, sampled]))
    let (bytes, _) = try Self.bytes(.perfetto, JoinedTimeline([sampled, sampled]))
    let answer = try PerfettoEngine.load(
      bytes, ending: "pftrace",
      "select p.pid as pid, t.name as thread, count(*) as n from perf_sample s join thread t using (utid) "
        + "join process p using (upid) group by 1, 2 order by 1, 2")
    let rows = answer.results[0].map { "\($0["thread"]?.text ?? "") \($0["n"]?.integer ?? 0)" }
    try #require(rows.count >= 4 && rows.count % 2 == 0)
    #expect(Array(rows.prefix(rows.count / 2)) == Array(rows.suffix(rows.count / 2)))
  }

  @Test("a single trace gives the same bytes as without joining")
  func alone() throws {
    for trace in try pair() + [ChromeTraceTests.sampleTrace()] {
      for format in TimelineFormat.all {
        var bytes: [UInt8] = []
        let counts = try format.exporter(trace).write { bytes += Array($0) }
        let joined = try Self.bytes(format, JoinedTimeline([trace]))
        #expect(joined.bytes == bytes)
        #expect(joined.counts == counts)
      }
    }
  }
}
