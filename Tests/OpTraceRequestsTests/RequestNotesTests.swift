@testable import OpTraceRequests
import OpTraceModel
import TestSupport
import Testing

@Suite("Words at the pieces of a unit")
struct RequestNotesTests {
  /// The notes on a unit, of those that were slowest: the slowest of all, or the slowest with this cause.
  private func notes(_ make: ServiceTrace, end: Int, cause: Requests.What? = nil) throws -> [String] {
    let requests = Requests(of: try make.built(end: end), trees: .init(kinds: 1, units: 200))
    let kind = try #require(requests.kinds.first)
    let all = requests.slowest(of: kind, most: 200).compactMap { requests.trees[$0]?.first?.notes }
    let notes = all.first { notes in
      cause == nil || notes.contains { requests.causes[Int($0.cause)].what == cause }
    }
    return try #require(notes).map { note in
      let cause = requests.causes[Int(note.cause)]
      return "\(cause.what.rawValue) \(note.time / 1000) ×\(note.count)"
        + (requests.phrase(note).map { ": " + $0 } ?? "")
    }
  }

  @Test("what takes a part of a unit comes first, with how often")
  func calls() throws {
    var make = ServiceTrace()
    let id = make.connection(10)
    for number in 0..<30 {
      var time = 100_000 * (number + 1)
      make.resume(time, id)
      make.run(time + 1, id)
      for _ in 0..<(number == 20 ? 41 : 3) {
        make.suspend(time + 10, id, at: ["serve()", "list()", "query()"])
        make.resume(time + 1000, id)
        make.run(time + 1005, id)
        time += 1010
      }
      make.suspend(time + 1, id, at: ["serve()", "next()"])
    }
    #expect(try notes(make, end: 3_500_000) == ["outside 40590 ×41"])
  }

  @Test("who had what was waited for is named, with what that one did")
  func holders() throws {
    let service = ServiceFaults.locked(held: 40_000)
    let job = ", which blocks in recv from 127.0.0.1:5432 in 'store()' (main.swift:4)"
    let lock = try notes(service, end: 1_500_000, cause: .lock)
    #expect(lock == ["lock 39989 ×1: had meanwhile by 'flush()'" + job])
    // Of two threads it has one.
    #expect(try notes(service, end: 1_500_000) == ["thread 40053 ×1: had meanwhile by 'flush()' (50 %)" + job])
    let actor = try notes(ServiceFaults.actor(held: 3000, every: 2900), end: 2_000_000)
    #expect(actor.first?.contains(": had meanwhile by 'price()', which runs 'touch()'") == true, "\(actor)")
  }

  @Test("time on a processor is without the waits in it")
  func running() throws {
    var make = ServiceTrace()
    make.add(5, 2, "object-named object=0x800040000007 \"recv from 127.0.0.1:5432\"")
    let id = make.connection(10)
    var events = ServiceFaults.Events()
    for number in 0..<30 {
      let time = 100_000 * (number + 1)
      events.at(time) { $0.resume(time, id) }
      events.at(time) { $0.run(time, id) }
      events.at(time + 1) { $0.suspend(time + 1, id, at: ["serve()", "price()"]) }
      events.at(time + 2) { $0.resume(time + 2, id) }
      events.at(time + 3) { $0.run(time + 3, id) }
      events.wait(time + 4000, time + 10_000, id, 2, ServiceFaults.recv, at: ["serve()", "price()", "query()"])
      events.at(time + 10_500) { $0.suspend(time + 10_500, id, at: ["serve()", "next()"]) }
    }
    events.add(to: &make)
    let found = try notes(make, end: 3_500_000)
    #expect(found == ["call 6000 ×1", "running 4497 ×1"])
  }

  // MARK: - Spans

  @Test(
    "spans say method, route, status and id, by today's names and by older ones",
    arguments: [
      (["http.request.method=GET", "http.route=/stock", "type=1 http.response.status_code=503"], "GET /stock, 503"),
      (["http.method=POST", "http.target=/order", "type=1 http.status_code=200"], "POST /order, 200"),
      (["url.path=/", "http.request.id=7f3a"], "/, request 7f3a"), (["shard=3"], nil), ([], nil),
    ])
  func spans(attributes: [String], words: String?) throws {
    var make = ServiceTrace()
    let id = make.connection(10)
    make.resume(100, id)
    make.run(110, id)
    make.add(111, 2, "span #\(id) id=1 \"serve\"")
    make.add(112, 2, "span-context s1 kind=1 \"4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7\"")
    for attribute in attributes {
      let isNumber = attribute.hasPrefix("type=1 ")
      let text = isNumber ? String(attribute.dropFirst("type=1 ".count)) : attribute
      make.add(113, 2, "span-attribute s1 \(isNumber ? "type=1 " : "")\"\(text)\"")
    }
    make.add(150, 2, "span-ended s1")
    make.suspend(160, id, at: ["serve()", "next()"])
    let trace = try make.built(end: 1000)
    let requests = Requests(of: trace)
    let unit = try #require(requests.units.first { requests.kinds[Int($0.kind)].name == "serve" })
    #expect(UnitSpans(trace).words(unit) == words)
  }

  @Test("a failure has its words; work without a span has none")
  func failures() throws {
    var make = ServiceTrace()
    let id = make.connection(10)
    make.run(110, id)
    make.add(111, 2, "span #\(id) id=1 \"serve\"")
    make.add(112, 2, "span-context s1 kind=1 \"4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7\"")
    make.add(113, 2, "span-status s1 code=2 \"timeout\"")
    make.add(150, 2, "span-ended s1")
    let trace = try make.built(end: 1000)
    let unit = try #require(Requests(of: trace).units.first)
    #expect(unit.isFailed && UnitSpans(trace).words(unit) == "timeout")
    #expect(UnitSpans(trace).words(.init(kind: 0, work: unit.work, began: 0, ended: 1, isFailed: false)) == nil)
  }
}
