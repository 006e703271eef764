import OpTraceAnalysis
import OpTraceModel
import TestSupport
import Testing

/// Times are in microseconds.
@Suite("Doctor: a function that has the processor")
struct CPUHotspotRuleTests {
  private func found(_ make: ServiceTrace) throws -> [Finding] {
    Diagnosis(of: try make.built(end: 9_000_000)).findings.filter { $0.code == "cpu-hotspot" }
  }

  private func titles(_ service: Hogged) throws -> [String] { try found(service.trace).map(\.title) }
  private func titles(_ service: Computing) throws -> [String] { try found(service.trace).map(\.title) }

  // MARK: - Others wait for the thread

  /// Requests that come when jobs have the only thread, and then wait for something outside of the program.
  private struct Hogged {
    var requests = 60
    /// How long a job has the thread meanwhile, and how long the request waits outside.
    var held = 20_000
    var outside = 20_000
    /// From one request to the next, in turns.
    var gaps = [70_000, 110_000, 90_000, 130_000]
    /// The stacks at which a job is seen, in turns.
    var stacks = [["index()", "rebuild()", "compress()"]]
    /// So many kinds of jobs, in turns.
    var jobs = 1
    /// From one sample to the next.
    var period = 1_000

    var trace: ServiceTrace {
      var make = ServiceTrace()
      make.trace.sampling(every: period * 1_000)
      let id = make.connection(10)
      let hogs = (0..<jobs).map { job in
        let hog = make.task(20 + 10 * job, "index\(job)()")
        make.run(21 + 10 * job, hog)
        make.suspend(22 + 10 * job, hog, at: ["index\(job)()", "pause()"], reason: 5)
        return hog
      }
      var time = 100_000
      for number in 0..<requests {
        let (job, hog) = (number % jobs, hogs[number % jobs])
        make.resume(time, hog)
        make.run(time + 5, hog)
        make.resume(time + 10, id)
        for (place, at) in stride(from: time + period / 2, to: time + held, by: period).enumerated() {
          make.trace.sample(at, 2, make.trace.stack(stacks[place % stacks.count]))
        }
        let free = time + held
        make.suspend(free, hog, at: ["index\(job)()", "rebuild\(job)()"])
        make.run(free + 5, id)
        make.suspend(free + 15, id, at: ["serve()", "price()"])
        make.resume(free + 100, hog)
        make.run(free + 105, hog)
        make.suspend(free + 110, hog, at: ["index\(job)()", "pause()"], reason: 5)
        make.resume(free + 15 + outside, id)
        make.run(free + 20 + outside, id)
        make.suspend(free + 25 + outside, id, at: ["serve()", "next()"])
        time += gaps[number % gaps.count]
      }
      return make
    }
  }

