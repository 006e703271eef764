import OpTraceModel
import OpTracePrediction
import TestSupport
import Testing

@Suite("Bodies that compute share the processors")
struct ProcessorTests {
  /// Operations of one queue that all begin at 0, with their duration and processor time in milliseconds.
  private func trace(processors: Int, limit: Int, _ bodies: [(begin: Int, end: Int, used: Int)]) throws -> Trace {
    var lines: [(time: Int, text: String)] = []
    for (index, body) in bodies.enumerated() {
      let (id, thread) = (index + 1, index + 2)
      lines += [
        (0, "t1 created #\(id) class=\"Step\""), (0, "t1 enqueued #\(id) queue=q1 priority=0"), (0, "t1 ready #\(id)"),
        (body.begin, "t\(thread) started #\(id)"), (body.begin, "t\(thread) began #\(id)"),
        (body.begin, "t\(thread) cpu #\(id) used=0"), (body.end, "t\(thread) ended #\(id)"),
        (body.end, "t\(thread) cpu #\(id) used=\(body.used * 1_000_000)"), (body.end, "t\(thread) finished #\(id)"),
        (body.end, "t\(thread) start-returned #\(id)"),
      ]
    }
    let sorted = lines.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
    let text =
      "0 t1 queue q1 limit=\(limit) \"work\"\n"
      + sorted.map { "\($0.element.time) \($0.element.text)\n" }.joined()
    var trace = TraceBuilder.build(try TraceText.parse(TypedTrace().text(text, in: .milliseconds)))
    trace.header.processors = processors
    return trace
  }

  private func wall(_ trace: Trace, _ option: ChangeOption, _ value: String) throws -> Nanoseconds? {
    try Predictor(trace).predict([ChangeParser(trace).parse(option, value)]).wall?.likely
  }

  private func near(_ time: Nanoseconds?, _ milliseconds: Int) -> Bool {
    guard let time else { return false }
    return abs(time - Nanoseconds(milliseconds) * 1_000_000) < 200_000
  }

  @Test("four computing bodies on two processors take twice as long, and more slots do not help")
  func computing() throws {
    // Four bodies that each need 10 ms of processor time take 20 ms on two processors.
    let crowded = try trace(processors: 2, limit: 4, Array(repeating: (0, 20, 10), count: 4))
    let predictor = try Predictor(crowded)
    #expect(abs(predictor.replay.errorShare ?? 1) < 0.01)
    #expect(near(try wall(crowded, .limit, "work=2"), 20))
    #expect(near(try wall(crowded, .limit, "work=1"), 40))
    #expect(near(try wall(crowded, .processors, "4"), 10))
    #expect(near(try wall(crowded, .processors, "1"), 40))
    #expect(near(try wall(crowded, .faster, "Step=2"), 10))
  }

  @Test("sleeping bodies do not slow each other down") func sleeping() throws {
    let idle = try trace(processors: 2, limit: 4, Array(repeating: (0, 20, 0), count: 4))
    #expect(near(try wall(idle, .limit, "work=2"), 40))
    #expect(near(try wall(idle, .processors, "4"), 20))
    // One computes all the time, three sleep.
    let mixed = try trace(processors: 1, limit: 4, [(0, 20, 20), (0, 20, 0), (0, 20, 0), (0, 20, 0)])
    #expect(abs(try Predictor(mixed).replay.errorShare ?? 1) < 0.01)
  }

  @Test("two bodies that computed one after the other slow each other down on one processor")
  func meeting() throws {
    let serial = try trace(processors: 1, limit: 1, [(0, 10, 10), (10, 20, 10)])
    #expect(near(try wall(serial, .limit, "work=2"), 20))
    let two = try trace(processors: 2, limit: 1, [(0, 10, 10), (10, 20, 10)])
    #expect(near(try wall(two, .limit, "work=2"), 10))
  }

  @Test("the assumptions say whether bodies share processors: only with known processor times")
  func assumptions() throws {
    let known = try trace(processors: 2, limit: 1, [(0, 10, 10)])
    let option = try ChangeParser(known).parse(.limit, "work=2")
    let sentences = try Predictor(known).predict([option]).assumptions
    #expect(sentences.contains(Assumption.sharedProcessors.sentence))
    #expect(!sentences.contains(Assumption.bodiesDoNotCompete.sentence))
    let plain = HandmadeTrace.oneOperation
    let others = try Predictor(plain).predict([ChangeParser(plain).parse(.processors, "1")]).assumptions
    #expect(others.contains(Assumption.bodiesDoNotCompete.sentence))
  }
}

extension HandmadeTrace {
  fileprivate static var oneOperation: Trace {
    var trace = HandmadeTrace()
    trace.operation("a", on: trace.queue("work", limit: 1), began: 0, ended: 10)
    return trace.trace
  }
}
