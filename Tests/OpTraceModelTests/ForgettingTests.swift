import OpTraceFormat
import TestSupport
import Testing

@testable import OpTraceModel

/// What a growing trace forgets of the time before a moment. Times are in milliseconds.
@Suite("Forgetting what is past") struct ForgettingTests {
  private func builder(_ lines: String) throws -> TraceBuilder {
    let events = try TraceText.parse(TypedTrace().text(lines, in: .milliseconds))
    var builder = TraceBuilder(growing: events.header, forgets: true)
    builder.add(newest: events)
    return builder
  }

  @Test("waits and spans that ended before the moment are forgotten, open ones stay") func waitsAndSpans() throws {
    var builder = try builder(
      """
      10 t1 queue q1 limit=1 "photos"
      20 t2 wait-queue q1
      30 t2 waited-queue q1
      40 t2 wait-queue q1
      60 t2 waited-queue q1
      70 t3 wait-queue q1
      20 t4 span #0 id=1 "early"
      30 t4 span-ended s1
      20 t4 span #0 id=2 "late"
      60 t4 span-ended s2
      20 t4 span #0 id=3 "open"
      """)
    builder.forget(finishedBefore: 50_000_000)
    let window = builder.snapshot()
    #expect(window.waits.map(\.began) == [40_000_000, 70_000_000])
    #expect(window.spans.map(\.name) == ["late", "open"])
    builder.forget(finishedBefore: .max)
    let rest = builder.snapshot()
    #expect(rest.waits.map(\.began) == [70_000_000])
    #expect(rest.spans.map(\.name) == ["open"])
  }

  @Test("unfinished tasks keep the last pieces of their past, finished tasks are forgotten") func tasks() throws {
    var lines = ["1 t2 task #1 how=0 priority=21 enqueued", "2 t2 task-run #1", "3 t2 task-suspended #1 reason=2"]
    for time in 1...40 {
      lines += ["\(time * 10) t2 task-run #1", "\(time * 10 + 5) t2 task-suspended #1 reason=2"]
    }
    lines += ["401 t2 task #2 by=#1 how=0 priority=21 enqueued", "402 t3 task-run #2", "403 t3 task-completed #2"]
    var builder = try builder(lines.joined(separator: "\n"))
    builder.forget(finishedBefore: 351_000_000, keeping: 10)
    let window = builder.snapshot()
    #expect(window.tasks.map(\.id.rawValue) == [1, 2] && window.tasks.map(\.isCut) == [true, false])
    // Ten from before the moment, and those that ended later or are open.
    #expect(window.tasks.first?.suspensions.count == 16)
    #expect(window.tasks.first?.runs.count == 16)
    builder.forget(finishedBefore: .max)
    let rest = builder.snapshot()
    #expect(rest.tasks.map(\.id.rawValue) == [1])
    #expect(rest.tasks.first?.suspensions.count == 8 && rest.tasks.first?.runs.count == 8)
  }
}
