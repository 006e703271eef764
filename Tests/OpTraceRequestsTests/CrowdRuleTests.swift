import OpTraceAnalysis
import OpTraceModel
import OpTraceRequests
import TestSupport
import Testing

/// What many units do together, or one of them often: each code with the fault, and on a service that looks like it.
@Suite("Doctor: what units do often, and at once")
struct CrowdRuleTests {
  private func findings(_ make: ServiceTrace, end: Int) throws -> [Finding] {
    Diagnosis(of: try make.built(end: end)).findings
  }

  private func warnings(_ make: ServiceTrace, end: Int) throws -> [DoctorCode] {
    try findings(make, end: end).filter { $0.severity == .warning }.map(\.code)
  }

  // MARK: - Calls

  /// Two routes in turns, which wait so often for 2 ms each: at these stacks below the route.
  private func routes(_ prices: Int, _ lists: Int, at below: [String] = ["get()"]) -> ServiceTrace {
    var make = ServiceTrace()
    let id = make.connection(10)
    for number in 0..<80 {
      var time = 100_000 * (number + 1)
      let route = number % 2 == 0 ? "price()" : "list()"
      make.resume(time, id)
      make.run(time + 5, id)
      for _ in 0..<(number % 2 == 0 ? prices : lists) {
        make.suspend(time + 10, id, at: ["serve()", route] + below)
        make.resume(time + 2000, id)
        make.run(time + 2005, id)
        time += 2010
      }
      make.suspend(time + 20, id, at: ["serve()", "next()"])
    }
    return make
  }

