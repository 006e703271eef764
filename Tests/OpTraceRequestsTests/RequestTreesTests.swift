@testable import OpTraceKernel
@testable import OpTraceDoctor
@testable import OpTraceRequests
import OpTraceAnalysis
import OpTraceModel
import TestSupport
import Testing

@Suite("Trees of units: a unit, and the work that it submitted")
struct RequestTreesTests {
  /// Rounds that wait; the last one is the longest, and has a child task and a grandchild.
  private func requests() throws -> Requests {
    var service = ServiceTrace()
    let id = service.connection(10)
    for round in 0..<10 { service.round(1000 * (round + 1), id, ["checkout()"], waited: 100 + round) }
    service.resume(20000, id)
    service.run(20010, id)
    let child = service.task(20012, "load()", by: id)
    service.suspend(20020, id, at: ["serve()", "checkout()"])
    service.run(20030, child)
    let grandchild = service.task(20035, "fetch()", by: child)
    service.end(20080, child)
    service.run(20090, grandchild)
    service.end(20120, grandchild)
    service.resume(20620, id)
    service.run(20630, id)
    service.suspend(20640, id, at: ["serve()", "next()"])
    return Requests(of: try service.built(end: 30000), trees: .init(kinds: 1, units: 2))
  }

  @Test("the unit comes first, then the work below it, each within the unit's time")
  func lines() throws {
    let requests = try requests()
    let slowest = try #require(requests.kinds.first?.slowest.first)
    let lines = try #require(requests.trees[slowest])
    #expect(lines.map(\.depth) == [0, 1, 2])
    #expect(lines.map { $0.began / 1000 } == [20000, 20012, 20035])
    #expect(lines.map { $0.ended / 1000 } == [20640, 20080, 20120])
    #expect(requests.trees.count == 2)
  }

  @Test("pieces say what a work did, in the order of time")
  func pieces() throws {
    let requests = try requests()
    let slowest = try #require(requests.kinds.first?.slowest.first)
    let lines = try #require(requests.trees[slowest])
    func words(_ line: Requests.Line) -> [String] {
      line.pieces.map { "\(requests.causes[Int($0.cause)].what.rawValue) \(($0.ended - $0.began) / 1000)" }
    }
    #expect(words(lines[0]) == ["thread 10", "running 10", "outside 600", "thread 10", "running 10"])
    #expect(words(lines[1]) == ["thread 18", "running 50"])
    #expect(lines[0].pieces.reduce(0) { $0 + $1.ended - $1.began } == requests.units[slowest].length)
  }

  @Test("there are no trees unless they are requested")
  func none() throws {
    var service = ServiceTrace()
    let id = service.connection(10)
    for round in 0..<10 { service.round(1000 * (round + 1), id, ["checkout()"], waited: 100) }
    #expect(Requests(of: try service.built(end: 30000)).trees.isEmpty)
  }
}
