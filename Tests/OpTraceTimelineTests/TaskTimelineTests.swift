import OpTraceAnalysis
import OpTraceText
import Foundation
import OpTraceModel
import TestSupport
import Testing

@testable import OpTraceTimeline

/// Swift tasks on a timeline, as Perfetto's engine reads it.
@Suite("Tasks in Perfetto", .enabled(if: PerfettoEngine.isWanted), .ownThread)
struct TaskTimelineTests {
  private func rows(
    _ trace: Trace, _ query: String, _ options: TimelineOptions = TimelineOptions()
  ) throws -> [[String: PerfettoEngine.Cell]] {
    let answer = try PerfettoEngine.load(try FormatComparison.protobuf(trace, options).0, ending: "pftrace", query)
    #expect(answer.error == nil && answer.problems.isEmpty)
    return answer.results.first ?? []
  }

  private func slices(_ trace: Trace, _ condition: String) throws -> [String] {
    try rows(
      trace,
      "select s.name || ' ' || s.ts || '+' || s.dur as text from slice s join thread_track k on s.track_id = k.id "
        + "join thread t using (utid) where \(condition) order by s.ts"
    ).compactMap { $0["text"]?.text }
  }

  @Test("a task is one row with its runs, its waits, and its waits for a turn")
  func oneRow() throws {
    let trace = try GoldenTrace.tasks()
    #expect(
      try slices(trace, "t.name = 'upload'") == [
        "waits for its turn 220+9780", "upload 10000+300", "waits for a child 10300+19700",
        "waits for its turn 30000+10000", "upload 40000+200", "waits for task at golden+0x1100 #4 40200+9900",
        "waits for its turn 50100+9900", "upload 60000+100", "sleeps 60100+4939900",
        "waits for its turn 5000000+100000", "upload 5100000+100000", "goes to another executor 5200000+800000",
        "upload 6000000+500",
      ])
    let (_, counts) = try FormatComparison.protobuf(trace)
    #expect(counts.executions == 9 && counts.resumptionArrows == 2 && counts.tasksWithoutLane == 0)
    // Each run is on its thread, too.
    #expect(try slices(trace, "s.category = 'run'").count == 8)
    #expect(try slices(trace, "s.category = 'task'").count == 8)
  }

  @Test("children are below their parent and indented") func tree() throws {
    let tracks = try rows(
      GoldenTrace.tasks(),
      "select t.name as name from thread t join process p using (upid) where p.name = 'Swift tasks' order by t.tid"
    ).compactMap { $0["name"]?.text }
    #expect(tracks == ["upload", "↳ task at golden+0x1100", "↳ task at golden+0x1100", "task", "task"])
  }

  @Test("arrows lead from the creator of a task, and from who resumed it") func arrows() throws {
    let arrows = try rows(
      GoldenTrace.tasks(),
      "select a.name || ' > ' || b.name || ' ' || b.ts as text from flow join slice a on slice_out = a.id "
        + "join slice b on slice_in = b.id order by b.ts"
    ).compactMap { $0["text"]?.text }
    #expect(
      arrows == [
        "Upload > upload 10000", "upload > task at golden+0x1100 20000", "task at golden+0x1100 > upload 40000",
        "upload > task at golden+0x1100 50000", "task at golden+0x1100 > upload 60000",
        "upload > task 6000100",
      ])
  }

  @Test("a slice has the task's creator, creation site, wait and function")
  func arguments() throws {
    let found = try rows(
      GoldenTrace.tasks(),
      "select s.ts as ts, coalesce(b.string_value, b.int_value, b.real_value) as value, "
        + "replace(b.key, 'debug.', '') as key from slice s join args b using (arg_set_id) "
        + "where s.category in ('task', 'suspension', 'wait')")
    func value(_ time: Int, _ key: String) -> String? {
      found.first { $0["ts"]?.integer == time && $0["key"]?.text == key }.map { row in
        switch row["value"] {
        case .text(let text)?: text
        case .integer(let number)?: "\(number)"
        case .double(let number)?: "\(number)"
        default: "?"
        }
      }
    }
    #expect(value(10000, "task") == "2" && value(10000, "submitted by") == "Upload #1")
    #expect(value(10000, "priority") == "medium" && value(10000, "function") == "closure #1 in Upload.main()")
    #expect(value(10000, "ran on") == "other · 103" && value(10000, "suspended (us)") == "5769.5")
    #expect(value(10000, "slot wait (us)") == "129.68" && value(10000, "running (us)") == "101.1")
    #expect(value(20000, "way") == "child in a group" && value(50000, "way") == "async let")
    #expect(value(40000, "resumed by") == "task at golden+0x1100 #3" && value(40000, "submitted by") == nil)
    #expect(value(40200, "waits for") == "task at golden+0x1100 #4")
    #expect(value(10300, "function") == "fetch(_:)" && value(10300, "line") == "30")
    #expect(value(6_000_200, "unfinished") == "1")
  }

  @Test("counters count running tasks and tasks that wait for their turn") func counters() throws {
    let names = try rows(
      GoldenTrace.tasks(),
      "select distinct t.name as name from process_counter_track t join process p using (upid) where p.name = 'Swift tasks'"
    )
    #expect(Set(names.compactMap { $0["name"]?.text }) == ["executing tasks", "ready tasks"])
  }

  @Test("a selection can be all tasks, one function, or the surroundings of a task") func parts() throws {
    let trace = try GoldenTrace.tasks()
    func runs(_ change: (inout TimelineSelection) -> Void) throws -> [String] {
      var options = TimelineOptions()
      change(&options.selection)
      return try rows(
        trace, "select name from slice where category in ('task', 'operation') order by ts", options
      ).compactMap { $0["name"]?.text }
    }
    #expect(try runs { $0.queues = [.swift] }.filter { $0 == "Upload" } == [])
    #expect(try runs { $0.queues = [.swift] }.count == 8)
    #expect(try Set(runs { $0.classes = ["closure #1 in Upload.main()"] }) == ["upload"])
    let around = try runs { $0.select(around: [WorkID(3)], in: trace) }
    #expect(Set(around).isSuperset(of: ["upload", "task at golden+0x1100"]))
    #expect(try OperationLookup.findWork("upload", in: trace) == [WorkID(2)])
    #expect(try OperationLookup.findWork("#5", in: trace) == [WorkID(5)])
  }

  @Test("tasks without a row are reported, counted, and shown on their threads") func hidden() throws {
    var lines = "10 t1 task #1 enqueued\n20 t2 task-run #1\n"
    for id in 2...41 { lines += "30 t2 task #\(id) by=#1 how=2 enqueued\n" }
    lines += "40 t2 task-suspended #1 reason=3\n"
    for id in 2...41 { lines += "50 t3 task-run #\(id)\n50 t3 task-suspended #\(id) reason=5\n" }
    for id in 2...41 { lines += "60 t3 task-run #\(id)\n60 t3 task-completed #\(id)\n" }
    let trace = TraceBuilder.build(try TraceText.parse(TypedTrace().text(lines, in: .microseconds)))
    var options = TimelineOptions()
    options.taskLanes = 11
    let (_, counts) = try FormatComparison.protobuf(trace, options)
    #expect(counts.tasksWithoutLane == 30)
    let tracks = try rows(
      trace,
      "select count(distinct k.id) as n from thread_track k join thread t using (utid) join process p using (upid) "
        + "where p.name = 'Swift tasks'", options)
    #expect(tracks.first?["n"]?.integer == 11)
    let runs = try rows(trace, "select count(*) as n from slice where category = 'run'", options)
    #expect(runs.first?["n"]?.integer == 81)
    let most = try rows(
      trace,
      "select max(value) as n from counter c join process_counter_track t on c.track_id = t.id "
        + "where t.name = 'ready tasks'", options)
    #expect(most.first?["n"] == .double(40) || most.first?["n"]?.integer == 40)
    options.taskLanes = 0
    #expect(try FormatComparison.protobuf(trace, options).1.tasksWithoutLane == 41)
  }

  /// `OPTRACE_TEST_SEED` repeats one.
  @Test("random tasks with all oddities are the same in both formats") func random() throws {
    let environment = ProcessInfo.processInfo.environment["OPTRACE_TEST_SEED"].flatMap { Int($0) }
    let seed = environment ?? Int.random(in: 0..<1_000_000)
    try FormatComparison.expectSame(
      [.init(name: "golden", trace: try GoldenTrace.tasks())]
        + (0..<12).map { round in
          var random = SeededGenerator(seed + round)
          var one = FormatComparison.Case(name: "seed \(seed + round)", trace: try RandomTasks.trace(&random))
          if random.chance(30) { one.options.selection.from = one.trace.end / 3 }
          if random.chance(30) { one.options.selection.minimumDuration = 3 }
          if random.chance(20) { one.options.taskLanes = random.number(0..<4) }
          return one
        })
  }
}
