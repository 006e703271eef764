import OpTraceFormat
import Testing

@testable import OpTraceModel

/// Snapshots of which only the changes are recorded.
@Suite struct ChangedSnapshotTests {
  private let first = """
    optrace text 1
    100 t9 seen t1 cpu=20 state=2 call=203 reason=1 lock=0x7f0010 owner=t2
    110 t9 seen t2 cpu=30 state=2 call=36
    120 t9 seen t3 cpu=5 state=1 running
    130 t9 looked seen=3

    """

  private func snapshot(_ later: String) throws -> ThreadSnapshot {
    try #require(TraceBuilder.build(try TraceText.parse(first + later)).snapshot)
  }

  @Test func aSnapshotWithoutChangesIsTheOneBeforeAtALaterTime() throws {
    let before = try snapshot("")
    let after = try snapshot("200 t9 looked-again unchanged=3\n")
    #expect(!after.isPartial && after.time == 200)
    #expect(after.threads.map(\.thread) == before.threads.map(\.thread))
    #expect(after.threads.map(\.lock) == before.threads.map(\.lock))
    #expect(after.threads.map(\.cpuSince) == [0, 0, 0] && after.threads.map(\.since) == [70, 70, 70])
  }

  @Test func changedNewAndEndedThreadsAreTakenOver() throws {
    let after = try snapshot(
      """
      200 t9 seen t2 cpu=31 state=1 running
      210 t9 seen t3 state=5
      220 t9 seen t4 cpu=1 state=2
      230 t9 looked-again seen=3 unchanged=1 moved=2 refused=1

      """)
    #expect(after.threads.map(\.thread.rawValue) == [1, 2, 4])
    #expect(after.threads.map(\.isRunning) == [false, true, false])
    #expect(after.threads.map(\.cpu) == [20_000_000, 31_000_000, 1_000_000])
    #expect(after.moved == 2 && after.refused == 1 && !after.isPartial)
  }

  @Test func whatIsMissingMakesItPartial() throws {
    #expect(try snapshot("200 t9 looked-again unchanged=4\n").isPartial)
    #expect(try snapshot("200 t9 looked-again seen=1 unchanged=3\n").isPartial)
    let alone = TraceBuilder.build(try TraceText.parse("optrace text 1\n200 t9 looked-again unchanged=3\n"))
    #expect(alone.snapshot?.isPartial == true)
  }

  /// The beginning of the snapshot was overwritten.
  @Test func recordsOfAnotherSnapshotBeforeItAreLeftOut() throws {
    let after = try snapshot(
      """
      150 t9 seen t7 cpu=1 state=2
      200 t9 seen t2 cpu=31 state=1 running
      230 t9 looked-again seen=1 unchanged=2

      """)
    #expect(after.threads.map(\.thread.rawValue) == [1, 2, 3] && !after.isPartial)
  }
}

/// Since when nothing is missing from a ring.
@Suite struct CompleteSinceTests {
  private func text(_ line: String) -> String {
    "optrace text 1\nmode flight-recorder capacity=262144\nstate closed\noverwritten 5000\n" + line
      + "\n1000 t1 mark #0 \"one\"\n9000 t1 mark #0 \"two\"\n"
  }

  @Test func itIsKeptInTextAndInAFile() throws {
    let events = try TraceText.parse(text("complete-since 4000\n"))
    #expect(events.loss.completeSince == 4000)
    let bytes = TraceWriter.bytes(events)
    let read = try TraceReader.events(bytes: bytes)
    #expect(read.loss.completeSince == 4000)
    #expect(read.ring?.completeSince == 4000)
    #expect(TraceText.string(read).contains("\ncomplete-since 4000\n"))
    #expect(try TraceReader.read(bytes: bytes).loss.completeSince == 4000)
  }

  @Test func itIsNotKnownOfOlderTraces() throws {
    let events = try TraceReader.events(bytes: TraceWriter.bytes(try TraceText.parse(text(""))))
    #expect(events.loss.completeSince == nil)
  }
}
