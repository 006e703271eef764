import OpTraceAnalysis
import OpTraceRequests
import TestSupport
import Testing

@testable import OpTraceLive
@testable import OpTraceModel

extension [any LiveSection] {
  fileprivate var services: LiveServices { lazy.compactMap { $0 as? LiveServices }.first ?? LiveServices() }
}

extension LiveState {
  fileprivate func services(_ now: Nanoseconds) -> LiveServices { sections(now: now).services }
}

/// Times of traces are in microseconds.
@Suite("Services in the last ten seconds") struct LiveServicesTests {
  private static let second = 1_000_000

  /// The events in pieces of these sizes, as a reader delivers them.
  private func news(_ events: TraceEvents, _ size: () -> Int) -> [LiveReader.News] {
    var result: [LiveReader.News] = []
    var next = 0
    while next < events.count {
      let end = min(events.count, next + max(1, size()))
      var piece = TraceEvents(header: events.header)
      (piece.strings, piece.loss, piece.heartbeat) = (events.strings, events.loss, events.heartbeat)
      for index in next..<end { piece.append(events[index]) }
      result.append(LiveReader.News(events: piece))
      next = end
    }
    return result
  }

  private func state(_ events: TraceEvents, _ size: () -> Int) -> LiveState {
    var state = LiveState(events.header, showing: .services)
    for piece in news(events, size) { state.take(piece, asked: piece.events.heartbeat ?? 0) }
    return state
  }

  private func events(_ make: ServiceTrace, end: Int) throws -> TraceEvents {
    try TraceText.parse(make.text(end: end))
  }

  private func services(of trace: Trace, completeSince: Nanoseconds? = nil) -> LiveServices {
    SectionSet.services.sections(of: trace, until: trace.end, completeSince: completeSince).services
  }

  /// The part of a trace that the window keeps.
  private func kept(_ events: TraceEvents, _ size: Int) -> Trace {
    var services = RecentWork(after: TraceBuilder(growing: events.header, forgets: true))
    for piece in news(events, { size }) { services.take(piece) }
    return services.trace(completeSince: nil, carried: [])
  }

  @Test("a unit that ended five seconds ago counts, one of eleven seconds ago does not", arguments: [1, 3, 1000])
  func units(size: Int) throws {
    var make = ServiceTrace()
    for time in [9, 15, 20] {
      let id = make.task(time * Self.second - 100, "handle()")
      make.run(time * Self.second - 90, id)
      make.end(time * Self.second, id)
    }
    let events = try events(make, end: 20 * Self.second)
    let rows = state(events) { size }.services(20_000_000_000).requests
    #expect(rows.map(\.figures.name) == ["handle()"])
    #expect(rows.first?.figures.count == 2 && rows.first?.figures.perSecond == 0.2)
    #expect(rows.first?.figures.max == 100_000 && rows.first?.mostly == "running handle()")
    #expect(kept(events, size).tasks.map(\.id.rawValue) == [2, 3])
    // Units leave the window even if no more events come.
    var state = state(events) { size }
    state.take(LiveReader.News(events: TraceEvents(header: events.header)), asked: 40_000_000_000)
    #expect(state.services(26_000_000_000).requests.first?.figures.count == 1)
    #expect(state.services(40_000_000_000).requests.isEmpty)
  }

  @Test("rates are per recorded second, and per complete second after a loss") func rates() throws {
    var make = ServiceTrace()
    for number in 1...8 {
      let id = make.task(number * Self.second / 4 - 50, "handle()")
      make.run(number * Self.second / 4 - 40, id)
      make.end(number * Self.second / 4, id)
    }
    let trace = try make.built(end: 2 * Self.second)
    #expect(services(of: trace).requests.map(\.figures.perSecond) == [4])
    let late = services(of: trace, completeSince: 1_100_000_000)
    #expect(late.requests.first?.figures.count == 4 && late.requests.first?.figures.perSecond == 4.444)
  }

