import Foundation
import OpTraceModel
import TestSupport
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

  /// The golden ones besides, which have every kind of event: a new list needs no line here.
  private static func texts() throws -> [TraceEvents] {
    let golden = SampleTraces.textNames.filter { $0.hasPrefix("good-") }
    return try [TraceText.parse(text)]
      + golden.map { try TraceReader.events(path: SampleTraces.textFolder.appendingPathComponent($0 + ".txt").path) }
  }

  /// The lists of both, and that none is empty in all traces.
  private func everyList(_ pairs: [(Trace, Trace)], _ check: (_ name: String, _ list: [Any], _ left: [Any]) -> Void) {
    var all: Set<String> = []
    var found: Set<String> = []
    for (one, other) in pairs {
      for (before, after) in zip(Mirror(reflecting: one).children, Mirror(reflecting: other).children) {
        guard let name = before.label, let list = before.value as? [Any], let left = after.value as? [Any] else {
          continue
        }
        all.insert(name)
        guard !list.isEmpty else { continue }
        found.insert(name)
        check(name, list, left)
      }
    }
    #expect(all.subtracting(found) == [], "no golden text has these: give them one")
  }

  @Test("values of others are removed from every list, and each value has an owner") func lists() throws {
    let pairs = try Self.texts().map { events in
      let whole = TraceBuilder.build(events)
      var none = whole
      none.keep { _ in false }
      return (whole, none)
    }
    everyList(pairs) { name, list, left in
      let owners = list.compactMap { ($0 as? any TraceOwned)?.owner }
      #expect(owners.count == list.count, "the values of `\(name)` do not say whose they are (TraceOwned)")
      #expect(left.count == owners.count { $0 == .everybody }, "`Trace.keep` forgets `\(name)`")
    }
    let none = try #require(pairs.first).1
    #expect(none.threads.count == 2 && none.lastSign == nil)
  }

  /// Lists of unfinished work and of definitions stay.
  @Test("a growing trace empties every list to which nothing refers") func forgets() throws {
    let pairs = try Self.texts().map { events in
      var builder = TraceBuilder(growing: events.header, forgets: true)
      builder.add(newest: events)
      let before = builder.snapshot()
      builder.forget(finishedBefore: .max)
      return (before, builder.snapshot())
    }
    let stay: Set = [
      "threads", "queues", "dispatchQueues", "operations", "blocks", "tasks", "waits", "holdups", "objects", "spans",
      "loops", "orders", "handovers", "threadStarts",
    ]
    everyList(pairs) { name, _, left in
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
