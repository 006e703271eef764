import Foundation
import OpTraceAnalysis
import OpTraceFormat
import OpTraceModel
import TestSupport
import Testing

@testable import OpTraceTimeline

/// Our JSON as Perfetto's trace processor reads it.
@Suite("Chrome trace in Perfetto", .enabled(if: PerfettoEngine.isWanted), .ownThread)
struct ChromeTraceTests {
  /// One arrow as the engine bound it: the names of the slices at its ends, and whether they are executions.
  static let arrows = """
    select a.name as source, b.name as target, a.cat as c1, b.cat as c2 from flow
    join slice a on slice_out = a.id join slice b on slice_in = b.id order by source, target
    """

  static func export(
    _ trace: Trace, _ options: TimelineOptions = TimelineOptions()
  ) throws -> ([UInt8], TimelineCounts) {
    var bytes: [UInt8] = []
    let counts = try ChromeTraceExporter(trace, options: options).write { bytes += Array($0) }
    return (bytes, counts)
  }

  /// Exports and loads a trace, and checks that nothing was dropped and each slice and arrow is there.
  @discardableResult
  func check(
    _ trace: Trace, _ options: TimelineOptions = TimelineOptions(), _ query: String = "select 1"
  )
    throws -> [[String: PerfettoEngine.Cell]]
  {
    let (bytes, counts) = try Self.export(trace, options)
    let answer = try PerfettoEngine.load(
      bytes,
      "select count(*) as n from slice where category in "
        + "('operation', 'start', 'wait', 'block', 'span', 'thread wait', 'loss')",
      "select count(*) as n from flow", "select count(*) as n from counter",
      "select count(*) as n from slice where dur < 0 or ts < 0",
      "select count(*) as n from slice where category in ('mark', 'finding')",
      "select count(*) as n from flow join slice a on slice_out = a.id join slice b on slice_in = b.id "
        + "where a.category = 'operation' and b.category = 'operation'",
      query)
    #expect(answer.error == nil)
    #expect(answer.problems.map(\.name) == [])
    func number(_ index: Int) -> Int? { answer.results[index].first?["n"]?.integer }
    #expect(number(0) == counts.slices)
    #expect(number(1) == counts.arrows)
    #expect(number(2) == counts.counterValues)
    #expect(number(3) == 0)
    #expect(number(4) == counts.instants)
    #expect(number(5) == counts.arrows, "every arrow binds to executions")
    return answer.results[6]
  }

  func bindings(_ trace: Trace) throws -> [String] {
    try check(trace, TimelineOptions(), Self.arrows.replacing("a.cat as c1, b.cat as c2", with: "1 as one")).map {
      "\($0["source"]?.text ?? "?")>\($0["target"]?.text ?? "?")"
    }
  }

  @Test("slices back to back on one thread keep their own arrows")
  func backToBack() throws {
    var fixture = HandmadeTrace("fixture", unit: .nanoseconds)
    let queue = fixture.queue("serial", limit: 1)
    let a = fixture.operation("a", on: queue, began: 1_000, ended: 2_000)
    let b = fixture.operation("b", on: queue, after: [a], began: 2_000, ended: 3_000)
    fixture.operation("c", on: queue, after: [a, b], began: 3_000, ended: 4_000)
    #expect(try bindings(fixture.trace) == ["a>b", "a>c", "b>c"])
  }

