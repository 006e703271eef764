import OpTraceAnalysis
import OpTraceBlame
import OpTraceKernel
import OpTraceModel
import OpTraceRequests
import TestSupport
import Testing

/// Services of which little is known, or that are larger than usual.
@Suite("Blame of unusual services") struct UnusualServiceTests {
  private func warnings(_ make: ServiceTrace, end: Int) throws -> [String] {
    Diagnosis(of: try make.built(end: end)).findings.filter { $0.severity == .warning }.map(\.title)
  }

  private func sums(_ requests: Requests) -> [Int32: Double] {
    var sums: [Int32: Double] = [:]
    for one in requests.blamed { sums[one.kind, default: 0] += one.share }
    return sums
  }

  @Test("without stacks and samples nothing is accused, and all time is given to something") func noStacks() throws {
    var make = ServiceTrace()
    for number in 0..<60 {
      let time = 100_000 * (number + 1)
      let id = make.number()
      make.add(time, 2, "task #\(id) by=#0 how=0 priority=21 enqueued")
      make.run(time + 10, id)
      make.add(time + 20, 2, "task-suspended #\(id) reason=2")
      make.resume(time + 20_000 + number * 500, id)
      make.run(time + 20_010 + number * 500, id)
      make.end(time + 20_020 + number * 500, id)
    }
    #expect(try warnings(make, end: 7_000_000).isEmpty)
    let found = sums(Requests(of: try make.built(end: 7_000_000)))
    #expect(!found.isEmpty && found.values.allSatisfy { abs($0 - 1) < 1e-9 })
  }

  /// Requests of two connections that compute under a lock in turns; `owner`: whether the trace tells who has it.
  private func locked(owner: Bool, idle: Int = 0) -> ServiceTrace {
    var make = ServiceTrace()
    for number in 0..<idle { _ = make.connection(1 + number % 5) }
    let (first, second) = (make.connection(10), make.connection(20, thread: 3))
    for number in 0..<60 {
      let time = 100_000 * (number + 1)
      make.resume(time, first)
      make.resume(time, second)
      make.run(time + 5, first)
      make.run(time + 10, second, thread: 3)
      make.add(time + 20, 3, "blocked #\(second) object=0x7000 kind=mutex age=0")
      make.add(time + 20, 3, "at \(make.trace.stack(["serve()", "read()", "get()"]))")
      make.add(time + 30_000, 3, "unblocked #\(second) object=0x7000 kind=mutex")
      if owner { make.add(time + 30_000, 3, "signalled #0 object=0x7000 kind=mutex age=0 thread=t2") }
      make.suspend(time + 30_100, first, at: ["serve()", "next()"])
      make.suspend(time + 30_200, second, at: ["serve()", "next()"], thread: 3)
    }
    return make
  }

  @Test("a lock whose owner is not known is told without one") func lockWithoutOwner() throws {
    let told = try #require(try warnings(locked(owner: false), end: 7_000_000).first)
    #expect(told.hasPrefix("'get()' waits for a lock (main.swift:"), "\(told)")
    #expect(told.contains("and who has it is not known"), "\(told)")
    let known = try #require(try warnings(locked(owner: true), end: 7_000_000).first)
    #expect(known.hasPrefix("'get()' waits for a lock") && !known.contains("is not known"), "\(known)")
  }

  @Test("ten thousand idle connections change no finding") func idleConnections() throws {
    let (few, many) = (locked(owner: true), locked(owner: true, idle: 10_000))
    let found = try warnings(few, end: 7_000_000)
    #expect(!found.isEmpty)
    let all = try warnings(many, end: 7_000_000)
    #expect(all == found, "\(all) instead of \(found)")
  }

