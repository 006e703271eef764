import OpTraceModel
import OpTracePrediction
import OpTraceText
import TestSupport
import Testing

/// Operations of a queue with one slot. Each runs for 20 ms, waits for a block of 80 ms, and runs for 10 ms.
@Suite("Operations that wait for work that needs a thread")
struct PoolTests {
  enum Recorded: CaseIterable {
    /// Each block with its submitter.
    case blocks
    /// The signals, but no blocks.
    case signals
    /// Only the waits of the operations.
    case waits
  }

  private func trace(_ recorded: Recorded, count: Int = 12, helper: String = "oot.default-qos") throws -> Trace {
    var text = """
      0 t2 thread t2 tid=12 "oot.default-qos"
      0 t3 thread t3 tid=13 "\(helper)"
      0 t1 queue q1 limit=1 "requests"\n
      """
    if recorded == .blocks { text += "0 t1 dispatch-queue d1 width=0 \"db\"\n" }
    for id in 1...count {
      text += "0 t1 created #\(id) class=\"Request\"\n0 t1 enqueued #\(id) queue=q1\n0 t1 ready #\(id)\n"
    }
    for id in 1...count {
      let (start, block) = ((id - 1) * 110, count + id)
      text += "\(start) t2 started #\(id)\n\(start) t2 began #\(id)\n"
      if recorded == .blocks {
        text += "\(start + 20) t2 submitted #\(block) by=#\(id) queue=d1\n\(start + 20) t3 run #\(block)\n"
      }
      text += "\(start + 20) t2 blocked #\(id) object=0x\(1000 + id) kind=semaphore\n"
      if recorded == .blocks { text += "\(start + 100) t3 ran #\(block)\n" }
      text += "\(start + 100) t2 unblocked #\(id) object=0x\(1000 + id) kind=semaphore\n"
      if recorded != .waits {
        text += "\(start + 100) t2 signalled #0 object=0x\(1000 + id) kind=semaphore age=1 thread=t3\n"
      }
      for what in ["ended", "finished", "start-returned"] { text += "\(start + 110) t2 \(what) #\(id)\n" }
    }
    var trace = TraceBuilder.build(try TraceText.parse(TypedTrace().text(text, in: .milliseconds)))
    trace.header.processors = 2
    return trace
  }

  private func predict(_ trace: Trace, limit: Int) throws -> Prediction {
    try Predictor(trace).predict([ChangeParser(trace).parse(.limit, "requests=\(limit)")])
  }

  @Test("more slots than threads starve the pool, and the prediction says so", arguments: Recorded.allCases)
  func starvation(_ recorded: Recorded) throws {
    let trace = try trace(recorded)
    let predictor = try Predictor(trace)
    let wall = try #require(predictor.recordedWall)
    #expect(predictor.replay.isTrusted, "\(predictor.replay)")
    let prediction = try predict(trace, limit: 8)
    #expect(prediction.shortages > 0)
    #expect(try #require(prediction.wall).likely > 2 * wall)
    let report = WhatIfText(WhatIf([predictor], scenarios: [[[try ChangeParser(trace).parse(.limit, "requests=8")]]]))
      .text
    #expect(report.contains("  starves the pool: operations that wait hold all its threads"), "\(report)")
    // No suggestion makes the run slower.
    for suggestion in predictor.suggestions() {
      #expect(try #require(suggestion.wall).likely < wall, "\(suggestion.changes.map(\.text))")
      #expect(!suggestion.changes.map(\.text).joined().contains("limit requests=8"))
    }
  }

  @Test("the pool does not matter if threads are never short") func overcommit() throws {
    let trace = try trace(.signals, helper: "oot.default-qos.overcommit")
    let prediction = try predict(trace, limit: 2)
    #expect(prediction.shortages == 0)
    #expect(try #require(prediction.wall).likely < 700_000_000)
  }

  @Test("a wait includes blocks that other blocks submit") func nested() throws {
    let text = """
      0 t2 thread t2 tid=12 "oot.default-qos"
      0 t3 thread t3 tid=13 "oot.default-qos"
      0 t1 queue q1 limit=1 "requests"
      0 t1 dispatch-queue d1 width=0 "db"
      0 t1 created #1 class="Request"
      0 t1 enqueued #1 queue=q1
      0 t1 ready #1
      0 t2 started #1
      0 t2 began #1
      20 t2 submitted #2 by=#1 queue=d1
      20 t2 blocked #1 object=0x1001 kind=group
      20 t3 run #2
      60 t3 submitted #3 by=#2 queue=d1
      60 t3 ran #2
      60 t3 run #3
      100 t3 ran #3
      100 t2 unblocked #1 object=0x1001 kind=group
      110 t2 ended #1
      110 t2 finished #1
      110 t2 start-returned #1
      """
    var trace = TraceBuilder.build(try TraceText.parse(TypedTrace().text(text, in: .milliseconds)))
    trace.header.processors = 2
    let predictor = try Predictor(trace)
    #expect(predictor.replay.isTrusted && predictor.replay.wall == 110_000_000, "\(predictor.replay)")
  }
}
