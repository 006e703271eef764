import OpTraceAnalysis
import OpTraceKernel
import OpTraceModel
import OpTraceRequests
import TestSupport
import Testing

/// How requests are told apart: by borders where nothing was waited for, and by routes.
@Suite("Requests and their routes") struct RouteTests {
  /// Rounds of one connection: each waits at these stacks below `serve()`, so long in microseconds.
  private func served(_ rounds: [[(at: [String], waited: Int)]]) -> ServiceTrace {
    var make = ServiceTrace()
    let id = make.connection(10)
    var time = 1000
    for round in rounds {
      make.resume(time, id)
      make.run(time + 10, id)
      for wait in round {
        make.suspend(time + 20, id, at: ["serve()"] + wait.at)
        time += 20 + wait.waited
        make.resume(time, id)
        make.run(time + 10, id)
      }
      make.suspend(time + 30, id, at: ["serve()", "next()"])
      time += 5000
    }
    return make
  }

  private func counts(_ make: ServiceTrace) throws -> [String: Int] {
    let kinds = Requests(of: try make.built(end: 60_000_000)).kinds
    return Dictionary(kinds.map { ($0.name, $0.count) }, uniquingKeysWith: +)
  }

  private static let order: [(at: [String], waited: Int)] = [
    (["answer()", "order()", "check()"], 500), (["answer()", "order()", "store()"], 900),
  ]
  private static let price: [(at: [String], waited: Int)] = [(["answer()", "price()", "load()"], 300)]

  @Test("requests that follow each other without a wait are told apart where one ends and another begins")
  func borders() throws {
    var rounds = (0..<40).map { $0 % 2 == 0 ? Self.order : Self.price }
    rounds += [Self.order + Self.price, Self.price + Self.order, Self.order + Self.order]
    #expect(try counts(served(rounds)) == ["order()": 24, "price()": 22])
    let units = Requests(of: try served(rounds).built(end: 60_000_000)).units
    for (one, next) in zip(units, units.dropFirst()) { #expect(one.ended <= next.began || one.kind != next.kind) }
  }

  @Test("attempts, and steps of a loop, are one request") func noBorders() throws {
    let tries = (0..<40).map { $0 % 5 == 0 ? Self.price + Self.price : Self.price }
    #expect(try counts(served(tries)).values.reduce(0, +) == 40)
    let steps = (0..<40).map { number in (0...number % 4).flatMap { _ in Self.order } }
    #expect(try counts(served(steps)).values.reduce(0, +) == 40)
  }

  @Test("a route that is rare does not change how others are named, and is a kind of its own") func rareRoute() throws {
    var rounds = (0..<100).map { $0 % 2 == 0 ? Self.order : Self.price }
    let rare: [(at: [String], waited: Int)] = [(["answer()", "ledger()"], 20_000)]
    for number in 1...3 {
      rounds.append(rare)
      #expect(try counts(served(rounds)) == ["order()": 50, "price()": 50, "ledger()": number])
    }
  }

  @Test("routes are found below a function that decides, below another one that decides") func nestedRoutes() throws {
    let ledger: [(at: [String], waited: Int)] = [(["answer()", "ledger()"], 20_000)]
    let order: [(at: [String], waited: Int)] = [(["answer()", "result()", "order()", "store()"], 900)]
    let price: [(at: [String], waited: Int)] = [(["answer()", "result()", "price()", "load()"], 300)]
    let rounds = (0..<90).map { [ledger, order, price][$0 % 3] }
    #expect(try counts(served(rounds)) == ["ledger()": 30, "order()": 30, "price()": 30])
  }

  @Test("what waits in the function that decides is named by it") func decision() throws {
    let export: [(at: [String], waited: Int)] = [(["answer()", "result()"], 9000)]
    let order: [(at: [String], waited: Int)] = [(["answer()", "result()", "order()", "store()"], 900)]
    let price: [(at: [String], waited: Int)] = [(["answer()", "result()", "price()", "load()"], 300)]
    let rounds = (0..<90).map { [export, order, price][$0 % 3] }
    #expect(try counts(served(rounds)) == ["result()": 30, "order()": 30, "price()": 30])
  }

  @Test("what one request does in several steps is no route") func steps() throws {
    let logged = (0..<60).map { number in
      (number % 2 == 0 ? Self.order : Self.price) + [(at: ["answer()", "log()"], waited: 50)]
    }
    #expect(try counts(served(logged)) == ["order()": 30, "price()": 30])
  }

  @Test("a job that pauses in between is not judged beside requests") func jobs() throws {
    var make = served((0..<60).map { _ in Self.price })
    let job = make.task(5, "sweep()", thread: 4)
    make.run(6, job, thread: 4)
    for number in 0..<30 {
      make.suspend(10_000 * number + 2000, job, at: ["sweep()"], reason: 5, thread: 4)
      make.run(10_000 * number + 3000, job, thread: 4)
      make.suspend(10_000 * number + 3010, job, at: ["sweep()", "read()"], thread: 4)
      make.resume(10_000 * number + 9000, job)
      make.run(10_000 * number + 9010, job, thread: 4)
    }
    let kinds = Requests(of: try make.built(end: 60_000_000)).kinds
    #expect(kinds.filter(\.isJob).map(\.name) == ["read()"])
    #expect(kinds.contains { $0.name == "answer()" && !$0.isJob })
  }

  @Test("a thread of libdispatch's pool is no event loop") func poolThreads() throws {
    var make = served((0..<40).map { _ in Self.price })
    for (thread, name) in [(7, "oot.default-qos"), (8, "NIO-ELT-0-#1")] {
      make.add(1, thread, "thread t\(thread) tid=\(100 + thread) \"\(name)\"")
      make.add(900_000, 2, "loop-turns t\(thread) turns=9 busy=400000 idle=400000 longest=20000")
    }
    let trace = try make.built(end: 60_000_000)
    #expect(trace.loops.count == 2)
    #expect(Requests(of: trace).loops.map(\.name) == ["NIO-ELT-0-#1"])
  }
}
