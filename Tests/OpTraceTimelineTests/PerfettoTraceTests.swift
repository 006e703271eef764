import Foundation
import OpTraceAnalysis
import OpTraceFormat
import OpTraceModel
import TestSupport
import Testing

@testable import OpTraceTimeline

/// Perfetto's trace processor reads the same from our protobuf as from the JSON.
@Suite("Protobuf in Perfetto", .enabled(if: PerfettoEngine.isWanted), .ownThread)
struct PerfettoTraceTests {
  private typealias Case = FormatComparison.Case

  private static let traces = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("traces")

  @Test("every sample is the same in both formats")
  func samples() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.traces.path).filter {
      $0.hasSuffix(".optrace")
    }
    #expect(names.count >= 18)
    var bare = TimelineOptions()
    bare.includesArguments = false
    try FormatComparison.expectSame(
      try names.sorted().map { name in
        Case(name: name, trace: try TraceReader.read(path: Self.traces.appendingPathComponent(name).path))
      } + [Case(name: "no arguments", trace: try ChromeTraceTests.sampleTrace(), options: bare)])
  }

  @Test("every selection is the same in both formats")
  func selections() throws {
    let trace = try ChromeTraceTests.sampleTrace()
    let middle = trace.end / 2
    let changes: [(inout TimelineOptions) -> Void] = [
      { $0.selection.from = middle }, { $0.selection.to = middle },
      { $0.selection.queues = [.queue(trace.queues[0].id)] },
      { $0.selection.classes = [trace.operations[0].className] }, { $0.selection.minimumDuration = trace.end / 50 },
      { $0.selection.select(around: [trace.operations[5].id], in: trace) }, { $0.waitLanes = 0 }, { $0.waitLanes = 1 },
    ]
    try FormatComparison.expectSame(
      changes.enumerated().map { index, change in
        var one = Case(name: "choice \(index)", trace: trace)
        change(&one.options)
        return one
      })
  }

  @Test("zero lengths, late arrows and times before the start are the same in both formats")
  func oddities() throws {
    var odd = HandmadeTrace("fixture", unit: .nanoseconds)
    let queue = odd.queue("odd", limit: 1)
    odd.trace.queues[0].created = -9_000
    odd.trace.queues[0].changes = [
      .init(time: 10, thread: ThreadID(1), kind: .limit(-1)), .init(time: 20, thread: ThreadID(1), kind: .suspended),
      .init(time: 20, thread: ThreadID(1), kind: .limit(.max)), .init(time: 30, thread: ThreadID(1), kind: .resumed),
    ]
    var last = odd.operation("early", on: queue, enqueued: -5_000, began: -4_000, ended: 20)
    let times: [(String, Nanoseconds, Nanoseconds)] = [
      ("zero1", 20, 20), ("zero2", 20, 20), ("one", 20, 21), ("next", 21, 22), ("zero3", 22, 22), ("end", 22, 900),
    ]
    for (name, begin, end) in times {
      last = odd.operation(name, on: queue, after: [last], began: begin, ended: end)
    }
    let slow = odd.operation("slow", on: queue, thread: 2, began: 1_000, ended: 1_900)
    odd.operation("late", on: queue, thread: 3, after: [slow], began: 1_400, ended: 1_600)
    odd.operation("before", on: queue, thread: 3, after: [slow], began: 10, ended: 50)
    let open = odd.operation("never ends", on: queue, thread: 1, began: 2_000)
    odd.operation("never begins", on: queue, after: [open], enqueued: 2_000, began: nil)
    odd.operation("asynchronous", on: queue, thread: 2, began: 2_000, ended: 2_500, isAsynchronous: true)
    odd.operation("no queue", thread: 2, enqueued: nil, began: 2_100, ended: 2_600, isAsynchronous: true)
    odd[slow].blocks = [
      BlockExecution(index: 0, thread: ThreadID(2), began: 1_000, ended: 1_500),
      BlockExecution(index: 1, thread: ThreadID(2), began: 1_500, ended: 1_500),
      BlockExecution(index: 2, thread: ThreadID(2), began: 1_500, ended: 1_500),
      BlockExecution(index: 3, thread: ThreadID(2), began: 1_500, ended: 1_900),
    ]
    odd[slow].error = "failed"
    odd[slow].priority = -4
    odd[slow].isBarrier = true
    odd[slow].source = "App/Main.swift:7"
    odd[slow].cancelRequested = Stamp(1_200, ThreadID(1))
    odd.trace.spans = [
      SpanRecord(name: "", operation: slow, began: Stamp(1_000, ThreadID(2)), ended: Stamp(1_900, ThreadID(2))),
      SpanRecord(name: "open", operation: nil, began: Stamp(2_900, ThreadID(2))),
    ]
    odd.trace.spans[0].attributes = [
      .init(key: "http.route", value: "/orders"), .init(key: "", value: ""),
      .init(key: "a \"b\"\n\u{0}", value: "\u{85}\""),
      .init(key: "http.status_code", value: "200", type: .integer),
    ]
    odd.trace.spans[0].status = .init(code: .error, message: "no disk")
    odd.trace.spans[1].status = .init(code: .ok)
    odd.trace.spans[1].parent = odd.trace.spans[0].id
    odd.trace.spans[1].context = .init(traceID: "4bf92f3577b34da6a3ce929d0e0e4736", spanID: "00f067aa0ba902b7")
    odd.trace.objects = [ObjectRecord(id: ObjectID(1), kind: .semaphore, address: 0x7f_0010)]
    var wait = WaitRecord(target: .object(ObjectID(1)), thread: ThreadID(3), inside: slow, began: 1_100, ended: 1_200)
    wait.endSignal = .init(time: 1_150, thread: ThreadID(2), operation: slow)
    wait.lastSignal = .init(time: 1_050, thread: nil, operation: nil)
    odd.trace.waits = [wait, WaitRecord(target: .queue(queue), thread: ThreadID(1), inside: nil, began: 0)]
    odd.trace.marks = [MarkRecord(name: "mark", operation: slow, at: Stamp(-6_000, ThreadID(2)))]
    odd.trace.loss.lost = [.sizeLimit: 12]
    odd.trace.loss.gaps = [.init(thread: ThreadID(2), from: 150, to: 190, count: 12, reason: .sizeLimit)]
    odd.trace.end = 9_000

    var cycle = HandmadeTrace("fixture", unit: .nanoseconds)
    let network = cycle.queue("network", limit: 2)
    cycle.operation("a", on: network, after: [OperationID(2)], enqueued: 1_000, began: nil)
    cycle.operation("b", on: network, after: [OperationID(1)], enqueued: 3_000, began: nil)
    cycle.trace.end = 9_000
    var threads = HandmadeTrace("fixture", unit: .nanoseconds)
    for index in 0..<300 {
      let time = Nanoseconds(index)
      threads.operation("op", thread: UInt32(index + 1), enqueued: nil, began: time, ended: time + 1_000)
    }
    try FormatComparison.expectSame([
      Case(name: "odd", trace: odd.trace), Case(name: "a cycle", trace: cycle.trace),
      Case(name: "300 threads", trace: threads.trace), Case(name: "empty", trace: Trace(header: TraceHeader())),
      Case(name: "stuck import", trace: PhotoImport.stuck()),
    ])
  }

  @Test("hostile names are the same in both formats, in all places for names")
  func names() throws {
    let names = [
      "</title><script>\"\n", "\u{85}\u{7F}\u{0}", "日本語 👩‍👩‍👧 e\u{301}", "a/b", "%s %n", " ", "\u{202E}right",
      String(repeating: "長", count: 50_000), String(decoding: [0x61, 0xFF, 0xC3, 0x28] as [UInt8], as: UTF8.self),
    ]
    var fixture = HandmadeTrace(names[0], unit: .nanoseconds)
    fixture.trace.threads[1].name = names[1]
    var time: Nanoseconds = 0
    var after: [OperationID] = []
    for name in names {
      let queue = fixture.queue(name, limit: 1)
      // Use each name three times: it is written out first, numbered the second time, and then is only a number.
      for _ in 0..<3 {
        after = [fixture.operation(name, on: queue, after: after, began: time, ended: time + 900)]
        fixture[after[0]].className = name
        fixture[after[0]].error = name
        fixture.trace.spans.append(
          SpanRecord(
            name: name, operation: after[0], began: Stamp(time, ThreadID(2)), ended: Stamp(time + 800, ThreadID(2))))
        fixture.trace.marks.append(MarkRecord(name: name, operation: nil, at: Stamp(time, ThreadID(2))))
        time += 1_000
      }
    }
    fixture.operation("", on: nil, began: time, ended: time + 1)
    try FormatComparison.expectSame([Case(name: "names", trace: fixture.trace)])
  }

  /// The engine does not decode escapes of JSON; protobuf has none.
  @Test("a backslash in a name is kept")
  func backslash() throws {
    var fixture = HandmadeTrace("fixture", unit: .nanoseconds)
    for index in 0..<3 { fixture.operation("C:\\", began: Int64(index) * 10, ended: Int64(index) * 10 + 5) }
    let answer = try PerfettoEngine.load(
      try FormatComparison.protobuf(fixture.trace).0, ending: "pftrace",
      "select name from slice where category = 'operation'")
    #expect(answer.results.first?.compactMap { $0["name"]?.text } == ["C:\\", "C:\\", "C:\\"])
  }

  @Test("the engine knows the wall clock at the origin, even if events began before the start")
  func wallClock() throws {
    var fixture = HandmadeTrace("fixture", unit: .nanoseconds)
    fixture.operation("a", began: -4_000, ended: 1_000)
    let answer = try PerfettoEngine.load(
      try FormatComparison.protobuf(fixture.trace).0, ending: "pftrace",
      "select cast(clock_value as text) as value, ts from clock_snapshot where clock_name = 'REALTIME'")
    #expect(answer.results.first?.first?["value"]?.text == "1790000000123452789")
    #expect(answer.results.first?.first?["ts"]?.integer == 0)
  }

  @Test("a cut file loads up to the cut")
  func cut() throws {
    let (bytes, counts) = try FormatComparison.protobuf(try ChromeTraceTests.sampleTrace())
    let answers = try PerfettoEngine.load(
      [1, 2, 100, 1_001].map { (Array(bytes.dropLast($0)), "pftrace") }, ["select count(*) as n from slice"])
    for answer in answers {
      #expect(answer.error == nil)
      let count = answer.results.first?.first?["n"]?.integer ?? 0
      #expect(count > 0 && count <= counts.slices + counts.instants)
    }
  }

  /// `OPTRACE_TEST_SEED` repeats one.
  @Test("random traces are the same in both formats")
  func random() throws {
    let environment = ProcessInfo.processInfo.environment["OPTRACE_TEST_SEED"].flatMap { Int($0) }
    let seed = environment ?? Int.random(in: 0..<1_000_000)
    let cases = (0..<12).map { round in
      var random = SeededGenerator(seed + round)
      var one = Case(name: "seed \(seed + round)", trace: RandomTimelines.trace(&random))
      if random.chance(30) { one.options.selection.from = one.trace.end / 3 }
      if random.chance(30) { one.options.selection.minimumDuration = 3 }
      if random.chance(20) { one.options.waitLanes = random.number(0..<4) }
      return one
    }
    try FormatComparison.expectSame(cases)
  }
}