  @Test("a bounded part of an hour-long task is kept, and shows its rounds") func connection() throws {
    var make = ServiceTrace()
    let busy = make.connection(100)
    let slow = make.connection(200)
    for second in 1..<3600 {
      make.round(second * Self.second, busy, ["price()"], waited: 300)
      if second % 600 == 0 { make.round(second * Self.second + 5000, slow, ["price()"], waited: 300) }
    }
    let events = try events(make, end: 3600 * Self.second)
    let trace = kept(events, 50)
    #expect(trace.tasks.map(\.isCut) == [true, false])
    #expect((trace.tasks.map(\.suspensions.count).max() ?? 0) <= 60)
    #expect((trace.tasks.map(\.runs.count).max() ?? 0) <= 60)
    let rows = state(events) { 50 }.services(3600_000_000_000).requests
    #expect(rows.map(\.figures.name) == ["price()"])
    #expect(rows.first?.figures.count == 10 && rows.first?.figures.p99 == 340_000)
  }

  @Test("the submitter of kept work is kept, because it decides whether that work is a unit") func submitters() throws {
    var make = ServiceTrace()
    make.add(100, 2, "submitted #900 queue=d1")
    make.add(200, 2, "run #900")
    let id = make.task(300, "handle()", by: 900)
    make.add(400, 2, "ran #900")
    make.run(500, id)
    make.end(15 * Self.second, id)
    let trace = kept(try events(make, end: 15 * Self.second), 1)
    #expect(trace.blocks.map(\.id.rawValue) == [900] && trace.tasks.count == 1)
    #expect(services(of: trace).requests.isEmpty)
  }

