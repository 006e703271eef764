import OpTraceAnalysis
import OpTraceModel
import TestSupport
import Testing

/// Each code is tested on a service with the fault, and on one that only looks like it.
@Suite("Doctor: why requests are slow")
struct ServiceRuleTests {
  private func codes(_ make: ServiceTrace, end: Int, only severity: Finding.Severity? = nil) throws -> [DoctorCode] {
    Diagnosis(of: try make.built(end: end)).findings.filter { severity == nil || $0.severity == severity }.map(\.code)
  }

  private func finding(_ make: ServiceTrace, end: Int) throws -> Finding {
    try #require(Diagnosis(of: try make.built(end: end)).findings.first)
  }

  // MARK: - Actors

  @Test("an actor that makes requests wait for each other is hot, one that is free at once is not")
  func hotActor() throws {
    let finding = try finding(ServiceFaults.actor(held: 3000, every: 2900), end: 2_000_000)
    #expect(finding.code == "hot-actor" && finding.severity == .warning)
    #expect(
      finding.title.hasPrefix("actor Cache 1 makes tasks wait for each other, ") && finding.title.contains("'touch()'"))
    #expect(try codes(ServiceFaults.actor(held: 50, every: 2900), end: 2_000_000).isEmpty)
  }

  // MARK: - Pools

  /// Requests of eight connections lease an item of a pool for `held` microseconds; its holder passes it on to the
  /// next.
  private func pool(held: Int, every gap: Int, byHolders: Bool = true) -> ServiceTrace {
    var make = ServiceTrace()
    let connections = (0..<8).map { make.connection(10 + $0) }
    var free = 0
    var holder = 0
    for number in 0..<160 {
      let (time, id) = (20_000 + number * gap, connections[number % 8])
      make.resume(time, id)
      make.run(time + 5, id)
      make.suspend(time + 10, id, at: ["serve()", "price()", "lease()"])
      let got = max(time + 20, free)
      make.resume(got, id, by: byHolders && holder > 0 ? holder : 0)
      make.run(got + 5, id, thread: 3)
      make.suspend(got + 10, id, at: ["serve()", "price()", "query()"], thread: 3)
      make.resume(got + held, id)
      make.run(got + held + 1, id, thread: 3)
      free = got + held + 5
      make.suspend(free + 10, id, at: ["serve()", "next()"], thread: 3)
      holder = id
    }
    return make
  }

  @Test("a pool is exhausted if holders resume the waiters, after long waits")
  func pool() throws {
    let finding = try finding(pool(held: 20_000, every: 19_000), end: 8_000_000)
    #expect(finding.code == "pool-exhausted" && finding.severity == .warning)
    #expect(finding.title.contains("at 'lease()'") && finding.title.contains("has one mostly waits in 'query()'"))
    #expect(finding.location?.function == "lease()")
    // No warning: short waits; waits that end from outside, like those for a socket.
    #expect(try codes(pool(held: 100, every: 19_000), end: 8_000_000, only: .warning).isEmpty)
    #expect(try codes(pool(held: 20_000, every: 19_000, byHolders: false), end: 8_000_000, only: .warning).isEmpty)
  }

  // MARK: - Calls and locks

  /// Requests on two threads, each in a call for `held` microseconds.
  private func blocking(held: Int, every gap: Int) -> ServiceTrace {
    var make = ServiceTrace()
    make.add(5, 2, "object-named object=0x800040000007 \"recv from 127.0.0.1:5432\"")
    let connections = (0..<8).map { make.connection(10 + $0) }
    var free = [0, 0]
    var events = ServiceFaults.Events()
    for number in 0..<200 {
      let (time, id, thread) = (20_000 + number * gap, connections[number % 8], 2 + number % 2)
      let begin = max(time + 5, free[number % 2])
      events.at(time) { $0.resume(time, id) }
      events.at(begin) { $0.run(begin, id, thread: thread) }
      events.wait(begin + 1, begin + held, id, thread, ServiceFaults.recv, at: ["serve()", "price()", "query()"])
      events.at(begin + held + 5) { $0.suspend(begin + held + 5, id, at: ["serve()", "next()"], thread: thread) }
      free[number % 2] = begin + held + 10
    }
    events.add(to: &make)
    return make
  }

  @Test("calls that hold the threads of tasks are told with their line; calls that hurt nobody are not")
  func blockingCalls() throws {
    let finding = try finding(blocking(held: 20_000, every: 9_900), end: 4_500_000)
    #expect(finding.code == "blocking-call" && finding.severity == .warning)
    #expect(finding.title.hasPrefix("'query()' blocks its thread in recv from 127.0.0.1:5432 ("), "\(finding.title)")
    #expect(finding.location?.function == "query()")
    #expect(try codes(blocking(held: 2000, every: 9_900), end: 2_500_000).isEmpty)
  }

  @Test("a lock that is held over a call is told with its holder; one that is held shortly is not")
  func locks() throws {
    let finding = try finding(ServiceFaults.locked(held: 40_000), end: 1_500_000)
    #expect(finding.code == "lock-contention" && finding.severity == .warning)
    #expect(finding.title.contains("'count()' waits for a lock"), "\(finding.title)")
    #expect(finding.title.contains("who has it blocks in recv from 127.0.0.1:5432, in 'store()'"), "\(finding.title)")
    #expect(try codes(ServiceFaults.locked(held: 1000), end: 1_500_000).isEmpty)
  }

  // MARK: - Tasks that do not end

  private func made(ending: Bool, by accept: Bool = false) -> ServiceTrace {
    var make = ServiceTrace()
    let id = make.connection(10)
    for number in 0..<40 {
      let time = 100_000 * (number + 1)
      make.resume(time, id)
      make.run(time + 5, id)
      let child = make.task(time + 8, "watch()", by: id)
      if !accept { make.suspend(time + 20, id, at: ["serve()", "price()"]) }
      if !accept { make.resume(time + 60, id) }
      if !accept { make.run(time + 70, id) }
      make.suspend(time + 80, id, at: ["serve()", "next()"])
      make.run(time + 90, child, thread: 3)
      make.suspend(time + 95, child, at: ["watch()"], thread: 3)
      guard ending else { continue }
      make.resume(time + 50_000, child)
      make.run(time + 50_010, child, thread: 3)
      make.end(time + 50_020, child, thread: 3)
    }
    return make
  }

  @Test("tasks of requests that never end leak; those that end later, and connections, do not")
  func leaks() throws {
    let finding = try finding(made(ending: false), end: 4_200_000)
    #expect(finding.code == "task-leak")
    #expect(finding.title.contains("40 tasks 'watch()' are alive"))
    #expect(try codes(made(ending: true), end: 4_200_000, only: .warning).isEmpty)
    #expect(try codes(made(ending: false, by: true), end: 4_200_000, only: .warning).isEmpty)
  }

  @Test("a continuation that is never resumed in some requests is reported, a slow one is not")
  func lost() throws {
    func make(lost: Int, usual: Int) -> ServiceTrace {
      var make = ServiceTrace()
      let connections = (0..<4 + lost).map { make.connection(10 + $0) }
      for number in 0..<40 { make.round(10_000 * (number + 1), connections[number % 4], ["confirm()"], waited: usual) }
      for number in 0..<lost {
        let id = connections[4 + number]
        make.resume(500_000, id)
        make.run(500_010, id)
        make.suspend(500_020, id, at: ["serve()", "confirm()"])
      }
      // The service goes on.
      for number in 0..<40 {
        make.round(1_000_000 + 50_000 * number, connections[number % 4], ["confirm()"], waited: usual)
      }
      return make
    }
    let finding = try finding(make(lost: 4, usual: 2000), end: 3_000_000)
    #expect(finding.code == "continuation-never-resumed" && finding.severity == .warning)
    #expect(finding.title.hasPrefix("4 tasks wait for a continuation that nobody resumes, in confirm()"))
    #expect(try codes(make(lost: 0, usual: 2000), end: 3_000_000, only: .warning).isEmpty)
  }

  // MARK: - Calls

  /// `often`: how many calls each request makes, in turn. `how`: 2 is an error.
  private func calls(_ often: [Int], how: Int) -> ServiceTrace {
    var make = ServiceTrace()
    let id = make.connection(10)
    for number in 0..<120 {
      var time = 100_000 * (number + 1)
      make.resume(time, id)
      make.run(time + 5, id)
      let count = often[number % often.count]
      for call in 0..<count {
        make.suspend(time + 10, id, at: ["serve()", "quote()", "get()"])
        make.resume(time + 2000, id, how: call + 1 < count ? how : 1)
        make.run(time + 2005, id)
        time += 2010
      }
      make.suspend(time + 20, id, at: ["serve()", "next()"])
    }
    return make
  }

  @Test(
    "repeated calls after errors are a retry storm; repeated calls without errors and single calls are not")
  func retries() throws {
    let storm = try finding(calls([1, 2, 4, 1, 3], how: 2), end: 13_000_000)
    #expect(storm.code == "retry-storm" && storm.severity == .warning)
    #expect(storm.title.hasPrefix("'quote()' waits 2.2 times instead of once in 'get()', up to 4 times in a row"))
    #expect(try codes(calls([1, 2, 4, 1, 3], how: 1), end: 13_000_000, only: .warning).isEmpty)
    #expect(try codes(calls([1], how: 2), end: 13_000_000, only: .warning).isEmpty)
    #expect(try codes(calls([3], how: 2), end: 13_000_000, only: .warning).isEmpty, "always three: a loop")
  }

  @Test("a slow dependency is a note; short calls give no finding, idle loops no warning")
  func dependency() throws {
    func service(_ waited: Int, slow: Int) -> ServiceTrace {
      var make = ServiceTrace()
      let id = make.connection(10)
      for number in 0..<60 {
        make.round(200_000 * (number + 1), id, ["price()", "get()"], waited: number % 10 == 9 ? slow : waited)
      }
      return make
    }
    let slow = try finding(service(10_000, slow: 80_000), end: 13_000_000)
    #expect(slow.code == "slow-dependency" && slow.severity == .note)
    #expect(slow.title.contains("80 ms in 'get()'"))
    #expect(try codes(service(2000, slow: 2000), end: 13_000_000).isEmpty)
    #expect(try codes(service(80_000, slow: 80_000), end: 13_000_000).isEmpty, "they always wait there")
    var idle = ServiceTrace()
    for number in 0..<40 { _ = idle.connection(10 + number) }
    #expect(try codes(idle, end: 13_000_000, only: .warning).isEmpty)
  }

  // MARK: - Threads

  @Test("an event loop that is held often is reported with its function; a few long turns are not")
  func loops() throws {
    func service(turns: Int) -> ServiceTrace {
      var make = ServiceTrace(sampled: true)
      let id = make.connection(10)
      let stack = make.trace.stack(["loop()", "channelRead()", "decode()"])
      for number in 0..<60 {
        let time = 100_000 * (number + 1)
        make.round(time, id, ["price()"], waited: 2000)
        if number < turns {
          for sample in 1...15 { make.trace.sample(time + 50_000 + 1000 * sample, 6, stack) }
          make.add(time + 70_000, 1, "loop-turn t6 age=1250000")
        }
      }
      make.add(
        6_200_000, 1, "loop-turns t6 turns=900 longest=20000 busy=\(turns * 20_000) idle=\(6_000_000 - turns * 20_000)")
      return make
    }
    let held = try finding(service(turns: 50), end: 6_300_000)
    #expect(held.code == "event-loop-blocked" && held.severity == .warning)
    #expect(held.title.contains("was held 50 times") && held.title.contains("'decode()'"))
    #expect(try codes(service(turns: 2), end: 6_300_000, only: .warning).isEmpty)
  }
}
