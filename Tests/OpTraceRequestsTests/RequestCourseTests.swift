@testable import OpTraceRequests
import OpTraceModel
import TestSupport
import Testing

@Suite("How units went over time")
struct RequestCourseTests {
  private static let second: Nanoseconds = 1_000_000_000

  private func units(_ ends: [(ended: Double, length: Double)], failed: Set<Int> = []) -> [Requests.Unit] {
    ends.enumerated().map { place, one in
      let ended = Nanoseconds(one.ended * 1e9)
      return .init(
        kind: 0, work: WorkID(UInt32(place + 1)), began: ended - Nanoseconds(one.length * 1e9), ended: ended,
        isFailed: failed.contains(place))
    }
  }

  @Test("a slice has the units that ended in it: how many a second, how long, and how many failed")
  func slices() throws {
    // Two a second of 0.1 s, but for one that fails after 3 s, from 0 to 60 s.
    var ends = (1...120).map { (ended: Double($0) / 2, length: 0.1) }
    ends[0].length = 0.5
    ends[80].length = 3
    let all = units(ends, failed: [80])
    let course = try #require(RequestCourse(of: all))
    #expect(course.first == 0 && course.last == 60 * Self.second && course.step == Self.second && course.count == 60)
    let slices = course.slices(of: all)
    #expect(slices.map(\.count).reduce(0, +) == 120 && slices.map(\.failed).reduce(0, +) == 1)
    #expect(slices[20] == .init(count: 2, failed: 0, perSecond: 2, p50: 100_000_000, p99: 100_000_000))
    #expect(slices[40] == .init(count: 2, failed: 1, perSecond: 2, p50: 100_000_000, p99: 3 * Self.second))
    #expect(slices[59].count == 3, "the last one ended at the end")
  }

  @Test("slices in which nothing ended have no latency")
  func gaps() throws {
    let all = units([(0.1, 0.1), (60, 0.1)])
    let slices = try #require(RequestCourse(of: all)).slices(of: all)
    #expect(slices.filter { $0.count > 0 }.count == 2)
    #expect(slices[30] == .init())
  }

  @Test(
    "there are at most 61 slices, of a round length, and they cover all", arguments: [1e-9, 7e-9, 0.3, 1, 59, 61, 4000])
  func axis(length: Double) throws {
    let course = try #require(RequestCourse(of: units([(length + 5, length)])))
    #expect((1...61).contains(course.count))
    #expect(course.start(0) == course.first && course.start(course.count) == course.last)
    for slice in 0..<course.count { #expect(course.start(slice) < course.start(slice + 1)) }
    var step = course.step
    while step % 10 == 0 { step /= 10 }
    #expect([1, 2, 5].contains(step))
  }

  @Test("without units, or without time, there is no course")
  func none() {
    #expect(RequestCourse(of: []) == nil)
    #expect(RequestCourse(of: units([(5, 0)])) == nil)
  }

  // MARK: - Pulses

  /// Requests that need a thread which a job has each second for 300 ms. `gaps`: between two begins, in ms.
  private func service(gaps: [Int]) throws -> Requests {
    var make = ServiceTrace()
    let timer = make.connection(5, ["tick()"])
    let connections = (0..<4).map { make.connection(10 + $0) }
    var events = ServiceFaults.Events()
    var free = 0
    var next = 500_000
    for gap in gaps {
      let (time, begin) = (next, next + 10)
      next += gap * 1000
      events.at(time) { $0.resume(time, timer) }
      events.at(begin) { $0.run(begin, timer) }
      events.at(begin + 10) { $0.suspend(begin + 10, timer, at: ["tick()", "flush()"]) }
      events.at(begin + 20) { $0.resume(begin + 20, timer) }
      events.at(begin + 25) { $0.run(begin + 25, timer) }
      events.at(begin + 300_000) { $0.suspend(begin + 300_000, timer, at: ["tick()", "next()"]) }
    }
    let begins = gaps.reduce(into: [500_000]) { $0.append(($0.last ?? 0) + $1 * 1000) }.dropLast()
    for number in 0..<400 {
      let (time, id) = (400_000 + number * 20_000, connections[number % 4])
      var ready = max(time + 5, free)
      if let busy = begins.first(where: { $0 <= ready && ready < $0 + 300_010 }) { ready = busy + 300_020 }
      free = ready + 100
      events.at(time) { $0.resume(time, id) }
      events.at(ready) { $0.run(ready, id) }
      events.at(ready + 20) { $0.suspend(ready + 20, id, at: ["serve()", "price()"]) }
      events.at(ready + 30) { $0.resume(ready + 30, id) }
      events.at(ready + 35) { $0.run(ready + 35, id) }
      events.at(ready + 50) { $0.suspend(ready + 50, id, at: ["serve()", "next()"]) }
    }
    events.add(to: &make)
    return Requests(of: try make.built(end: next + 9_000_000))
  }

  @Test("what comes back and takes time of slow units is marked, each time of it; what comes at any time is not")
  func pulses() throws {
    let requests = try service(gaps: Array(repeating: 1000, count: 7))
    let course = try #require(RequestCourse(of: requests.units))
    let kind = try #require(requests.kinds.firstIndex { $0.name == "price()" }, "\(requests.kinds.map(\.name))")
    let pulses = course.pulses(for: Int32(kind), in: requests, least: 0.03)
    #expect(pulses.map { requests.kinds[Int($0.kind)].name } == ["flush()"])
    let pulse = try #require(pulses.first)
    #expect(pulse.beat.period == Self.second && pulse.times.count == 7 && pulse.share > 0.5)
    #expect(pulse.times.allSatisfy { $0.upperBound - $0.lowerBound == pulse.beat.length })
    #expect(
      requests.phrase(pulse).hasPrefix("'flush()' comes back every 1 s and takes 300 ms: the slow ones lose "),
      "\(requests.phrase(pulse))")
    #expect(course.pulses(for: Int32(kind), in: requests, least: 1.1).isEmpty, "too little")
    let often = try service(gaps: Array(repeating: 1000, count: 130))
    let same = try #require(often.kinds.firstIndex { $0.name == "price()" })
    let many = try #require(RequestCourse(of: often.units)).pulses(for: Int32(same), in: often, least: 0.03)
    #expect(many.count == 1 && many[0].times.isEmpty, "too many to be told apart")
    let uneven = try service(gaps: [400, 1900, 700, 1500, 600, 1600, 900])
    let other = try #require(uneven.kinds.firstIndex { $0.name == "price()" })
    #expect(try #require(RequestCourse(of: uneven.units)).pulses(for: Int32(other), in: uneven, least: 0.03).isEmpty)
  }
}
