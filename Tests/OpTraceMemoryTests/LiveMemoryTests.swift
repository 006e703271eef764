import OpTraceSamples
import OpTraceText
import TestSupport
import Testing

@testable import OpTraceLive
@testable import OpTraceMemory
@testable import OpTraceModel

@Suite("Memory in the last ten seconds") struct LiveMemoryTests {
  /// Twenty seconds: each allocates 1,000 bytes that stay and 500 that are given back after half a second.
  private func made() -> MemoryTrace {
    var made = MemoryTrace()
    let keep = made.sampled.stack(["main", "keep()"])
    let drop = made.sampled.stack(["main", "drop()"])
    for second in 0..<20 {
      made.look(at: second * 1000, resident: 10_000 + second * 10, anonymous: 1000 + second)
      made.allocate(1000, at: second * 1000 + 100, in: keep, type: "Photos.Entry")
      let block = made.allocate(500, at: second * 1000 + 200, in: drop)
      made.free(block, at: second * 1000 + 700)
    }
    return made
  }

  private func section(_ sections: [any LiveSection]) throws -> LiveMemory {
    try #require(sections.lazy.compactMap { $0 as? LiveMemory }.first)
  }

  /// As a reader delivers it, in pieces.
  private func state(_ events: TraceEvents, pieces size: Int) -> LiveState {
    var state = LiveState(events.header, showing: .memory)
    var next = 0
    while next < events.count {
      let end = min(events.count, next + size)
      var piece = TraceEvents(header: events.header)
      (piece.strings, piece.loss, piece.heartbeat) = (events.strings, events.loss, events.heartbeat)
      for index in next..<end { piece.append(events[index]) }
      state.take(LiveReader.News(events: piece), asked: piece.last?.time ?? 0)
      next = end
    }
    return state
  }

  @Test("what lives counts however old it is, what was allocated only if it was in these seconds")
  func figures() throws {
    let trace = try made().trace(to: 20_000)
    let memory = try section(SectionSet.memory.sections(of: trace, until: 20_000_000_000))
    #expect(memory.live == 20_000 && memory.allocatedPerSecond == 1500)
    #expect(memory.resident == 10_190 * 1024 && memory.anonymous == 1019 * 1024)
    #expect(memory.function?.name == "keep()")
  }

  @Test("a program that is watched shows the same as its whole trace", arguments: [1, 7, 10_000])
  func watched(size: Int) throws {
    let events = try TraceText.parse(made().text(to: 20_000))
    let live = try section(state(events, pieces: size).sections(now: 20_000_000_000))
    let whole = try section(SectionSet.memory.sections(of: made().trace(to: 20_000), until: 20_000_000_000))
    #expect(live == whole && !live.isEmpty)
  }

  @Test("blocks that are gone are forgotten, those that live are not")
  func forgotten() throws {
    let events = try TraceText.parse(made().text(to: 20_000))
    var builder = TraceBuilder(growing: events.header, forgets: true)
    builder.add(newest: events)
    builder.forget(finishedBefore: 15_000_000_000)
    let kept = try #require(builder.snapshot().memory)
    #expect(kept.allocations.count == 20 + 5 && kept.readings.count == 5)
    builder.forget(finishedBefore: .max)
    #expect(builder.snapshot().memory?.allocations.isEmpty == true)
  }

  @Test("a filter shows the row if its function has the text; without samples there is none")
  func rows() throws {
    let trace = try made().trace(to: 20_000)
    let memory = try section(SectionSet.memory.sections(of: trace, until: 20_000_000_000))
    func rows(_ filter: String) -> Int { memory.tables(LiveFilter(text: filter)).map(\.rows.count).reduce(0, +) }
    #expect(rows("") == 1 && rows("KEEP") == 1 && rows("drop") == 0)
    #expect(
      memory.tables(LiveFilter(text: "")).first?.rows.first == [
        "10 MB resident", "1 MB", "20 kB", "1.5 kB", "keep()",
      ])
    guard case .object(let members)? = memory.members.first?.value else {
      Issue.record("no object")
      return
    }
    #expect(members.first == .init("residentBytes", .integer(10_190 * 1024)))
    let plain = LiveMemory()
    #expect(plain.isEmpty && plain.tables(LiveFilter(text: "")).allSatisfy(\.rows.isEmpty))
    #expect(plain.members == [.init("memory", .null)])
  }
}
