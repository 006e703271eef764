import OpTraceModel
import Testing

/// Keeping a part of a trace works on all its lists, which are found by reflection.
@Suite("Keeping a part of a trace") struct KeepTests {
  private static let text = """
    optrace text 1
    process 1 "p"
    writer "1.0.0"
    mode streaming
    wall 0
    monotonic 0
    state closed

    0 t0 dispatch-queue d1 width=1 "disk"
    0 t1 thread t1 tid=1 "main"
    0 t2 thread t2 tid=2 "other"
    0 t1 queue q1 limit=1 "one"
    0 t1 queue q2 limit=1 "two"
    1 t1 created #1 class="A"
    2 t1 created #2 class="B"
    3 t1 mark #1 "mark one"
    3 t1 mark #2 "mark two"
    3 t1 mark #0 "mark of nobody"
    4 t1 span #1 id=1 "span one"
    4 t1 span #2 id=2 "span two"
    5 t2 wait #1
    6 t1 began #1
    7 t1 wait #2
    7 t1 blocked #2 object=0x10 kind=semaphore
    7 t1 blocked #2 object=0x20 kind=mutex
    7 t1 submitted #3 by=#2 queue=d1
    7 t1 submitted #4 by=#1 queue=d1
    7 t1 task #5 by=#1
    7 t1 task #6 by=#2
    8 t1 sampled f0 thread=t1
    8 t1 sampled f0 thread=t2
    9 t1 loop-turns t1 turns=1
    9 t1 loop-turns t2 turns=1
    9 t1 machine over=1000000 waited=500000

    """

  @Test("values of others are removed from every list, and each value has an owner") func lists() throws {
    let whole = try TraceReader.read(bytes: Array(Self.text.utf8))
    var none = whole
    none.keep { _ in false }
    for (before, after) in zip(Mirror(reflecting: whole).children, Mirror(reflecting: none).children) {
      guard let name = before.label, let list = before.value as? [Any], let left = after.value as? [Any] else {
        continue
      }
      #expect(!list.isEmpty, "this test's trace has no `\(name)`: give it one")
      let owners = list.compactMap { ($0 as? any TraceOwned)?.owner }
      #expect(owners.count == list.count, "the values of `\(name)` do not say whose they are (TraceOwned)")
      #expect(left.count == owners.count { $0 == .everybody }, "`Trace.keep` forgets `\(name)`")
    }
    #expect(none.threads.count == 2 && none.lastSign == nil)
  }

  /// Lists of unfinished work and of definitions stay.
  @Test("a growing trace empties every list to which nothing refers") func forgets() throws {
    let events = try TraceText.parse(Self.text)
    var builder = TraceBuilder(growing: events.header, forgets: true)
    builder.add(newest: events)
    let before = builder.snapshot()
    builder.forget(finishedBefore: .max)
    let stay: Set = [
      "threads", "queues", "dispatchQueues", "operations", "blocks", "tasks", "waits", "holdups", "objects", "spans",
      "loops",
    ]
    for (before, after) in zip(Mirror(reflecting: before).children, Mirror(reflecting: builder.snapshot()).children) {
      guard let name = before.label, let list = before.value as? [Any], let left = after.value as? [Any] else {
        continue
      }
      #expect(!list.isEmpty, "this test's trace has no `\(name)`: give it one")
      #expect(left.isEmpty || stay.contains(name), "`Trace.forgetMoments` does not empty `\(name)`")
    }
  }

  @Test("what belongs to an operation is kept with it") func operation() throws {
    var trace = try TraceReader.read(bytes: Array(Self.text.utf8))
    trace.keep { $0 == .operation(OperationID(1)) }
    #expect(trace.operations.map(\.id) == [OperationID(1)])
    #expect(trace.marks.map(\.name) == ["mark one"] && trace.spans.map(\.name) == ["span one"])
    #expect(trace.waits.map(\.target) == [.operation(OperationID(2))])
    #expect(trace.queues.isEmpty && trace.blocks.map(\.id) == [WorkID(4)] && trace.tasks.map(\.id) == [WorkID(5)])
    #expect(trace.lastSign == 7)
  }

  @Test("what a thread does outside of operations is kept with the thread, and so is its last sign of life")
  func thread() throws {
    var trace = try TraceReader.read(bytes: Array(Self.text.utf8))
    trace.keep { $0 == .thread(ThreadID(2)) }
    #expect(trace.operations.isEmpty && trace.waits.map(\.thread) == [ThreadID(2)])
    #expect(trace.lastSign == 5)
    trace.keep { $0 == .thread(ThreadID(1)) }
    #expect(trace.waits.isEmpty && trace.lastSign == nil)
  }
}