  @Test("slices of zero and one nanosecond are kept, with their arrows")
  func tiny() throws {
    var fixture = HandmadeTrace("fixture", unit: .nanoseconds)
    let queue = fixture.queue("tiny", limit: 1)
    var last = fixture.operation("s", on: queue, began: 10, ended: 20)
    for (name, begin, end) in [
      ("zero1", 20, 20), ("zero2", 20, 20), ("one", 20, 21), ("next", 21, 22), ("end", 22, 900),
    ] {
      last = fixture.operation(name, on: queue, after: [last], began: Int64(begin), ended: Int64(end))
    }
    #expect(
      try bindings(fixture.trace) == ["next>end", "one>next", "s>zero1", "zero1>zero2", "zero2>one"])
  }

  @Test("blocks, spans and waits inside an operation do not take its arrows")
  func children() throws {
    var fixture = HandmadeTrace("fixture", unit: .nanoseconds)
    let queue = fixture.queue("blocks", limit: 2)
    let a = fixture.operation("a", on: queue, thread: 2, began: 100, ended: 1_000)
    let b = fixture.operation("b", on: queue, thread: 2, after: [a], began: 1_000, ended: 2_000)
    fixture.operation("c", on: queue, thread: 3, after: [a, b], began: 2_000, ended: 3_000)
    let two = ThreadID(2)
    fixture[a].blocks = [
      BlockExecution(index: 0, thread: two, began: 100, ended: 500),
      BlockExecution(index: 1, thread: two, began: 500, ended: 1_000),
      BlockExecution(index: 2, thread: ThreadID(3), began: 100, ended: 999),
    ]
    fixture.trace.spans = [
      SpanRecord(name: "outer", operation: b, began: Stamp(1_000, two), ended: Stamp(2_000, two)),
      SpanRecord(name: "inner", operation: b, began: Stamp(1_000, two), ended: Stamp(1_999, two)),
      // Ends on another thread, and overlaps partly.
      SpanRecord(name: "crossing", operation: b, began: Stamp(1_500, two), ended: Stamp(2_500, ThreadID(3))),
      SpanRecord(name: "open", operation: nil, began: Stamp(2_900, two)),
    ]
    fixture.trace.waits = [
      WaitRecord(target: .operation(a), thread: ThreadID(1), inside: nil, began: 0, ended: 1_000),
      WaitRecord(target: .queue(queue), thread: ThreadID(1), inside: nil, began: 1_000),
    ]
    fixture.trace.marks = [MarkRecord(name: "mark", operation: b, at: Stamp(1_990, two))]
    #expect(try bindings(fixture.trace) == ["a>b", "a>c", "b>c"])
    let nested = try check(
      fixture.trace, TimelineOptions(),
      "select s.name as child, p.name as parent from slice s join slice p on s.parent_id = p.id")
    #expect(nested.map { [$0["child"]?.text, $0["parent"]?.text] } == [["inner", "outer"]])
  }

  @Test("spans of tests contain no other slices, and operations name their test")
  func tests() throws {
    var fixture = HandmadeTrace("fixture", unit: .nanoseconds)
    let queue = fixture.queue("work", limit: 2)
    let a = fixture.operation("a", on: queue, thread: 2, began: 100, ended: 1_000)
    let one = ThreadID(1)
    fixture.trace.spans = [
      SpanRecord(id: SpanID(1), name: "long", operation: nil, began: Stamp(0, one), ended: Stamp(3_000, ThreadID(2))),
      SpanRecord(id: SpanID(2), name: "short", operation: nil, began: Stamp(100, one), ended: Stamp(2_000, one)),
    ]
    fixture.trace.waits = [
      WaitRecord(target: .operation(a), thread: one, inside: nil, began: 200, ended: 1_000)
    ]
    let nesting = "select s.name as child, p.name as parent from slice s join slice p on s.parent_id = p.id"
    #expect(try check(fixture.trace, TimelineOptions(), nesting).count == 2, "as spans of no test do")
    fixture.trace.within = [a: SpanID(2)]
    #expect(try check(fixture.trace, TimelineOptions(), nesting).isEmpty)
    let within = try check(
      fixture.trace, TimelineOptions(),
      "select s.name as name, a.string_value as test from slice s join args a using (arg_set_id) where a.key = 'args.within'"
    )
    #expect(within.map { [$0["name"]?.text, $0["test"]?.text] } == [["a", "short"]])
  }

  @Test("attributes of a span are arguments of its slice")
  func attributes() throws {
    var fixture = HandmadeTrace("fixture", unit: .nanoseconds)
    let one = ThreadID(1)
    fixture.trace.spans = [
      SpanRecord(id: SpanID(1), name: "serve", operation: nil, began: Stamp(0, one), ended: Stamp(3_000, one)),
      SpanRecord(id: SpanID(2), name: "query", operation: nil, began: Stamp(100, one), ended: Stamp(2_000, one)),
    ]
    fixture.trace.spans[1].parent = SpanID(1)
    fixture.trace.spans[1].attributes = [.init(key: "db.system", value: "sqlite")]
    fixture.trace.spans[1].status = .init(code: .error, message: "locked")
    let found = try check(
      fixture.trace, TimelineOptions(),
      "select a.key as key, a.string_value as value from slice s join args a using (arg_set_id) where s.name = 'query' order by a.key"
    )
    #expect(
      found.map { [$0["key"]?.text, $0["value"]?.text] } == [
        ["args.attributes.db_system", "sqlite"], ["args.error", "locked"], ["args.parent", "serve"],
      ])
  }

  @Test("waits for semaphores, groups and dispatch queues are slices that name who signalled")
  func objects() throws {
    var fixture = HandmadeTrace("fixture", unit: .nanoseconds)
    let queue = fixture.queue("work", limit: 2)
    let load = fixture.operation("load", on: queue, thread: 2, began: 1_000, ended: 9_000)
    let store = fixture.operation("store", on: queue, thread: 3, began: 1_000)
    fixture.trace.end = 20_000
    fixture.trace.objects = [
      ObjectRecord(id: ObjectID(1), kind: .semaphore, address: 0x7f_0010),
      ObjectRecord(id: ObjectID(2), kind: .queue, address: 0x7f_0040, name: "com.example.\"db\""),
      ObjectRecord(id: ObjectID(3), kind: nil, address: 0x7f_0050),
    ]
    func wait(_ object: UInt32, _ thread: UInt32, _ inside: OperationID, _ began: Int64, _ ended: Int64?) -> WaitRecord
    {
      WaitRecord(
        target: .object(ObjectID(object)), thread: ThreadID(thread), inside: inside, began: began, ended: ended)
    }
    fixture.trace.waits = [
      wait(1, 2, load, 2_000, 4_000), wait(2, 3, store, 3_000, nil), wait(3, 2, load, 5_000, 6_000),
      // Inside a block that a dispatch queue runs on the waiting thread.
      wait(1, 3, store, 7_000, 8_000),
    ]
    fixture.trace.waits[0].endSignal = .init(time: 3_900, thread: ThreadID(3), operation: store)
    fixture.trace.waits[0].lastSignal = .init(time: 1_500, thread: nil, operation: nil)
    fixture.trace.waits[1].lastSignal = .init(time: 2_500, thread: ThreadID(1), operation: nil)
    let rows = try check(
      fixture.trace, TimelineOptions(),
      """
      select s.name as name, s.ts as ts, s.dur as dur, p.name as parent,
        (select group_concat(line, ', ') from (select replace(key, 'args.', '') || '=' || coalesce(string_value, int_value,
          real_value, '') as line from args a where a.arg_set_id = s.arg_set_id order by key)) as arguments
      from slice s left join slice p on s.parent_id = p.id where s.category = 'thread wait' order by s.ts
      """)
    #expect(
      rows.map { "\($0["name"]?.text ?? "") \($0["ts"]?.integer ?? -1)+\($0["dur"]?.integer ?? -1)" } == [
        "waits for semaphore 1 2000+2000", "waits for dispatch queue com.example.\"db\" 3000+17000",
        "waits for object 3 5000+1000", "waits for semaphore 1 7000+1000",
      ])
    #expect(rows.map { $0["parent"]?.text } == [nil, nil, nil, "waits for dispatch queue com.example.\"db\""])
    #expect(
      rows.map { $0["arguments"]?.text } == [
        "ended by=store #2, ended by a signal at (us)=3.9, last signalled at (us)=1.5, "
          + "object=0x7f0010, operation=1",
        "last signalled at (us)=2.5, last signalled by=main thread · 900001, object=0x7f0040, operation=2, unfinished=1",
        "object=0x7f0050, operation=1", "object=0x7f0010, operation=2",
      ])
  }

  @Test("asynchronous executions leave their thread and never overlap in a lane")
  func asynchronous() throws {
    var fixture = HandmadeTrace("fixture", unit: .nanoseconds)
    let queue = fixture.queue("network", limit: -1)
    let first = fixture.operation("first", on: queue, thread: 2, began: 0, ended: 5_000, isAsynchronous: true)
    let second = fixture.operation("second", on: queue, thread: 2, began: 100, ended: 4_000, isAsynchronous: true)
    fixture.operation("third", on: queue, thread: 2, after: [first, second], began: 5_000, ended: 6_000)
    fixture.operation("by hand", thread: 1, enqueued: nil, began: 10, ended: 7_000, isAsynchronous: true)
    #expect(try bindings(fixture.trace) == ["first>third", "second>third"])
    let tracks = try check(
      fixture.trace, TimelineOptions(),
      """
      select s.name as name, t.name as track, p.name as grp from slice s join thread_track k on s.track_id = k.id
      join thread t using (utid) join process p using (upid) where s.category = 'operation' order by s.ts
      """)
    #expect(
      tracks.map { "\($0["name"]?.text ?? ""): \($0["grp"]?.text ?? "") / \($0["track"]?.text ?? "")" } == [
        "first: queue network / running", "by hand: no queue / running", "second: queue network / running",
        "third: fixture (pid 4194304) / thread 2 · 900002",
      ])
  }

  @Test("work in start() is a slice of its thread, with the summary's duration")
  func workInStart() throws {
    var fixture = HandmadeTrace("fixture", unit: .nanoseconds)
    let queue = fixture.queue("network", limit: -1)
    let id = fixture.operation("load", on: queue, thread: 2, began: 1_000, ended: 9_000, isAsynchronous: true)
    let index = try #require(fixture.trace.index(of: id))
    fixture.trace.operations[index].executionEnded = nil
    fixture.trace.operations[index].startReturned = Stamp(4_000, ThreadID(2))
    let slices = try check(
      fixture.trace, TimelineOptions(),
      """
      select s.name as name, s.dur as n, t.name as track from slice s join thread_track k on s.track_id = k.id
      join thread t using (utid) where s.category = 'start'
      """)
    #expect(
      slices.map { "\($0["name"]?.text ?? "") \($0["n"]?.integer ?? 0) \($0["track"]?.text ?? "")" } == [
        "load · start() 3000 thread 2 · 900002"
      ])
    #expect(Summary(of: fixture.trace).threads.first { $0.id == ThreadID(2) }?.busy == 3_000)
  }

  @Test("an unfinished slice reaches to the trace's end and says so")
  func unfinished() throws {
    var fixture = HandmadeTrace("fixture", unit: .nanoseconds)
    let queue = fixture.queue("stuck", limit: 1)
    let runs = fixture.operation("runs", on: queue, began: 1_000)
    fixture.operation("waits", on: queue, after: [runs], enqueued: 500, began: nil)
    fixture.operation("ready", on: queue, enqueued: 500, ready: 600, began: nil)
    fixture.operation("last", on: nil, thread: 3, enqueued: nil, began: 2_000, ended: 9_000)
    let open = try check(
      fixture.trace, TimelineOptions(),
      """
      select name, ts + dur as over, category as cat from slice
      join args using (arg_set_id) where args.key = 'args.unfinished' order by name
      """)
    #expect(open.map { $0["name"]?.text } == ["ready", "runs", "waits"])
    #expect(open.allSatisfy { $0["over"]?.integer == 9_000 })
  }

  @Test("counters have executing, ready and limit at every change")
  func counters() throws {
    var fixture = HandmadeTrace("fixture", unit: .nanoseconds)
    let queue = fixture.queue("two", limit: 2)
    fixture.operation("a", on: queue, thread: 2, enqueued: 0, ready: 0, began: 100, ended: 300)
    fixture.operation("b", on: queue, thread: 3, enqueued: 0, ready: 0, began: 100, ended: 400)
    fixture.operation("c", on: queue, thread: 2, enqueued: 0, ready: 50, began: 300, ended: 500)
    fixture.trace.queues[0].changes = [.init(time: 350, thread: ThreadID(1), kind: .limit(1))]
    let values = try check(
      fixture.trace, TimelineOptions(),
      """
      select t.name as name, group_concat(c.ts || '=' || cast(c.value as int), ' ') as line
      from counter c join process_counter_track t on c.track_id = t.id group by t.name order by t.name
      """)
    #expect(
      values.map { "\($0["name"]?.text ?? ""): \($0["line"]?.text ?? "")" } == [
        "executing operations: 100=2 300=2 400=1 500=0", "limit slots: 0=2 350=1 500=1",
        "ready operations: 0=2 50=3 100=1 300=0",
      ])
  }

  @Test("two queues of the same name stay separate")
  func sameName() throws {
    var fixture = HandmadeTrace("fixture", unit: .nanoseconds)
    let one = fixture.queue("twin", limit: 1)
    let two = fixture.queue("twin", limit: 1)
    fixture.operation("a", on: one, began: 10, ended: 20)
    fixture.operation("b", on: two, thread: 3, began: 15, ended: 30)
    let tracks = try check(
      fixture.trace, TimelineOptions(),
      "select count(*) as n from process_counter_track where name = 'executing operations'")
    #expect(tracks.first?["n"]?.integer == 2)
  }

  @Test("hostile names arrive unchanged, except characters that no viewer shows")
  func names() throws {
    var fixture = HandmadeTrace("</title>\u{0}\n", unit: .nanoseconds)
    let queue = fixture.queue("q\"\\\u{1B}[31m", limit: 1)
    let hostile = "</title><script>\"\n" + String(decoding: [0x61, 0xFF, 0xC3, 0x28] as [UInt8], as: UTF8.self)
    let names = [hostile, "", "\u{85}\u{7F}", "日本語 👩‍👩‍👧 e\u{301}", "a/b", String(repeating: "長", count: 50_000), "C:\\"]
    var after: [OperationID] = []
    for (index, name) in names.enumerated() {
      let time = Int64(index) * 1_000
      after = [fixture.operation(name, on: queue, after: after, began: time, ended: time + 1_000)]
    }
    let seen = try check(
      fixture.trace, TimelineOptions(), "select name from slice where category = 'operation' order by ts")
    #expect(
      seen.map { $0["name"]?.text ?? "" } == [
        "</title><script>\"\u{FFFD}a\u{FFFD}\u{FFFD}(", "Step", "\u{FFFD}\u{FFFD}", names[3], "a/b", names[5],
        // This engine shows escapes like this, and would reject the file without them.
        "C:\\u005c",
      ])
  }

  @Test("times before the recorder's start move the origin, not the slices' lengths")
  func beforeTheStart() throws {
    var fixture = HandmadeTrace("fixture", unit: .nanoseconds)
    let queue = fixture.queue("early", limit: 1)
    let a = fixture.operation("a", on: queue, enqueued: -5_000, began: -4_000, ended: 1_000)
    fixture.operation("b", on: queue, after: [a], enqueued: -5_000, began: 1_000, ended: 2_000)
    let seen = try check(
      fixture.trace, TimelineOptions(), "select ts, dur from slice where category = 'operation' order by ts")
    #expect(seen.map { [$0["ts"]?.integer, $0["dur"]?.integer] } == [[1_000, 5_000], [6_000, 1_000]])
  }

  @Test("a queue created before the start, with impossible limits, can be exported")
  func oddQueue() throws {
    var fixture = HandmadeTrace("fixture", unit: .nanoseconds)
    let queue = fixture.queue("early", limit: .max)
    fixture.trace.queues[0].created = -9_000
    fixture.trace.queues[0].changes = [Int.min, .max, -1, .min, 0].enumerated().map {
      .init(time: Int64($0) * 10, thread: ThreadID(1), kind: .limit($1))
    }
    fixture.operation("a", on: queue, enqueued: -5_000, began: -4_000, ended: 1_000)
    try check(fixture.trace)
  }

  @Test("dependencies have arrows only if they delayed an operation and lead forward in time")
  func oddDependencies() throws {
    var fixture = HandmadeTrace("fixture", unit: .nanoseconds)
    let queue = fixture.queue("odd", limit: 4)
    let slow = fixture.operation("slow", on: queue, thread: 2, began: 100, ended: 900)
    let removed = fixture.operation("removed", on: queue, thread: 3, after: [slow], began: 200, ended: 300)
    fixture[removed].dependencies[0].removed = 150
    fixture.operation("late", on: queue, thread: 3, after: [slow], began: 400, ended: 600)
    fixture.operation("backward", on: queue, thread: 3, after: [slow], began: 10, ended: 50)
    let never = fixture.operation("never", on: queue, began: nil)
    fixture.operation("unknown", on: queue, thread: 3, after: [never, OperationID(999)], began: 950, ended: 960)
    #expect(try bindings(fixture.trace) == ["slow>late"])
    #expect(try Self.export(fixture.trace).1.backwardDependencies == 1)
  }

  @Test("an operation that was cancelled before it ran has a slice at its start, with its arrow")
  func cancelled() throws {
    var fixture = HandmadeTrace("fixture", unit: .nanoseconds)
    let queue = fixture.queue("q", limit: 4)
    let first = fixture.operation("first", on: queue, thread: 2, began: 100, ended: 900)
    let second = fixture.operation("second", on: queue, thread: 3, after: [first], began: 1_000, ended: 1_002)
    fixture[second].executionBegan = nil
    fixture[second].executionEnded = nil
    fixture[second].cancelRequested = Stamp(900, ThreadID(1))
    #expect(fixture[second].state == .cancelled)
    #expect(try bindings(fixture.trace) == ["first>second"])
  }

  static func sampleTrace() throws -> Trace {
    let traces = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("traces")
    return try TraceReader.read(path: traces.appendingPathComponent("photo-import.optrace").path)
  }

  @Test("the sample import has a slice for each operation and an arrow for each dependency")
  func sample() throws {
    let trace = try Self.sampleTrace()
    let counts = try Self.export(trace).1
    #expect(counts.executions == trace.operations.count)
    #expect(try bindings(trace).count == trace.operations.reduce(0) { $0 + $1.dependencies.count })
  }

  @Test("waits that have no lane are counted in the result and in the file")
  func manyWaits() throws {
    var fixture = HandmadeTrace("fixture", unit: .nanoseconds)
    let queue = fixture.queue("serial", limit: 1)
    for index in 0..<200 {
      fixture.operation(
        "op", on: queue, enqueued: 0, ready: 0, began: 1_000 + Int64(index) * 10, ended: 1_010 + Int64(index) * 10)
    }
    var options = TimelineOptions()
    options.waitLanes = 7
    try check(fixture.trace, options)
    let counts = try Self.export(fixture.trace, options).1
    #expect(counts.waits == 7)
    #expect(counts.waitsWithoutLane == 193)
  }

  @Test("nested operations and impossible overlaps on one thread lose nothing")
  func overlaps() throws {
    var fixture = HandmadeTrace("fixture", unit: .nanoseconds)
    let outer = fixture.operation("outer", enqueued: nil, began: 0, ended: 1_000)
    let inner = fixture.operation("inner", enqueued: nil, began: 100, ended: 400)
    fixture.operation("skewed", after: [inner], enqueued: nil, began: 300, ended: 1_200)
    fixture.operation("after", after: [outer, inner], enqueued: nil, began: 1_300, ended: 1_400)
    #expect(try bindings(fixture.trace) == ["inner>after", "inner>skewed", "outer>after"])
  }

  @Test("an empty trace is a file that loads")
  func empty() throws {
    try check(Trace(header: TraceHeader()))
  }

  @Test("losses are slices on the thread that lost them")
  func loss() throws {
    var fixture = HandmadeTrace("fixture", unit: .nanoseconds)
    fixture.operation("a", began: 100, ended: 200)
    fixture.trace.loss.lost = [.sizeLimit: 12]
    fixture.trace.loss.gaps = [.init(thread: ThreadID(2), from: 150, to: 190, count: 12, reason: .sizeLimit)]
    let seen = try check(fixture.trace, TimelineOptions(), "select name from slice where category = 'loss'")
    #expect(seen.map { $0["name"]?.text } == ["12 records lost"])
  }

  @Test("a broken file gives an error")
  func broken() throws {
    let overlapping = """
      [{"ph":"X","pid":1,"tid":1,"ts":0,"dur":10,"name":"a"},{"ph":"X","pid":1,"tid":1,"ts":5,"dur":10,"name":"b"}]
      """
    let answer = try PerfettoEngine.load(Array(overlapping.utf8))
    #expect(answer.problems.map(\.name) == ["slice_drop_overlapping_complete_event"])
    #expect(try PerfettoEngine.load(Array("{\"traceEvents\":[".utf8)).error != nil)
  }

  @Test("a random trace of thousands of operations is complete in the engine", arguments: [1, 2, 3])
  func random(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    var fixture = HandmadeTrace("fixture", unit: .nanoseconds)
    let queues = [fixture.queue("a", limit: 3), fixture.queue("b", limit: -1), fixture.queue("c", limit: 1)]
    var ids: [OperationID] = []
    for index in 0..<2_000 {
      let enqueued = Int64(index) * 7
      let begin = enqueued + Int64.random(in: 0...50, using: &random)
      let end: Int64? =
        index > 1_950 && Bool.random(using: &random) ? nil : begin + Int64.random(in: 0...9, using: &random)
      let after = (0..<Int.random(in: 0...3, using: &random)).compactMap { _ in
        ids.suffix(40).randomElement(using: &random)
      }
      ids.append(
        fixture.operation(
          "op \(index)", on: queues.randomElement(using: &random), thread: UInt32.random(in: 1...3, using: &random),
          after: Array(Set(after)).sorted(), enqueued: enqueued,
          ready: Int64.random(in: enqueued...begin, using: &random), began: begin, ended: end,
          isAsynchronous: Int.random(in: 0..<4, using: &random) == 0))
    }
    try check(fixture.trace)
  }

  @Test("findings are instants at their last evidence, with their explanation")
  func findings() throws {
    var fixture = HandmadeTrace("fixture", unit: .nanoseconds)
    let queue = fixture.queue("network", limit: 2)
    fixture.operation("a", on: queue, after: [OperationID(2)], enqueued: 1_000, began: nil)
    fixture.operation("b", on: queue, after: [OperationID(1)], enqueued: 3_000, began: nil)
    fixture.trace.end = 9_000
    let rows = try check(
      fixture.trace, TimelineOptions(),
      "select s.name as name, s.ts as ts, extract_arg(s.arg_set_id, 'args.code') as code, "
        + "extract_arg(s.arg_set_id, 'args.operations') as operations, "
        + "extract_arg(s.arg_set_id, 'args.explanation') as explanation from slice s where category = 'finding'")
    #expect(rows.count == 1)
    #expect(rows.first?["name"]?.text == "error: 2 operations depend on each other in a cycle")
    #expect(rows.first?["ts"]?.integer == 3_000)
    #expect(rows.first?["code"]?.text == "dependency-cycle")
    #expect(rows.first?["operations"]?.text == "#1, #2")
    #expect(rows.first?["explanation"]?.text?.hasPrefix("An operation starts when all its dependencies") == true)
  }
}