  @Test("a route that calls twenty times where others call once is told; one that reads a stream itself is not")
  func repeatedCalls() throws {
    let finding = try #require(try findings(routes(1, 20), end: 9_000_000).first)
    #expect(finding.code == "repeated-calls" && finding.severity == .warning)
    #expect(
      finding.title.hasPrefix("'list()' waits 20 times for each unit, one after another in 'get()'"), "\(finding.title)"
    )
    #expect(finding.explanation == "Others wait there once.")
    #expect(try warnings(routes(1, 2), end: 9_000_000).isEmpty)
    #expect(try warnings(routes(20, 20), end: 9_000_000).isEmpty, "all do it")
    #expect(try warnings(routes(1, 20, at: []), end: 9_000_000).isEmpty, "no call")
  }

  /// Units that try so often, each time until a limit, or until an answer comes after some time.
  private func tries(_ times: Int, lasting: (Int) -> Int) -> ServiceTrace {
    var make = ServiceTrace()
    let id = make.connection(10)
    for number in 0..<60 {
      var time = 400_000 * (number + 1)
      make.resume(time, id)
      make.run(time + 5, id)
      for attempt in 0..<times {
        make.suspend(time + 10, id, at: ["serve()", "order()", "reserve()"])
        time += lasting(number * times + attempt) + 10
        make.resume(time, id)
        make.run(time + 5, id)
      }
      make.suspend(time + 20, id, at: ["serve()", "next()"])
    }
    return make
  }

  @Test("attempts that a time limit ends are a retry storm; waits of different lengths and single ones are not")
  func timedRetries() throws {
    let storm = try findings(tries(5) { $0 % 5 == 4 ? 20_000 : 60_000 }, end: 25_000_000)
    let finding = try #require(storm.first { $0.code == "retry-storm" })
    #expect(finding.severity == .warning)
    #expect(finding.title.hasPrefix("'order()' tries 5 times in 'reserve()'"), "\(finding.title)")
    #expect(finding.title.contains("gives up after 60 ms each time"), "\(finding.title)")
    #expect(try warnings(tries(5) { 20_000 + $0 % 37 * 1000 }, end: 25_000_000).isEmpty)
    #expect(try warnings(tries(1) { _ in 60_000 }, end: 25_000_000).isEmpty)
  }

  /// Units of which every eighth waits `often` times for 10 ms, the others `usual` times.
  private func uneven(usual: Int, often: Int) -> ServiceTrace {
    var make = ServiceTrace()
    let id = make.connection(10)
    for number in 0..<80 {
      var time = 500_000 * (number + 1)
      make.resume(time, id)
      make.run(time + 5, id)
      for attempt in 0..<(number % 8 == 7 ? often : usual) {
        make.suspend(time + 10, id, at: ["serve()", "checkout()", "charge()"])
        time += 8000 + attempt % 5 * 1000
        make.resume(time, id)
        make.run(time + 5, id)
      }
      make.suspend(time + 20, id, at: ["serve()", "next()"])
    }
    return make
  }

  @Test("slow units that wait far more often than others try again; if all wait alike, they do not")
  func manyTries() throws {
    let finding = try #require(
      try findings(uneven(usual: 2, often: 30), end: 45_000_000).first { $0.code == "retry-storm" })
    #expect(finding.severity == .warning)
    #expect(finding.title.contains("wait 30 times in 'charge()'"), "\(finding.title)")
    #expect(finding.title.contains("those about the median 2 times"), "\(finding.title)")
    #expect(try !warnings(uneven(usual: 8, often: 12), end: 45_000_000).contains("retry-storm"))
  }

  @Test("a route that takes far longer than the others, outside of the program, is a note; if all do, it is none")
  func slowRoute() throws {
    func service(_ lengths: [Int]) -> ServiceTrace {
      var make = ServiceTrace()
      let id = make.connection(10)
      for number in 0..<120 {
        let route = number % lengths.count
        make.round(600_000 * (number + 1), id, ["route\(route)()", "get()"], waited: lengths[route])
      }
      return make
    }
    let found = try findings(service([5000, 8000, 400_000]), end: 72_600_000)
    #expect(found.map(\.code) == ["slow-dependency"] && found.first?.title.contains("'route2()'") == true, "\(found)")
    #expect(try findings(service([300_000, 350_000, 400_000]), end: 72_600_000).isEmpty)
  }

  // MARK: - Crowds

  /// Twelve connections, whose requests find what they need. Each second each of them has to load it: all at once, or in turns.
  private func cache(together: Bool) -> ServiceTrace {
    var make = ServiceTrace()
    let connections = (0..<12).map { make.connection(10 + $0) }
    var rounds: [(time: Int, id: Int, loads: Bool)] = []
    for second in 1...6 {
      for (place, id) in connections.enumerated() {
        let own = second * 1_000_000 + (together ? place * 100 : place * 80_000)
        rounds.append((own, id, true))
        for number in 1...3 { rounds.append((own + 70_000 + number * 20_000 - place * 80, id, false)) }
      }
    }
    for round in rounds.sorted(by: { ($0.time, $0.id) < ($1.time, $1.id) }) {
      let stack = round.loads ? ["price()", "load()"] : ["price()"]
      make.round(round.time, round.id, stack, waited: round.loads ? 60_000 : 500)
    }
    return make
  }

  /// Twelve connections, of whose requests every third loads for 1.2 s, at any time.
  private func long() -> ServiceTrace {
    var make = ServiceTrace()
    let connections = (0..<12).map { make.connection(10 + $0) }
    var rounds: [(time: Int, id: Int, loads: Bool)] = []
    for (place, id) in connections.enumerated() {
      var time = 100_000 + place * 130_000
      for number in 0..<36 {
        rounds.append((time, id, number % 3 == 0))
        time += number % 3 == 0 ? 1_230_000 : 20_000
      }
    }
    for round in rounds.sorted(by: { ($0.time, $0.id) < ($1.time, $1.id) }) {
      let stack = round.loads ? ["price()", "load()"] : ["price()"]
      make.round(round.time, round.id, stack, waited: round.loads ? 1_200_000 : 500)
    }
    return make
  }

  @Test("the same work of many at once is a stampede; the same work in turns is not")
  func stampede() throws {
    let finding = try #require(try findings(cache(together: true), end: 8_000_000).first { $0.code == "stampede" })
    #expect(finding.severity == .warning)
    #expect(finding.title.hasPrefix("up to 12 units of 'price()' are in 'load()'"), "\(finding.title)")
    #expect(try warnings(cache(together: false), end: 8_000_000).isEmpty)
    #expect(try !warnings(long(), end: 22_000_000).contains("stampede"), "many are there because each stays long")
  }

  // MARK: - Loops

  private func loops(busy: [Int]) -> ServiceTrace {
    var make = ServiceTrace()
    let id = make.connection(10)
    for number in 0..<60 { make.round(100_000 * (number + 1), id, ["price()"], waited: 2000) }
    for (place, percent) in busy.enumerated() {
      make.add(
        6_200_000, 1,
        "loop-turns t\(6 - 2 * place) turns=900 longest=2000 busy=\(percent * 60_000) idle=\((100 - percent) * 60_000)")
    }
    return make
  }

  @Test("one loop with all the work is told, two with some are not, and neither is one that is hardly busy")
  func unevenLoops() throws {
    let finding = try #require(try findings(loops(busy: [1, 76]), end: 6_300_000).first)
    #expect(finding.code == "uneven-loops" && finding.severity == .warning)
    #expect(finding.title.contains("is busy 76 % of the time, and 1 other loop 1 % at most"), "\(finding.title)")
    #expect(try warnings(loops(busy: [30, 76]), end: 6_300_000).isEmpty)
    #expect(try warnings(loops(busy: [1, 40]), end: 6_300_000).isEmpty)
    #expect(try warnings(loops(busy: [76]), end: 6_300_000).isEmpty)
  }

  // MARK: - Growth

  /// Tasks that are made each 10 ms and last so many; a tenth of them is made with the first.
  private func jobs(lasting: (Int) -> Int, allAtOnce: Bool = false) -> ServiceTrace {
    var make = ServiceTrace()
    let maker = make.task(5, "feed()")
    make.run(6, maker)
    var events: [(time: Int, make: (inout ServiceTrace) -> Void)] = []
    var ids: [Int: Int] = [:]
    for number in 0..<400 {
      let time = allAtOnce ? 1000 + number : 10_000 * (number + 1)
      events.append((time, { ids[number] = $0.task(time, "index()", by: maker) }))
      let ended = 10_000 * (number + 1) + lasting(number)
      guard ended < 4_100_000 else { continue }
      events.append((ended - 10, { $0.run(ended - 10, ids[number] ?? 0, thread: 3) }))
      events.append((ended, { $0.end(ended, ids[number] ?? 0, thread: 3) }))
    }
    for event in events.enumerated().sorted(by: { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }) {
      event.element.make(&make)
    }
    return make
  }

  @Test("work of which more begins than ends piles up; a steady number and a batch do not")
  func growingBacklog() throws {
    let finding = try #require(
      try findings(jobs(lasting: { $0 * 10_000 }), end: 4_100_000).first { $0.code == "growing-backlog" })
    #expect(finding.title.hasPrefix("tasks 'index()' pile up: "), "\(finding.title)")
    #expect(try !warnings(jobs(lasting: { _ in 600_000 }), end: 4_100_000).contains("growing-backlog"))
    #expect(try !warnings(jobs(lasting: { $0 * 10_000 }, allAtOnce: true), end: 4_100_000).contains("growing-backlog"))
  }

  // MARK: - Queues

  /// Requests that each add an operation of 20 ms to a queue with one slot, and wait for it.
  private func queue(every gap: Int) -> ServiceTrace {
    var make = ServiceTrace()
    make.add(5, 2, "queue q1 limit=1 \"images\"")
    let connections = (0..<8).map { make.connection(10 + $0) }
    var events: [(time: Int, make: (inout ServiceTrace) -> Void)] = []
    var free = 0
    for number in 0..<40 {
      let (time, id) = (20_000 + number * gap, connections[number % 8])
      let (began, ended) = (max(time + 20, free), max(time + 20, free) + 20_000)
      free = ended + 20
      var operation = 0
      events.append(
        (
          time,
          { make in
            make.resume(time, id)
            make.run(time + 5, id)
            operation = make.number()
            make.add(time + 6, 2, "created #\(operation) class=\"Shrink\"")
            make.add(time + 7, 2, "enqueued #\(operation) queue=q1 priority=0")
            make.add(time + 7, 2, "ready #\(operation)")
            make.suspend(time + 10, id, at: ["serve()", "image()"])
          }
        ))
      events.append(
        (
          began,
          { make in
            make.add(began, 4, "started #\(operation)")
            make.add(began, 4, "began #\(operation)")
          }
        ))
      events.append(
        (
          ended,
          { make in
            make.resume(ended - 5, id, by: operation, thread: 4)
            make.add(ended, 4, "ended #\(operation)")
            make.add(ended, 4, "finished #\(operation)")
            make.run(ended + 5, id)
            make.suspend(ended + 10, id, at: ["serve()", "next()"])
          }
        ))
    }
    for event in events.enumerated().sorted(by: { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }) {
      event.element.make(&make)
    }
    return make
  }

  @Test("a queue with too few slots is told with its limit; one that has a free slot is not")
  func busyQueue() throws {
    let finding = try #require(try findings(queue(every: 18_000), end: 3_000_000).first { $0.code == "busy-queue" })
    #expect(finding.severity == .warning)
    #expect(finding.title.contains("wait for a slot of queue 'images' (limit 1)"), "\(finding.title)")
    #expect(try !findings(queue(every: 40_000), end: 5_000_000).contains { $0.code == "busy-queue" })
  }

  // MARK: - Beats

  @Test("what comes after the same time again and again has a beat, with its period and length")
  func beats() {
    func beat(_ begins: [Double], lasting: Double) -> Requests.Beat? {
      Requests.Beat(begins.map { (Nanoseconds($0 * 1e9), Nanoseconds(lasting * 1e9)) })
    }
    let found = beat([1, 3.1, 5, 7], lasting: 0.18)
    #expect(found?.period == 2_000_000_000 && found?.length == 180_000_000)
    #expect(beat([1, 3, 4, 9], lasting: 0.18) == nil, "at any time")
    #expect(beat([1, 3], lasting: 0.18) == nil, "two are no beat")
    #expect(beat([1, 3, 5, 7], lasting: 1.9) == nil, "it goes on")
    #expect(beat([], lasting: 0) == nil)
  }
}
