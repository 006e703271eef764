import OpTraceFormat
import TestSupport
import Testing

@testable import OpTraceModel

/// Event loops in traces with missing records, and turns that two threads recorded. The golden texts cover complete
/// traces.
@Suite("Event loops") struct LoopTests {
  private func events(_ lines: String) throws -> TraceEvents {
    try TraceText.parse(TypedTrace().text(lines, in: .milliseconds))
  }

  private func loop(_ lines: String) throws -> LoopRecord {
    let loops = TraceBuilder.build(try events(lines)).loops
    #expect(loops.count == 1)
    return try #require(loops.first)
  }

  /// Milliseconds in units of 16 ns.
  private func age(_ milliseconds: Int) -> Int { milliseconds * 62_500 }

  @Test("a turn that was recorded while it ran and at its end is one turn") func once() throws {
    let loop = try loop(
      """
      1000 t3 loop-turn t2 age=\(age(400)) open
      61000 t3 loop-turn t2 age=\(age(60_400)) open
      61500 t2 loop-turn t2 age=\(age(60_900))
      """)
    #expect(loop.longTurns == [.init(began: 600_000_000, ended: 61_500_000_000)])
    #expect(loop.longest == 60_900_000_000 && loop.openTurn == nil)
  }

  @Test("a late record of a turn that has ended does not open it again") func late() throws {
    let loop = try loop(
      """
      1000 t2 loop-turn t2 age=\(age(20))
      1001 t3 loop-turn t2 age=\(age(21)) open
      """)
    #expect(loop.longTurns == [.init(began: 980_000_000, ended: 1_000_000_000)])
  }

  @Test("a turn whose end is missing ends where it was last seen, and the last one is open") func lost() throws {
    let loop = try loop(
      """
      1000 t3 loop-turn t2 age=\(age(400)) open
      5000 t3 loop-turn t2 age=\(age(100)) open
      """)
    #expect(
      loop.longTurns == [.init(began: 600_000_000, ended: 1_000_000_000), .init(began: 4_900_000_000, ended: nil)])
    #expect(loop.openTurn?.began == 4_900_000_000)
  }

  @Test("a gap between records counts as one wait or one turn") func gaps() throws {
    let loop = try loop(
      """
      1000 t3 loop-turns t2 turns=9 busy=500000 idle=500000
      5000 t3 loop-turns t2 turns=1 open longest=900000 busy=1000000
      9000 t3 loop-turns t2 open longest=4900000 busy=1000000
      """)
    #expect(loop.seconds.map(\.busy) == [500_000_000, 0, 1_000_000_000, 3_000_000_000, 1_000_000_000])
    #expect(loop.seconds.map(\.idle) == [500_000_000, 3_000_000_000, 0, 0, 0])
    #expect(loop.seconds.dropFirst().map(\.began) == loop.seconds.dropLast().map(\.time))
    #expect(loop.turns == 10 && loop.busy == 5_500_000_000 && loop.idle == 3_500_000_000)
    #expect(loop.seconds.first?.utilisation == 0.5)
  }

  @Test("a growing trace forgets past turns, and keeps the sums") func forgets() throws {
    let events = try events(
      """
      1000 t3 loop-turns t2 turns=9 busy=500000 idle=500000
      2000 t2 loop-turn t2 age=\(age(20))
      2000 t3 loop-turns t2 turns=1 busy=20000 idle=980000
      3000 t3 loop-turns t2 turns=2 busy=30000 idle=970000
      3000 t3 loop-turns t4 manager idle=1000000
      """)
    var builder = TraceBuilder(growing: events.header, forgets: true)
    builder.add(newest: events)
    builder.forget(finishedBefore: 2_500_000_000)
    let loops = builder.snapshot().loops
    #expect(loops.map(\.turns) == [12, 0] && loops.map(\.isManager) == [false, true])
    #expect(loops.map(\.seconds.count) == [1, 1] && loops[0].longTurns.isEmpty)
    builder.forget(finishedBefore: 500_000_000_000)
    #expect(builder.snapshot().loops.isEmpty)
  }

  @Test("overlapping turns of one thread break a rule") func rules() throws {
    func texts(_ lines: String) throws -> [String] {
      TraceValidator.check(try events(lines)).filter { $0.rule == .nesting }.map(\.text)
    }
    #expect(
      try texts(
        """
        1000 t2 loop-turn t2 age=\(age(20))
        1500 t2 loop-turn t2 age=\(age(510))
        """) == ["a turn of the loop of thread t2 began before the turn before it had ended"])
    #expect(
      try texts(
        """
        1000 t3 loop-turn t2 age=\(age(20)) open
        1500 t2 loop-turn t2 age=\(age(540))
        """) == ["a turn of the loop of thread t2 began before the turn that was recorded before it"])
    #expect(
      try texts(
        """
        1000 t3 loop-turn t2 age=\(age(20)) open
        1500 t2 loop-turn t2 age=\(age(520))
        1500 t4 loop-turn t4 age=\(age(900))
        1600 t2 loop-turn t2 age=\(age(99))
        """) == [])
  }
}
