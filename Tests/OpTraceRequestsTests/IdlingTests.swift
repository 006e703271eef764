import OpTraceAnalysis
import OpTraceModel
import OpTraceRequests
import TestSupport
import Testing

/// Loops that wait for the next request at more than one line. Times are in microseconds.
@Suite("Where a loop idles") struct IdlingTests {
  /// In the same call, from two lines of the loop.
  private static let idle = ["serve()", "nio.so!iterator()", "nio.so!next()"]
  private static let other = ["serve()", "nio.so!next()"]

  private enum Step { case idles, waitsThere, gets, posts, closes }

  /// Twelve connections; each does this again and again, and is asked something 20 ms after it idles. `first`: what it does before.
  /// `last`: what it does, behind idling, before it closes.
  /// `unused`: so many more connections are never asked anything, and closed.
  private func requests(
    first: [Step] = [], _ steps: [Step], times: Int = 6, last: [Step]? = nil, waitsThere: Int = 20_000,
    unused: Int = 0
  ) throws -> Requests {
    var make = ServiceTrace()
    for connection in 0..<unused {
      let id = make.task(900 + connection, "serve()")
      make.run(910 + connection, id)
      make.suspend(920 + connection, id, at: Self.other)
      make.resume(8_000_000 + connection, id)
      make.run(8_000_010 + connection, id)
      make.suspend(8_000_020 + connection, id, at: ["serve()", "close()"])
      make.resume(8_001_000 + connection, id)
      make.run(8_001_010 + connection, id)
      make.end(8_001_020 + connection, id)
    }
    for connection in 0..<12 {
      var time = 1000 + connection * 50
      let id = make.task(time, "serve()")
      let end = last.map { [.idles] + $0 + [.closes] } ?? []
      for step in first + Array(repeating: steps, count: times).joined() + end {
        make.run(time + 10, id)
        let (stack, waited) =
          switch step {
          case .idles: (Self.idle, 20_000)
          case .waitsThere: (Self.other, waitsThere)
          case .gets: (["serve()", "get()"], 3000)
          case .posts: (["serve()", "post()"], 5000)
          case .closes: (["serve()", "close()"], 1000)
          }
        make.suspend(time + 20, id, at: stack)
        time += waited
        make.resume(time, id)
      }
      make.run(time + 10, id)
      if last != nil { make.end(time + 20, id) } else { make.suspend(time + 20, id, at: Self.idle) }
    }
    return Requests(of: try make.built(end: 10_000_000))
  }

  private func counts(_ requests: Requests) -> [String: Int] {
    Dictionary(requests.kinds.map { ($0.name, $0.count) }) { $0 + $1 }
  }

  @Test("behind a request with a body, at another line: each request is a unit, and idling is part of none")
  func behindABody() throws {
    let found = try requests([.idles, .gets, .idles, .posts, .waitsThere, .gets])
    #expect(counts(found) == ["get()": 144, "post()": 72])
    #expect(found.kinds.allSatisfy { $0.max < 6_000_000 })
  }

  @Test("before the first request, at another line: that request is a unit like the others")
  func beforeTheFirst() throws {
    let found = try requests(first: [.waitsThere, .posts], [.idles, .gets, .idles, .posts])
    #expect(counts(found) == ["get()": 72, "post()": 84])
    #expect(found.kinds.allSatisfy { $0.max < 6_000_000 })
  }

  @Test("connections that are never asked anything change nothing, and are no requests")
  func unused() throws {
    let found = try requests(first: [.waitsThere, .posts], [.idles, .gets, .idles, .posts], unused: 200)
    #expect(counts(found) == ["get()": 72, "post()": 84])
    #expect(found.kinds.allSatisfy { $0.max < 6_000_000 })
  }

  @Test("closing a connection is no request, and the last request is one")
  func closing() throws {
    let closed = try requests([.idles, .gets], last: [])
    #expect(counts(closed) == ["get()": 72])
    let asked = try requests([.idles, .gets], last: [.gets])
    #expect(counts(asked) == ["get()": 84])
  }

  @Test("a loop that reads a body right behind the beginning of a request does not idle there")
  func body() throws {
    let found = try requests([.idles, .waitsThere, .posts, .idles, .gets])
    #expect(counts(found) == ["get()": 72, "post()": 72])
    #expect(found.kinds.first { $0.name == "post()" }.map { $0.p50 > 20_000_000 } == true, "its body is part of it")
  }

  @Test("where a loop waits shorter by far, something is under way")
  func shortWaits() throws {
    let found = try requests([.idles, .gets, .waitsThere, .posts], waitsThere: 1000)
    #expect(found.kinds.map(\.count) == [72])
  }
}