  @Test("waits for an actor count if they ended in the window") func actors() throws {
    var make = ServiceTrace()
    for second in [2, 8, 14] {
      let id = make.task(second * Self.second, "read()")
      make.run(second * Self.second + 1, id)
      make.suspend(second * Self.second + 10, id, at: ["read()", "touch()"], reason: 4)
      make.add(second * Self.second + 10, 2, "task-queued #\(id) actor=3 class=\"Cache\" by=#\(id)")
      make.run((second + 1) * Self.second, id, thread: 3)
      make.end((second + 2) * Self.second, id, thread: 3)
    }
    let actor = try #require(
      state(try events(make, end: 16 * Self.second)) { 7 }.services(16_000_000_000).actors.first)
    #expect(actor.title == "actor Cache 3" && actor.waits == 2 && actor.deepest == 1)
    #expect(actor.p99Wait == 999_990_000 && actor.holder?.function == "touch()")
    // Two times two of ten seconds.
    #expect(abs(actor.used - 0.4) < 0.001)
  }

  @Test("what slow units wait for is told with who has it, what they wait for alone without") func blame() throws {
    var make = ServiceTrace()
    let connections = (0..<8).map { make.connection(10 + $0) }
    var free = 0
    for number in 0..<200 {
      let (time, id) = (20_000 + number * 2900, connections[number % 8])
      make.resume(time, id)
      make.run(time + 5, id)
      make.suspend(time + 10, id, at: ["serve()", "price()", "touch()"], reason: 4)
      make.add(time + 10, 2, "task-queued #\(id) actor=1 class=\"Cache\" by=#\(id)")
      let began = max(time + 12, free)
      make.run(began, id, thread: 3)
      free = began + 3000
      make.suspend(free, id, at: ["serve()", "next()"], thread: 3)
    }
    let rows = services(of: try make.built(end: 700_000)).requests
    #expect(rows.map(\.mostly) == ["for actor Cache 1, held in touch()"])
    var alone = ServiceTrace()
    let id = alone.connection(10)
    for number in 1...40 { alone.round(number * 100_000, id, ["price()"], waited: 300) }
    #expect(services(of: try alone.built(end: 4_200_000)).requests.map(\.mostly) == ["for the outside: price()"])
  }

  @Test("event loops count turns in the window, cut at its begin, and the open turn")
  func loops() throws {
    var make = ServiceTrace()
    func age(_ microseconds: Int) -> Int { microseconds * 1000 / 16 }
    make.add(4 * Self.second, 3, "loop-turns t5 turns=100 busy=4000000 idle=0 longest=3900000")
    make.add(8 * Self.second, 3, "loop-turns t5 turns=10 busy=1000000 idle=3000000 longest=20000")
    make.add(8 * Self.second, 3, "loop-turns t6 turns=1 busy=10 idle=7999990 longest=10")
    let events = try events(make, end: 16 * Self.second)
    let loops = state(events) { 1 }.services(16_000_000_000).loops
    // The window is from 6 to 16 s: of the second record's four seconds the last two count.
    #expect(loops.map(\.thread.rawValue) == [5, 6] && loops.map(\.turns) == [10, 1])
    #expect(loops.first?.busy == 0.25 && loops.first?.longest == 20_000_000)

    make.add(15 * Self.second, 3, "loop-turn t5 age=\(age(7 * Self.second)) open")
    let open = try #require(
      state(try self.events(make, end: 16 * Self.second)) { 1 }.services(16_000_000_000).loops.first)
    // Half a second, and eight seconds of the open turn.
    #expect(open.busy == 0.85 && open.longest == 8_000_000_000 && open.longTurns == 1)
    var later = state(events) { 1 }
    later.take(LiveReader.News(events: TraceEvents(header: events.header)), asked: 19_000_000_000)
    #expect(later.services(19_000_000_000).loops.isEmpty)
  }

  @Test("operations alone are not a service") func operations() throws {
    var generator = SeededGenerator(3)
    let made = RandomTraces.program(&generator, operations: 50)
    #expect(state(made) { 100 }.services(.max) == LiveServices())
  }

  @Test("the live figures are those of the whole trace within the window", arguments: 0..<20)
  func whole(seed: Int) throws {
    var random = SeededGenerator(UInt64(seed))
    var make = ServiceTrace()
    let connections = (0..<3).map { make.connection(10 + $0, thread: 2 + $0) }
    var time = 100
    while time < 30 * Self.second {
      let thread = 2 + random.number(0..<3)
      let route = [["price()"], ["stock()", "lease()"], ["feed()"]].randomElement(using: &random) ?? []
      make.round(time, connections[thread - 2], route, waited: random.number(1..<40_000), thread: thread)
      time += 40_100
      guard random.number(0..<4) == 0 else { continue }
      let id = make.task(time, "sweep()", thread: thread)
      make.run(time + 10, id, thread: thread)
      make.suspend(time + 20, id, at: ["sweep()"], reason: 4, thread: thread)
      make.add(time + 20, thread, "task-queued #\(id) actor=3 class=\"Cache\" by=#\(id)")
      make.run(time + 30 + random.number(1..<5000), id, thread: thread)
      make.end(time + 6000, id, thread: thread)
      time += 7000
      make.add(time, 3, "loop-turns t5 turns=9 busy=\(random.number(0..<5000)) idle=\(random.number(1..<5000))")
    }
    let events = try events(make, end: time)
    let trace = TraceBuilder.build(events)
    let state = state(events) { random.number(1..<300) }
    let live = state.services(trace.end)
    let whole = Requests(of: trace, within: (trace.end - 10_000_000_000)...trace.end)
    #expect(Set(live.requests.map(\.figures.name)) == ["price()", "stock()", "sweep()", "feed()"])
    #expect(live.requests.map(\.figures.count) == whole.kinds.map(\.count))
    #expect(live.requests.map(\.figures.p99) == whole.kinds.map(\.p99))
    #expect(live.requests.map(\.figures.perSecond) == whole.kinds.map { Double($0.count) / 10 })
    #expect(live == services(of: trace))
    #expect(live.actors == whole.actorFigures && live.loops == whole.loopFigures && live.loops.count == 1)
  }

  @Test("random events in random pieces do not trap") func anything() throws {
    var random = SeededGenerator(5)
    for _ in 0..<40 {
      let events = RandomTraces.anything(&random, count: 300)
      var state = LiveState(events.header, showing: .services)
      for piece in news(events, { random.number(1..<50) }) {
        state.take(piece)
        _ = state.services(piece.events.last?.time ?? 0)
      }
    }
  }
}
