import OpTraceFormat
import TestSupport
import Testing

@testable import OpTraceModel

/// Work whose end a flight recorder has overwritten is not open.
@Suite struct LostEndTests {
  private func trace(_ ring: (completeSince: Nanoseconds, carried: Set<UInt32>)?) throws -> Trace {
    var events = try TraceText.parse(
      TypedTrace().text(
        """
        0 t1 thread t1 tid=1 "main"
        0 t1 queue q1 limit=1 "q"
        0 t1 dispatch-queue d1 width=1 "d"
        10 t1 task #1 priority=21 enqueued
        20 t2 task-run #1
        11 t1 task #2 priority=21 enqueued
        12 t1 submitted #3 queue=d1
        30 t3 run #3
        13 t1 created #4 class="Work"
        14 t1 enqueued #4 queue=q1
        15 t2 started #4
        900 t1 task #5 priority=21 enqueued
        """, in: .microseconds))
    events.ring = ring
    return TraceBuilder.build(events)
  }

  @Test func workWithAnOverwrittenEndHasAnUnknownOutcome() throws {
    let trace = try trace((completeSince: 500_000, carried: [2]))
    #expect(trace.tasks.map(\.isOutcomeKnown) == [false, true, true])
    // The first task is over when it was last seen; the carried one and the newer one are open.
    #expect(trace.tasks.map(\.over) == [20_000, nil, nil])
    #expect(trace.blocks.map(\.over) == [30_000] && trace.blocks.map(\.isOutcomeKnown) == [false])
    #expect(trace.operations.map(\.isOutcomeKnown) == [false] && trace.operations[0].coverage == .partial)
    #expect(trace.lostEnds == 3)
  }

  @Test func growingTraceFindsUnknownOutcomes() throws {
    let events = try TraceText.parse(
      TypedTrace().text(
        """
        0 t1 thread t1 tid=1 "main"
        10 t1 task #1 priority=21 enqueued
        11 t1 task #2 priority=21 enqueued
        900 t1 task #3 priority=21 enqueued
        """, in: .microseconds))
    var builder = TraceBuilder(growing: events.header)
    builder.add(events)
    let trace = builder.snapshot(completeSince: 500_000, carried: [WorkID(2)])
    #expect(trace.tasks.map(\.isOutcomeKnown) == [false, true, true])
    let whole = builder.snapshot()
    #expect(whole.tasks.map(\.isOutcomeKnown) == [true, true, true])
  }

  @Test func unfinishedWorkOfACompleteTraceIsOpen() throws {
    let trace = try trace(nil)
    #expect(trace.tasks.allSatisfy { $0.over == nil } && trace.blocks.allSatisfy { $0.over == nil })
    #expect(trace.operations.map(\.isOutcomeKnown) == [true])
  }

  @Test func numbersOfQueuesAreNotThoseOfWork() throws {
    var header = FileHeader()
    header.overwrittenBytes = 1
    var facts = try #require(RingFacts(header, []))
    for (kind, subject) in [(EventKind.queueCreated, UInt32(1)), (.started, 2), (.runBegan, 3), (.taskRun, 4)] {
      facts.noteCarried(RecordHead(kind: kind.rawValue, delta: 0, subject: subject))
    }
    #expect(facts.carried == [2, 3, 4])
  }

  private func chunk(_ sequence: UInt64, of thread: UInt32, at ticks: UInt64) -> LoadedChunk {
    LoadedChunk(offset: 0, sequence: sequence, baseTicks: ticks, thread: thread, kind: .events, words: 0..<0)
  }

  private func completeSince(_ chunks: [LoadedChunk], overwritten: UInt64 = 1) throws -> UInt64? {
    var header = FileHeader()
    header.overwrittenBytes = overwritten
    return RingFacts(header, chunks)?.completeSince
  }

  /// A new thread has lost nothing, and must not make work that hangs look lost.
  @Test func missingChunksDecideSinceWhenARingIsComplete() throws {
    let old = [chunk(4, of: 1, at: 100), chunk(9, of: 1, at: 300), chunk(12, of: 1, at: 700), chunk(3, of: 2, at: 90)]
    #expect(try completeSince(old) == 300)
    #expect(try completeSince(old + [chunk(13, of: 3, at: 900)]) == 300)
    #expect(try completeSince(old + [chunk(5, of: 4, at: 110), chunk(7, of: 4, at: 250)]) == 250)
    // Each thread has one chunk, so it is unknown when others were overwritten: at the latest when the last one was
    // handed out.
    #expect(try completeSince([chunk(3, of: 2, at: 90), chunk(13, of: 3, at: 900)]) == 900)
    #expect(try completeSince(old, overwritten: 0) == nil)
  }
}
