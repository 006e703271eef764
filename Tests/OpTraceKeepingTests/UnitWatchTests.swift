import OpTraceAnalysis
import TestSupport
import Testing

@testable import OpTraceKeeping
@testable import OpTraceModel

/// Units are followed by signs alone, and are those that the analysis finds.
@Suite("Units of work, followed while they end") struct UnitWatchTests {
  private static let second = 1_000_000

  /// Times are in microseconds.
  private func service(_ seed: UInt64, seconds: Int = 20) -> (make: ServiceTrace, end: Int) {
    var random = SeededGenerator(seed)
    var make = ServiceTrace()
    let connections = (0..<3).map { make.connection(10 + $0, thread: 2 + $0) }
    var time = 100
    while time < seconds * Self.second {
      let thread = 2 + random.number(0..<3)
      let route = [["price()"], ["stock()", "lease()"]].randomElement(using: &random) ?? []
      make.round(time, connections[thread - 2], route, waited: random.number(1..<40_000), thread: thread)
      time += 40_100
      guard random.number(0..<4) == 0 else { continue }
      let id = make.task(time, "sweep()", thread: thread)
      make.run(time + 10, id, thread: thread)
      make.end(time + random.number(100..<6000), id, thread: thread)
      time += 7000
    }
    return (make, time)
  }

  /// The signs of a trace, read from a file in two looks.
  private func signs(_ make: ServiceTrace, end: Int) throws -> [WorkSign] {
    let folder = try Scratch()
    let events = try TraceText.parse(make.text(end: end))
    let path = try folder.write("run.optrace", TraceWriter.bytes(events))
    var reader = try WorkSignReader(path: path)
    let first = reader.look().signs
    return first + reader.look().signs
  }

  private func shapes(_ trace: Trace) -> (Requests, [UInt32: UnitWatch.Shape]) {
    let requests = Requests(of: trace)
    var shapes: [UInt32: UnitWatch.Shape] = [:]
    for (task, shape) in zip(trace.tasks, requests.shapes) {
      if let code = task.code {
        shapes[code.rawValue] = .init(idle: Set(shape.idle.map(\.rawValue)), handsOn: shape.handsOn)
      }
    }
    return (requests, shapes)
  }

  @Test("once it is known where tasks idle, the units are those of the analysis", arguments: 0..<10 as Range<UInt64>)
  func same(seed: UInt64) throws {
    let (make, end) = service(seed)
    try expectSame(make, end)
  }

  @Test("where tasks idle at two lines, the units are those of the analysis, too") func twoLines() throws {
    var make = ServiceTrace()
    for connection in 0..<12 {
      var time = 1000 + connection * 50
      let id = make.task(time, "serve()")
      // Behind a request with a body it idles at another line.
      for _ in 0..<6 {
        for (stack, waited) in [
          (["serve()", "nio.so!iterator()", "nio.so!next()"], 20_000), (["serve()", "post()"], 5000),
          (["serve()", "nio.so!next()"], 20_000), (["serve()", "get()"], 3000),
        ] {
          make.run(time + 10, id)
          make.suspend(time + 20, id, at: stack)
          time += waited
          make.resume(time, id)
        }
      }
      make.run(time + 10, id)
      make.suspend(time + 20, id, at: ["serve()", "nio.so!iterator()", "nio.so!next()"])
    }
    try expectSame(make, 1_000_000)
  }

  private func expectSame(_ make: ServiceTrace, _ end: Int) throws {
    let (requests, shapes) = shapes(try make.built(end: end))
    var watch = UnitWatch()
    watch.learn(shapes)
    for sign in try signs(make, end: end) { watch.take(sign) }
    let found = watch.takeUnits()
    let expected = requests.units.map { [$0.began, $0.ended] }.sorted { $0.lexicographicallyPrecedes($1) }
    // Times are converted a little differently: exact to a microsecond.
    func rounded(_ times: [Nanoseconds]) -> [Nanoseconds] { times.map { ($0 + 500) / 1000 } }
    let own = found.map { [$0.began, $0.ended] }.sorted { $0.lexicographicallyPrecedes($1) }
    #expect(!expected.isEmpty && own.map(rounded) == expected.map(rounded))
    #expect(watch.takeUnits().isEmpty)
  }

  @Test("a lesson is asked for when tasks are suspended often, and not again soon") func lessons() throws {
    let (make, end) = service(1)
    var watch = UnitWatch()
    #expect(!watch.needsLesson)
    for sign in try signs(make, end: end) { watch.take(sign) }
    #expect(watch.needsLesson)
    watch.learn([:])
    #expect(!watch.needsLesson)
  }

