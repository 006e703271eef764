@testable import OpTraceKernel
@testable import OpTraceDoctor
@testable import OpTraceRequests
import OpTraceAnalysis
import OpTraceModel
import TestSupport
import Testing

/// Times are in microseconds.
@Suite("Units of work: what they are, and where their time goes")
struct RequestTests {
  private func causes(_ requests: Requests, _ unit: Int) -> [String: Int64] {
    requests.parts(ofUnitAt: unit).reduce(into: [:]) { sums, part in
      let cause = requests.causes[Int(part.cause)]
      let words = [cause.what.rawValue, cause.who, requests.location(of: cause)?.function ?? ""].filter { !$0.isEmpty }
      sums[words.joined(separator: " "), default: 0] += part.length / 1000
    }
  }

  @Test("rounds of a task are units, from its resumption to the next idling; their parts add up")
  func rounds() throws {
    var make = ServiceTrace()
    let id = make.connection(100)
    for number in 0..<6 { make.round(1000 * (number + 1), id, ["price()"], waited: 300) }
    let requests = Requests(of: try make.built(end: 9000))
    #expect(requests.kinds.map(\.name) == ["price()"])
    let kind = try #require(requests.kinds.first)
    // The first wait was before any request.
    #expect(kind.count == 6 && kind.areRounds && kind.p50 == 340_000 && kind.max == 340_000)
    #expect(requests.units.map(\.began) == (1...6).map { Int64($0) * 1_000_000 })
    #expect(
      causes(requests, 0) == ["thread": 20, "running next()": 10, "running price()": 10, "outside price()": 300])
  }

  @Test("routes of one loop are kinds of their own, named by the first function in which they differ")
  func routes() throws {
    var make = ServiceTrace()
    let id = make.connection(100)
    for number in 0..<10 {
      make.round(
        1000 * (number + 1), id,
        number % 2 == 0 ? ["answer()", "price()", "lease()"] : ["answer()", "stock()", "lease()"],
        waited: 100)
    }
    let requests = Requests(of: try make.built(end: 12_000))
    #expect(Set(requests.kinds.map(\.name)) == ["price()", "stock()"])
    #expect(requests.kinds.allSatisfy { $0.count == 5 })
  }

  @Test("a task for each request is a unit; its waits for child tasks are the children's time")
  func children() throws {
    var make = ServiceTrace()
    for number in 0..<10 {
      let time = 1000 * (number + 1)
      let root = make.task(time, "handle()")
      make.run(time + 10, root)
      let child = make.task(time + 20, "load()", by: root, how: 2)
      make.suspend(time + 30, root, at: ["handle()"], reason: 3)
      make.run(time + 50, child, thread: 3)
      make.suspend(time + 60, child, at: ["load()", "fetch()"], thread: 3)
      make.resume(time + 260, child)
      make.run(time + 270, child, thread: 3)
      make.add(time + 300, 3, "task-enqueued #\(root) by=#\(child)")
      make.end(time + 301, child, thread: 3)
      make.run(time + 310, root)
      make.end(time + 320, root)
    }
    let requests = Requests(of: try make.built(end: 12_000))
    #expect(requests.kinds.map(\.name) == ["handle()"], "a child is part of its unit")
    let parts = causes(requests, 0)
    #expect(parts["outside fetch()"] == 200)
    #expect(parts["thread"] == Int64(50))
    #expect(parts.values.reduce(0, +) == 320)
  }

  @Test("a task that accepts connections and hands work on is no unit")
  func dispatcher() throws {
    var make = ServiceTrace()
    let accept = make.connection(10, ["accept()"])
    for number in 0..<12 {
      let time = 1000 * (number + 1)
      make.resume(time, accept)
      make.run(time + 5, accept)
      let child = make.task(time + 6, "handle()", by: accept)
      make.suspend(time + 8, accept, at: ["accept()", "next()"])
      make.run(time + 20, child, thread: 3)
      make.end(time + 120, child, thread: 3)
    }
    let requests = Requests(of: try make.built(end: 14_000))
    #expect(requests.kinds.map(\.name) == ["handle()"])
    #expect(requests.kinds.first?.count == 12)
  }

  @Test("a busy actor has its waits, its longest queue and its holder")
  func actors() throws {
    var make = ServiceTrace()
    for number in 0..<6 {
      let time = 1000
      let id = make.task(time, "read()")
      make.run(time + number, id, thread: 2)
      make.suspend(time + 10 + number, id, at: ["read()", "touch()"], reason: 4)
      make.add(time + 10 + number, 2, "task-queued #\(id) actor=3 class=\"Cache\" by=#\(id)")
      let turn = 1100 + 100 * number
      make.run(turn, id, thread: 3)
      make.end(turn + 90, id, thread: 3)
    }
    let requests = Requests(of: try make.built(end: 3000))
    let one = try #require(requests.actors.first)
    #expect(one.actor.className == "Cache" && one.waits.count == 6 && one.deepest == 6)
    #expect(one.waits.max() == 585_000 && one.utilisation == 1)
    #expect(one.holder.map { requests.locations[Int($0)].function } == "touch()")
  }

  @Test("the sentence on slow units names the largest difference")
  func sentence() throws {
    var make = ServiceTrace()
    let id = make.connection(10)
    for number in 0..<20 { make.round(10_000 * (number + 1), id, ["price()"], waited: number == 13 ? 9000 : 100) }
    let requests = Requests(of: try make.built(end: 300_000))
    let kind = try #require(requests.kinds.first)
    #expect(
      requests.sentence(kind)
        == "the slow ones wait 9 ms in 'price()' (main.swift:3) for something outside of the program; those about the median "
        + "100 µs")
    #expect(kind.slowest.first.map { requests.units[$0].length } == 9_040_000)
    #expect(kind.slowest.first.map { RequestIDs(requests).text($0) } == "#1:14")
    #expect(
      requests.unit("#1:14")?.length == 9_040_000 && requests.unit("1:14") != nil && requests.unit("#1:21") == nil)
  }

  @Test("a window selects the units that end in it; modules tell which kinds are the program's own")
  func parts() throws {
    var make = ServiceTrace()
    let id = make.connection(100)
    for number in 0..<6 { make.round(1000 * (number + 1), id, ["price()"], waited: 300) }
    var trace = try make.built(end: 9000)
    #expect(Requests(of: trace, within: 2_000_000...4_000_000).units.count == 2)
    trace.stacks.ownModules = ["Photos"]
    #expect(Requests(of: trace).kinds.first?.isOwn == true)
    trace.stacks.ownModules = ["Other"]
    #expect(Requests(of: trace).kinds.first?.isOwn == false)
  }

  @Test("the parts of a unit add up to its length in random services", arguments: 0..<30)
  func sums(seed: Int) throws {
    var random = SeededGenerator(UInt64(seed))
    var make = ServiceTrace()
    var connections = (0..<3).map { make.connection(10 + $0, ["serve()"], thread: 2 + $0) }
    var time = 100
    for _ in 0..<60 {
      let thread = 2 + random.number(0..<3)
      let id = connections[thread - 2]
      time += random.number(1..<500)
      make.round(
        time, id, [["price()"], ["stock()", "lease()"], []].randomElement(using: &random) ?? [],
        waited: random.number(1..<400), thread: thread)
      time += 500
    }
    connections.removeAll()
    let requests = Requests(of: try make.built(end: time + 1000))
    #expect(!requests.units.isEmpty)
    for index in requests.units.indices {
      #expect(requests.parts(ofUnitAt: index).reduce(0) { $0 + $1.length } == requests.units[index].length)
    }
  }

  @Test("an empty trace has no units; parts of units in random traces are no longer than their unit")
  func anything() throws {
    #expect(Requests(of: try ServiceTrace().built(end: 10)).kinds.isEmpty)
    var random = SeededGenerator(7)
    for _ in 0..<40 {
      let requests = Requests(of: TraceBuilder.build(RandomTraces.anything(&random, count: 200)))
      for index in requests.units.indices {
        #expect(requests.parts(ofUnitAt: index).reduce(0) { $0 + $1.length } <= requests.units[index].length)
      }
    }
  }
}