  @Test("units that never end are open, and nobody is accused of them") func endless() throws {
    var make = ServiceTrace()
    for number in 0..<100 {
      let id = make.task(1000 * (number + 1), "handle()")
      make.run(1000 * number + 1010, id)
      make.suspend(1000 * number + 1020, id, at: ["handle()", "forever()"])
    }
    let requests = Requests(of: try make.built(end: 9_000_000))
    #expect(requests.units.isEmpty && requests.open == 100 && requests.blamed.isEmpty)
  }

  @Test("a unit of an hour that waits 100,000 times loses no time, and needs bounded shares") func hour() throws {
    let hour = 3_600_000_000
    var make = ServiceTrace()
    let ids = (0..<3).map { make.task($0, "copy()", thread: 2 + $0) }
    for (place, id) in ids.enumerated() { make.run(10 + place, id, thread: 2 + place) }
    let step = hour / 100_000
    for number in 0..<100_000 {
      let time = 1000 + number * step
      make.add(time, 2, "blocked #\(ids[0]) object=0x7000 kind=mutex age=0")
      make.add(time + step / 2, 2, "unblocked #\(ids[0]) object=0x7000 kind=mutex")
      make.add(time + step / 2, 2, "signalled #0 object=0x7000 kind=mutex age=0 thread=t\(3 + number % 2)")
    }
    for (place, id) in ids.enumerated() { make.end(hour + 2000, id, thread: 2 + place) }
    let trace = try make.built(end: hour + 3000)
    var strands = TraceStrands(trace, ProgramCode(trace.stacks))
    let work = try #require(trace.workIndex(of: WorkID(UInt32(ids[0]))))
    let (from, to) = (Nanoseconds(10_000), Nanoseconds(hour) * 1000)
    let blame = Blame(.work(work), from: from, to: to, in: &strands)
    #expect(abs(blame.shares.reduce(0) { $0 + $1.time } - Double(to - from)) < 1)
    #expect(blame.shares.contains { $0.hops.first?.resource.kind == .lock && $0.end.kind == .code })
    #expect(blame.shares.count <= 300_000)
  }

  /// Tasks that end, and wait so often at `at`; `between`: where else they wait meanwhile, and for what reason.
  private func tasks(waiting times: Int, at place: [String], between: (at: [String], reason: Int)?) throws -> Requests {
    var make = ServiceTrace()
    for number in 0..<100 {
      var time = 100_000 * (number + 1)
      let id = make.task(time, "handle()")
      for turn in 0..<times {
        make.run(time + 10, id)
        make.suspend(time + 20, id, at: ["handle()"] + place)
        time += 20_000
        make.resume(time, id)
        guard let between, turn < times - 1 else { continue }
        make.run(time + 10, id)
        make.suspend(time + 20, id, at: ["handle()"] + between.at, reason: between.reason)
        time += 5000 + number * 10
        make.resume(time, id)
      }
      make.run(time + 10, id)
      make.end(time + 20, id)
    }
    return Requests(of: try make.built(end: 20_000_000))
  }

  @Test("connections with one request or two are told by requests", arguments: [2, 3])
  func shortConnections(visits: Int) throws {
    let kinds = try tasks(waiting: visits, at: ["next()"], between: (["price()"], 2)).kinds
    #expect(kinds.map(\.name) == ["price()"] && kinds.map(\.count) == [100 * (visits - 1)])
    #expect(kinds[0].p99 < 7_000_000)
  }

  @Test("tasks that try again after a pause, and those that ask for several things, are units themselves")
  func noRounds() throws {
    let retries = try tasks(waiting: 2, at: ["call()"], between: (["pause()"], 5))
    #expect(retries.kinds.map(\.name) == ["handle()"] && retries.kinds.map(\.count) == [100])
    let queries = try tasks(waiting: 3, at: ["query()"], between: nil)
    #expect(queries.kinds.map(\.name) == ["handle()"] && queries.kinds.map(\.count) == [100])
    let once = try tasks(waiting: 1, at: ["query()"], between: nil)
    #expect(once.kinds.map(\.name) == ["handle()"] && once.kinds.map(\.count) == [100])
  }
}