  @Test("operations and blocks that no other work submitted are units; delays and sync are none") func others() throws {
    var watch = UnitWatch()
    var time: Nanoseconds = 0
    func take(
      _ kind: WorkSign.Kind, _ subject: UInt32, thread: UInt32 = 1, other: UInt32 = 0, way: UInt8 = 0
    ) {
      time += 10
      watch.take(WorkSign(time: time, thread: thread, kind: kind, subject: subject, other: other, way: way))
    }
    take(.operationCreated, 1)
    take(.operationEnqueued, 1)
    take(.operationBegan, 1, thread: 2)
    // It adds another one.
    take(.operationCreated, 2, thread: 2)
    take(.operationEnqueued, 2, thread: 2)
    take(.operationEnded, 1, thread: 2)
    take(.operationFinished, 1, thread: 2)
    take(.operationBegan, 2, thread: 2)
    take(.operationFinished, 2, thread: 2)
    #expect(watch.takeUnits() == [.init(group: .operations(0), began: 20, ended: 70)])
    take(.blockSubmitted, 3)
    take(.blockSubmitted, 4, way: 4)
    take(.blockSubmitted, 5, way: 2)
    take(.blockSubmitted, 6, other: 3)
    for block in 3...6 as ClosedRange<UInt32> {
      take(.blockBegan, block, thread: 3)
      take(.blockEnded, block, thread: 3)
    }
    #expect(
      watch.takeUnits() == [
        .init(group: .blocks(0), began: 100, ended: 150), .init(group: .blocks(0), began: 180, ended: 190),
      ])
    #expect(watch.lastMove == 210 && watch.longestBusy == nil)
  }

  @Test("outer spans of a tracer are units") func spans() {
    var watch = UnitWatch()
    for (time, kind, subject, other) in [
      (1, .spanBegan, 1, 0), (2, .spanContext, 1, 0), (3, .spanBegan, 2, 0), (4, .spanContext, 2, 1),
      (5, .spanEnded, 2, 0), (6, .spanEnded, 1, 0), (7, .spanBegan, 3, 0), (8, .spanEnded, 3, 0),
    ] as [(Nanoseconds, WorkSign.Kind, UInt32, UInt32)] {
      watch.take(WorkSign(time: time, thread: 1, kind: kind, subject: subject, other: other))
    }
    #expect(watch.takeUnits() == [.init(group: .spans(0), began: 1, ended: 6)])
  }

  @Test("p99 may be over its limit only where one in a hundred may be") func share() {
    var share = SlowShare(limit: 100)
    func unit(_ second: Int, _ length: Nanoseconds, _ code: UInt32 = 1) {
      let end = Nanoseconds(second) * 1_000_000_000
      share.take(.init(group: .rounds(code), began: end - length, ended: end))
    }
    for _ in 0..<9 { unit(1, 200) }
    // Too few units have no p99.
    let answer1 = share.maybe(1_500_000_000)
    #expect(!answer1)
    unit(2, 50)
    let answer2 = share.maybe(2_000_000_000)
    #expect(answer2)
    // All kinds had 500 of 1000 units at least: five slow ones are needed of 1000.
    share.learn(smallest: 500, of: 1000)
    for _ in 0..<990 { unit(3, 50, 2) }
    for _ in 0..<4 { unit(3, 200, 2) }
    let answer3 = share.maybe(3_000_000_000)
    #expect(answer3)
    // Ten seconds later all of this has left the window.
    let answer4 = share.maybe(14_000_000_000)
    #expect(!answer4)
    for _ in 0..<995 { unit(14, 50) }
    for _ in 0..<4 { unit(14, 200) }
    let answer5 = share.maybe(14_500_000_000)
    #expect(!answer5)
    unit(14, 200)
    let answer6 = share.maybe(14_500_000_000)
    #expect(answer6)
  }

  @Test("random events do not trap") func anything() throws {
    var random = SeededGenerator(7)
    for _ in 0..<30 {
      let folder = try Scratch()
      let events = RandomTraces.anything(&random, count: 300)
      let path = try folder.write("run.optrace", TraceWriter.bytes(events))
      var reader = try WorkSignReader(path: path)
      var watch = UnitWatch()
      for _ in 0..<3 { for sign in reader.look().signs { watch.take(sign) } }
      watch.missed()
      _ = watch.takeUnits()
    }
  }
}
