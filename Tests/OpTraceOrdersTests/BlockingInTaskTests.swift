import OpTraceAnalysis
import OpTraceDoctor
import OpTraceModel
import Testing

/// Which hand-overs may hang when more do them at once.
@Suite("blocking-in-task") struct BlockingInTaskTests {
  private func findings(_ lines: String) throws -> [Finding] {
    let head = """
      optrace text 1
      process 1 "p"
      writer "1.0.0"
      processors 2
      mode streaming
      wall 0
      monotonic 0
      state closed

      0 t1 thread t1 tid=1 "main"
      0 t9 thread t9 tid=9 "optrace"
      0 t9 orders
      1 t1 queue q1 limit=3 "narrow"
      1 t1 queue q2 limit=-1 "wide"
      1 t1 task #1
      1 t1 task #2 by=#1
      2 t1 created #3 class="A"
      2 t1 enqueued #3 queue=q1
      2 t1 created #4 class="B"
      2 t1 enqueued #4 queue=q1
      2 t1 created #5 class="C"
      2 t1 enqueued #5 queue=q2

      """
    let trace = TraceBuilder.build(try TraceText.parse(head + lines + "\n"))
    return Diagnosis(of: trace).findings.filter { $0.code == "blocking-in-task" }
  }

  @Test("tasks that wait for tasks, and how many at once hang") func tasks() throws {
    let found = try findings("9 t9 handover #1 by=2 kind=5 count=7")
    #expect(found.count == 1 && found[0].certainty == .possible && found[0].severity == .warning)
    #expect(found.first?.title.contains("2 at once would hang here") == true, "\(found.map(\.title))")
    #expect(found.first?.evidence.contains { $0.text == "seen 7 times" } == true)
  }

  @Test("operations that wait for others of their narrow queue") func operations() throws {
    #expect(try findings("9 t9 handover #3 by=4 kind=6 count=1").first?.title.contains("3 at once") == true)
    #expect(try findings("9 t9 handover #3 by=5 kind=5 count=1").isEmpty)
    #expect(try findings("9 t9 handover #5 by=3 kind=5 count=1").isEmpty)
  }

  @Test(
    "locks, limits of time, and who is outside of the pool",
    arguments: [
      "#1 by=2 kind=5 lock", "#1 by=2 kind=5 timed", "#0 by=2 kind=5", "#1 kind=5", "#1 by=4 kind=5", "#1 by=1 kind=5",
    ])
  func others(_ fields: String) throws {
    #expect(try findings("9 t9 handover \(fields) count=1").isEmpty)
  }
}