/// Traces in which times often coincide, so that many begins, ends and arrows are at the same time.
enum RandomTimelines {
  static func trace(_ random: inout SeededGenerator) -> Trace {
    var fixture = HandmadeTrace("fixture", unit: .nanoseconds)
    let queues = (0..<random.number(1..<4)).map { fixture.queue("queue \($0)", limit: random.number(0..<4) - 1) }
    let longest = random.chance(50) ? 4 : 40
    var ids: [OperationID] = []
    for index in 0..<random.number(0..<160) {
      let enqueued = Nanoseconds(index * random.number(0..<4) - 20)
      let begin = enqueued + Nanoseconds(random.number(0..<longest))
      let ready = enqueued + Nanoseconds(random.number(0..<max(1, Int(begin - enqueued))))
      let end: Nanoseconds? = random.chance(4) ? nil : begin + Nanoseconds(random.number(0..<longest))
      let after = (0..<random.number(0..<4)).compactMap { _ in ids.suffix(20).randomElement(using: &random) }
      let name = random.chance(50) ? "same" : "operation \(index)"
      let id = fixture.operation(
        name, on: random.chance(90) ? queues.randomElement(using: &random) : nil, thread: UInt32(random.number(1..<4)),
        after: Array(Set(after)).sorted(), enqueued: enqueued, ready: ready, began: random.chance(4) ? nil : begin,
        ended: end, isAsynchronous: random.chance(25))
      ids.append(id)
      if random.chance(10) { fixture[id].error = "error \(random.number(0..<3))" }
      if random.chance(20) {
        fixture.trace.spans.append(
          SpanRecord(
            name: "span", operation: id, began: Stamp(begin, ThreadID(2)),
            ended: random.chance(90) ? Stamp(begin + Nanoseconds(random.number(0..<longest)), ThreadID(2)) : nil))
      }
      if random.chance(5) {
        fixture.trace.marks.append(MarkRecord(name: "mark", operation: id, at: Stamp(begin, ThreadID(1))))
      }
    }
    // Sometimes the dependency was added after its end.
    for id in ids where random.chance(5) {
      guard let other = ids.randomElement(using: &random), other != id else { continue }
      if !fixture[id].dependencies.contains(where: { $0.on == other }) {
        fixture[id].dependencies.append(Dependency(on: other, added: 0))
      }
    }
    return fixture.trace
  }
}
