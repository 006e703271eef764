import OpTraceModel
import OpTracePrediction
import OpTraceText
import TestSupport
import Testing

@Suite("The text of what-if")
struct WhatIfTextTests {
  private func whatIf(_ name: String) throws -> WhatIf {
    var trace = HandmadeTrace()
    let queue = trace.queue("work", limit: 1)
    for index in 0..<20 {
      let begin = Double(index) * 10
      trace.operation("\(name) \(index)", on: queue, ready: 0, began: begin, ended: begin + 10)
    }
    let predictor = try Predictor(trace.trace, processors: 64)
    let parser = ChangeParser(trace.trace)
    return WhatIf([predictor], scenarios: [[[try parser.parse(.limit, "work=2")]], [[]]])
  }

  @Test("long lists are cut, and the rest is counted")
  func cuts() throws {
    let lines = WhatIfText(try whatIf("step")).text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[0] == "replayed 200 ms, recorded 200 ms: the replay matches")
    #expect(lines[2] == "--limit work=2")
    #expect(lines[3] == "  100 ms (98.0 ms to 102 ms), 100 ms less (50 %)")
    #expect(lines.contains("nothing changed"))
    #expect(lines.contains("  200 ms (196 ms to 204 ms), as recorded"))
    #expect(lines.contains { $0.hasPrefix("  critical path: ") && $0.hasSuffix(" and 8 more") })
  }

  @Test("hostile names cannot control the terminal")
  func hostile() throws {
    let text = WhatIfText(try whatIf("\u{1B}[31m\n")).text
    #expect(!text.contains("\u{1B}"))
  }

  @Test("a ranking has a line for each suggestion")
  func ranking() throws {
    let text = WhatIfText(try whatIf("step"), isRanking: true).text
    #expect(text.contains("  change           predicted  range              saves\n"))
    #expect(text.contains("  --limit work=2      100 ms  98.0 ms to 102 ms   50 %\n"))
  }
}
