import OpTraceModel
import Testing

@testable import OpTraceDiagnostics

@Suite struct QueueLinesTests {
  @Test func everyStateIsShownWithItsReason() throws {
    let lines = """
      1 t1 queue q1 limit=1 "net\\nwork"
      1 t1 queue q2 limit=-1 suspended "held"
      1 t1 queue q3 limit=2 "empty"
      2 t1 created #1 class="Load"
      2 t1 named #1 source="App/Load.swift:12" "Load \\u{1b}[31m"
      2 t1 enqueued #1 queue=q1 priority=0
      2 t1 created #2 class="Store"
      2 t1 depends #2 on=#1
      2 t1 enqueued #2 queue=q1 priority=0
      2 t1 created #3 class="Send"
      2 t1 enqueued #3 queue=q2 priority=0
      2 t1 ready #3
      2 t1 created #4 class="Sync" async
      2 t1 enqueued #4 queue=q2 priority=0
      2 t1 created #5 class="Orphan"
      3 t2 ready #1
      3 t2 started #1
      3 t2 began #1
      3 t2 wait #2
      3 t3 started #4
      3 t3 start-returned #4
      4 t1 cancel #4
      4 t1 wait-queue q1
      """
    let text = QueueLines(try typedTrace(lines), now: 1_004_000_000).text
    #expect(
      text == """
        queue 'net work' (limit 1): 1 executing, 1 pending
          executing 'Load \u{fffd}[31m' (#1, App/Load.swift:12), for 1 s, on thread 102 'worker', waits for 'Store' (#2), for 1 s
          pending 'Store' (#2), depends on 'Load \u{fffd}[31m' (#1)

        queue 'held' (no limit, suspended): 1 executing, 1 ready
          executing 'Sync' (#4), cancelled, for 1 s, on no thread: start() has returned
          ready 'Send' (#3), for 1 s

        empty: queue 'empty' (limit 2)

        in no queue
          pending 'Orphan' (#5), was never enqueued

        waiting threads
          thread 102 'worker' waits for 'Store' (#2), for 1 s, inside 'Load \u{fffd}[31m' (#1)
          the main thread waits for queue 'net work' to be empty, for 1 s
        """)
  }

  @Test func longListsAreCutAndCounted() throws {
    var lines = "1 t1 queue q1 limit=1 \"busy\"\n"
    for id in 1...50 { lines += enqueued(id, 1, at: 2, on: 1) + "2 t1 ready #\(id)\n" }
    let text = QueueLines(try typedTrace(lines), now: 3_000_000).text
    #expect(text.split(separator: "\n").count == 1 + 20 + 1)
    #expect(text.hasPrefix("queue 'busy' (limit 1): 50 ready\n"))
    #expect(text.hasSuffix("\n  … and 30 more ready"))
  }

  @Test func traceWithoutQueuesGivesASentence() throws {
    #expect(QueueLines(try typedTrace(""), now: 0).text == "no queue has been seen")
  }
}