  @Test("a function that has the thread for which requests wait is told, with its share of the time of slow ones")
  func others() throws {
    let all = try found(Hogged().trace)
    #expect(
      all.map(\.title) == [
        "'compress()' (main.swift:7), called by 'rebuild()', takes 100 % of the processor time, and requests are slow because "
          + "of it: 50 % of the time of slow 'price()' (p99 40 ms)"
      ])
    let finding = try #require(all.first)
    #expect(finding.severity == .warning)
    #expect(finding.location?.function == "compress()" && finding.location?.lineText == "main.swift:7")
    #expect(finding.explanation == "They wait for a thread, which it has meanwhile.")
    #expect(
      finding.evidence.map(\.text) == [
        "threads are busy with it: 100 % of it for 'rebuild0()'",
        "of the slow 'price()' (p99 40 ms of 60) this takes 20 ms, 50 % of their time; of those about the median 20 ms",
      ])
  }

  @Test("a third of the slow ones' time, 10 ms, 50 samples: with less there is no finding")
  func limits() throws {
    #expect(
      try titles(Hogged(outside: 40_000)).first?.contains(": 33 % of the time of slow 'price()' (p99 60 ms)") == true)
    #expect(try titles(Hogged(outside: 41_000)).isEmpty)
    #expect(try titles(Hogged(held: 6_000, outside: 3_985)).first?.hasSuffix(" (p99 10 ms)") == true)
    #expect(try titles(Hogged(held: 6_000, outside: 3_984)).isEmpty)
    #expect(try titles(Hogged(requests: 50, period: 20_000)).count == 1)
    #expect(try titles(Hogged(requests: 49, period: 20_000)).isEmpty)
  }

  @Test("what comes after the same time again and again is told with its period, if most of it does")
  func periodic() throws {
    let finding = try #require(try found(Hogged(gaps: [100_000]).trace).first)
    #expect(
      finding.title.hasPrefix(
        "'compress()' (main.swift:7), called by 'rebuild()', runs each 100 ms for 20.1 ms, and requests are slow "
          + "because of it: "
      ),
      "\(finding.title)")
    #expect(finding.fix.hasPrefix("Do it in small steps, "))
    // Each of three jobs has a period, and a third of it.
    let three = try titles(Hogged(gaps: [100_000], jobs: 3))
    #expect(three.first?.contains(", takes 100 % of the processor time, and ") == true, "\(three)")
  }

  @Test("a function that many others call is told without them")
  func helper() throws {
    let callers = (0..<5).map { ["index()", "step\($0)()", "compress()"] }
    let all = try found(Hogged(stacks: callers, jobs: 5).trace)
    #expect(
      all.map(\.title) == [
        "'compress()' (main.swift:11) takes 100 % of the processor time, and requests are slow because of it: 50 % of the time "
          + "of slow 'price()' (p99 40 ms)"
      ])
    #expect(all.first?.location?.function == "compress()")
    #expect(
      all.first?.evidence.map(\.text) == [
        "threads are busy with it: 20 % of it for 'rebuild0()', 20 % for 'rebuild1()', 20 % for 'rebuild2()'",
        "of the slow 'price()' (p99 40 ms of 60) this takes 20 ms, 50 % of their time; of those about the median 20 ms",
      ])
    #expect(try titles(Hogged(outside: 41_000, stacks: callers, jobs: 5)).isEmpty)
  }

  @Test("a kind of unit that has the thread in many functions is told, and none of these is said to be most of it")
  func route() throws {
    let steps = (0..<10).map { ["index()", "rebuild()", "step\($0)()"] }
    let all = try found(Hogged(stacks: steps).trace)
    #expect(
      all.map(\.title) == [
        "'rebuild0()' (main.swift:17) keeps the threads busy. This takes 50 % of the time of slow 'price()' (p99 40 ms)"
      ])
    let finding = try #require(all.first)
    #expect(finding.severity == .warning && finding.location?.function == "rebuild0()")
    #expect(finding.explanation == "They wait for a thread, which its units have meanwhile.")
    let largest = finding.evidence.first?.text ?? ""
    #expect(largest.hasPrefix("the largest part, 10 %, runs in 'step") && largest.hasSuffix(", called by 'rebuild()'"))
    #expect(try titles(Hogged(outside: 41_000, stacks: steps)).isEmpty)
    #expect(try titles(Hogged(stacks: steps, jobs: 5)).isEmpty, "many functions, for many kinds of units")
  }

  // MARK: - Requests run in it

  /// Requests that compute, one after another, and then wait for something outside of the program.
  private struct Computing {
    var held = 20_000
    var outside = 20_000
    /// Samples of other code, on another thread.
    var others = 0

    var trace: ServiceTrace {
      var make = ServiceTrace(sampled: true)
      let id = make.connection(10)
      for number in 0..<60 {
        let time = 100_000 * (number + 1)
        make.resume(time, id)
        make.run(time + 5, id)
        for at in stride(from: time + 500, to: time + held, by: 1_000) {
          make.trace.sample(at, 2, make.trace.stack(["serve()", "search()", "match()"]))
        }
        make.suspend(time + held, id, at: ["serve()", "search()"])
        make.resume(time + held + outside, id)
        make.run(time + held + outside + 5, id)
        make.suspend(time + held + outside + 10, id, at: ["serve()", "next()"])
      }
      for number in 0..<others {
        make.trace.sample(100_000 + 1_000 * number, 4, make.trace.stack(["export()", "render()"]))
      }
      return make
    }
  }

  @Test("a function in which requests run is told if it has two fifths of all samples, and nobody is said to wait")
  func itself() throws {
    let all = try found(Computing(others: 1_800).trace)
    #expect(
      all.map(\.title) == [
        "'match()' (main.swift:4), called by 'search()', takes 40 % of the processor time, and requests are slow because "
          + "of it: 50 % of the time of slow 'search()' (p99 40 ms)"
      ])
    let finding = try #require(all.first)
    #expect(finding.severity == .warning && finding.location?.function == "match()")
    #expect(finding.explanation == "They mostly run in it themselves.")
    #expect(try titles(Computing(others: 1_801)).isEmpty)
  }

  @Test("no finding: they wait outside for two thirds of their time; they are short")
  func healthy() throws {
    #expect(try titles(Computing(outside: 40_000)).count == 1)
    #expect(try titles(Computing(outside: 41_000)).isEmpty)
    #expect(try titles(Computing(held: 5_000, outside: 4_990)).count == 1)
    #expect(try titles(Computing(held: 5_000, outside: 4_980)).isEmpty)
  }

  @Test("no finding: a batch, of which each part waits for the threads that the others have")
  func batch() throws {
    var make = ServiceTrace(sampled: true)
    for number in 0..<60 {
      let time = 100_000 * (number + 1)
      let tasks = (0..<3).map { make.task(time + $0, "convert()", thread: 5) }
      for (place, id) in tasks.enumerated() {
        let began = time + 10 + place * 20_000
        make.run(began, id)
        for at in stride(from: began + 500, to: began + 20_000, by: 1_000) {
          make.trace.sample(at, 2, make.trace.stack(["convert()", "compress()"]))
        }
        make.end(began + 19_990, id)
      }
    }
    #expect(try found(make).isEmpty)
  }
}
