import OpTraceAnalysis
import OpTraceText
import Foundation
import OpTraceModel
import TestSupport
import Testing

@testable import OpTraceTimeline

/// Blocks of dispatch queues on a timeline, as Perfetto's engine reads it.
@Suite("Dispatch queues in Perfetto", .enabled(if: PerfettoEngine.isWanted), .ownThread)
struct DispatchTimelineTests {
  private func rows(
    _ trace: Trace, _ query: String, _ options: TimelineOptions = TimelineOptions()
  ) throws -> [[String: PerfettoEngine.Cell]] {
    let answer = try PerfettoEngine.load(try FormatComparison.protobuf(trace, options).0, ending: "pftrace", query)
    #expect(answer.error == nil && answer.problems.isEmpty)
    return answer.results.first ?? []
  }

  private func slices(_ trace: Trace, _ category: String) throws -> [String] {
    try rows(
      trace,
      "select s.name as name, p.name as process, t.name as thread from slice s join thread_track k on s.track_id = k.id "
        + "join thread t using (utid) join process p using (upid) where s.category = '\(category)' order by s.ts, 2"
    ).map { row in ["name", "process", "thread"].map { row[$0]?.text ?? "?" }.joined(separator: " | ") }
  }

  @Test("each run is a slice of its queue and of its thread, and each wait a slice of its queue") func slices() throws {
    let trace = try GoldenTrace.dispatch()
    #expect(
      try slices(trace, "dispatch") == [
        "closure #1 in Upload.start() | dispatch queue disk.io | running",
        "block at golden+0x1100 | dispatch queue net | running", "block | dispatch queue 3 | running",
      ])
    #expect(
      try slices(trace, "run").map { $0.split(separator: "|")[2].trimmingCharacters(in: .whitespaces) }
        == ["other · 103", "worker · 102", "other · 103"])
    #expect(try slices(trace, "submission") == ["submits block | golden (pid 100) | main thread · 100"])
    let waits = try slices(trace, "wait").filter { !$0.hasPrefix("Upload") }
    #expect(
      waits.map { $0.split(separator: "|").dropFirst().joined(separator: "|") } == [
        " dispatch queue disk.io | waiting for a slot", " dispatch queue net | waiting for a slot",
        " dispatch queue 3 | waiting for a time or a group", " dispatch queue 3 | waiting for a slot",
        " dispatch queue com.apple.main-thread | waiting for a time or a group", " no queue | waiting for a slot",
      ])
    let (_, counts) = try FormatComparison.protobuf(trace)
    #expect(counts.executions == 4 && counts.submissions == 1 && counts.submissionArrows == 3 && counts.arrows == 0)
    #expect(counts.waits == 8)
  }

  @Test("arrows lead from the submitter to the run") func arrows() throws {
    let arrows = try rows(
      GoldenTrace.dispatch(),
      "select a.name || ' > ' || b.name as text from flow join slice a on slice_out = a.id join slice b on slice_in = b.id"
        + " order by b.ts"
    ).compactMap { $0["text"]?.text }
    #expect(
      arrows == [
        "Upload > closure #1 in Upload.start()", "closure #1 in Upload.start() > block at golden+0x1100",
        "submits block > block",
      ])
  }

  @Test("a slice has its queue, submitter, submission site, wait, kind and code") func arguments() throws {
    let found = try rows(
      GoldenTrace.dispatch(),
      "select s.name as slice, coalesce(b.string_value, b.int_value, b.real_value) as value, "
        + "replace(b.key, 'debug.', '') as key from slice s join args b using (arg_set_id) where s.category = 'dispatch'"
    )
    func value(_ slice: String, _ key: String) -> String? {
      found.first { $0["slice"]?.text == slice && $0["key"]?.text == key }.map { row in
        switch row["value"] {
        case .text(let text)?: text
        case .integer(let number)?: "\(number)"
        case .double(let number)?: "\(number)"
        default: "?"
        }
      }
    }
    let first = "closure #1 in Upload.start()"
    #expect(value(first, "queue") == "disk.io" && value(first, "submitted by") == "Upload #1")
    #expect(value(first, "slot wait (us)") == "0.08" && value(first, "block") == "2")
    #expect(value(first, "source") == "main.swift:12" && value(first, "ran on") == "other · 103")
    #expect(value("block at golden+0x1100", "submitted by") == "closure #1 in Upload.start() #2")
    #expect(value("block at golden+0x1100", "way") == "barrier, in a group")
    #expect(value("block", "submitted by") == "main thread · 100" && value("block", "work item") == "1")
    #expect(value("block", "wait for a time or a group (us)") == "0.1")
  }

  @Test("a wait inside a block belongs to it, and lies inside its slice") func inside() throws {
    let rows = try rows(
      GoldenTrace.dispatch(),
      "select p.name as parent, (select int_value from args a where a.arg_set_id = s.arg_set_id and key = 'debug.block') as block"
        + " from slice s join slice p on s.parent_id = p.id where s.category = 'thread wait'")
    #expect(rows.map { $0["parent"]?.text } == ["block at golden+0x1100"] && rows.first?["block"]?.integer == 3)
  }

  @Test("a selection can be one queue, one function, or the surroundings of a block") func parts() throws {
    let trace = try GoldenTrace.dispatch()
    func runs(_ change: (inout TimelineSelection) -> Void) throws -> [String] {
      var options = TimelineOptions()
      change(&options.selection)
      return try rows(
        trace, "select name from slice where category in ('dispatch', 'operation') order by ts", options
      ).compactMap { $0["name"]?.text }
    }
    let net = try #require(trace.dispatchQueues.first { $0.label == "net" })
    #expect(try runs { $0.queues = [.dispatchQueue(net.id)] } == ["block at golden+0x1100"])
    #expect(try runs { $0.classes = ["closure #1 in Upload.start()"] } == ["closure #1 in Upload.start()"])
    #expect(
      try runs { $0.select(around: [WorkID(2)], in: trace) }
        == ["Upload", "closure #1 in Upload.start()", "block at golden+0x1100"])
    #expect(try OperationLookup.findWork("#3", in: trace) == [WorkID(3)])
    #expect(try OperationLookup.findWork("closure #1 in Upload.start()", in: trace) == [WorkID(2)])
  }

  @Test("a trace with only blocks has no group for operations") func blocksAlone() throws {
    let text = TypedTrace().text(
      """
      0 t0 dispatch-queue d1 width=1 "disk"
      10 t1 submitted #1 queue=d1
      20 t2 run #1
      25 t2 submitted #2 by=#1 queue=d1
      30 t2 ran #1
      40 t3 run #2
      50 t3 ran #2
      """, in: .microseconds)
    let trace = TraceBuilder.build(try TraceText.parse(text))
    try FormatComparison.expectSame([.init(name: "blocks alone", trace: trace)])
    #expect(
      try rows(trace, "select name from process where name is not null order by pid").compactMap { $0["name"]?.text }
        == ["fixture (pid 4711)", "dispatch queue disk"])
    #expect(
      Set(try rows(trace, "select distinct name from process_counter_track").compactMap { $0["name"]?.text })
        == ["executing blocks", "ready blocks", "limit slots"])
  }

  /// `OPTRACE_TEST_SEED` repeats one.
  @Test("random blocks with all oddities are the same in both formats") func random() throws {
    let environment = ProcessInfo.processInfo.environment["OPTRACE_TEST_SEED"].flatMap { Int($0) }
    let seed = environment ?? Int.random(in: 0..<1_000_000)
    try FormatComparison.expectSame(
      [.init(name: "golden", trace: try GoldenTrace.dispatch())]
        + (0..<12).map { round in
          var random = SeededGenerator(seed + round)
          var one = FormatComparison.Case(name: "seed \(seed + round)", trace: try RandomBlocks.trace(&random))
          if random.chance(30) { one.options.selection.from = one.trace.end / 3 }
          if random.chance(30) { one.options.selection.minimumDuration = 3 }
          if random.chance(20) { one.options.waitLanes = random.number(0..<4) }
          return one
        })
  }
}
