@testable import OpTraceRequests
import Foundation
import OpTraceModel
import TestSupport
import Testing

import OpTraceAnalysis
import OpTraceReport

@Suite("Units of work in a report's data")
struct RequestsDocumentTests {
  private func data(_ trace: Trace) throws -> [String: Any]? {
    var bytes: [UInt8] = []
    try ReportExporter(trace, page: .standard, graph: nil).write { bytes += $0 }
    let page = String(decoding: bytes, as: UTF8.self)
    let begin = try #require(page.range(of: "id=\"data\">")?.upperBound)
    let end = try #require(page.range(of: "</script>", range: begin..<page.endIndex)?.lowerBound)
    let all = try JSONSerialization.jsonObject(with: Data(page[begin..<end].utf8)) as? [String: Any]
    return all?["requests"] as? [String: Any]
  }

  private func operations(_ count: Int, named name: String = "Step") -> Trace {
    var make = HandmadeTrace("steps", unit: .nanoseconds)
    let queue = make.queue("work", limit: 1)
    for number in 0..<count {
      let id = make.operation(
        "step \(number)", on: queue, began: Nanoseconds(number * 10000),
        ended: Nanoseconds(number * 10000 + 100 + number))
      make[id].className = name
    }
    return make.trace
  }

  @Test("of many units the data has the slowest and a sample of the others, and counts all")
  func manyUnits() throws {
    let requests = try #require(try data(operations(5000)))
    let facts = try #require(requests["facts"] as? [String: Any])
    let kind = try #require((facts["kinds"] as? [[String: Any]])?.first)
    #expect(kind["count"] as? Int == 5000 && kind["units"] as? Int == 2000 && kind["slowest"] as? Int == 200)
    #expect((kind["buckets"] as? [Int])?.reduce(0, +) == 5000)
    #expect((requests["units"] as? [String: Any])?["count"] as? Int == 2000)
    // One row is for the operation itself.
    #expect((requests["lines"] as? [String: Any])?["count"] as? Int == ReportRequests.trees.units)
  }

  @Test("the data has all of few units")
  func fewUnits() throws {
    let facts = try #require(try data(operations(30))?["facts"] as? [String: Any])
    let kind = try #require((facts["kinds"] as? [[String: Any]])?.first)
    #expect(kind["units"] as? Int == 30 && kind["slowest"] as? Int == 30)
  }

  @Test("the data has all words for what units do, in order")
  func words() throws {
    let facts = try #require(try data(operations(1))?["facts"] as? [String: Any])
    #expect((facts["whats"] as? [[String]])?.map { $0[0] } == Requests.What.allCases.map(\.rawValue))
  }

  @Test("names are not changed", arguments: ["</script><b>", "\"\\", "\u{2028}"])
  func names(name: String) throws {
    let facts = try #require(try data(operations(1, named: name))?["facts"] as? [String: Any])
    #expect((facts["kinds"] as? [[String: Any]])?.first?["name"] as? String == name)
  }

  @Test("a trace without work has no data of units")
  func none() throws {
    #expect(try data(operations(0)) == nil)
  }

  @Test("there are four buckets for each doubling, without a gap")
  func buckets() {
    #expect([0, 1, 2, 3, 4, 8, 1000, 1024].map { ReportRequests.bucket(of: $0) } == [0, 0, 4, 6, 8, 12, 39, 40])
    var last = 0
    for time in 1..<5000 {
      let bucket = ReportRequests.bucket(of: Nanoseconds(time))
      #expect(bucket >= last && bucket <= last + 4)
      last = bucket
    }
  }
}
