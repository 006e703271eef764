import OpTraceFormat
import TestSupport
import Testing

@testable import OpTraceModel

/// A record of a ring is read from its own chunk or from where it was carried, and never from both.
@Suite struct LiveCarryTests {
  /// What a reader sees of one thread with records at `ticks`, a few in each chunk.
  private struct Ring {
    let ticks: [UInt64]
    let perChunk: Int
    var carry = LiveCarry()
    /// How often each record was handed out.
    var handedOut: [Int]
    var words: [UInt64] = []
    private var isSeen: Set<UInt64> = []
    private var highest: UInt64?

    init(_ ticks: [UInt64], perChunk: Int) {
      (self.ticks, self.perChunk) = (ticks, perChunk)
      handedOut = ticks.map { _ in 0 }
    }

    private mutating func entry(_ record: Int) -> TraceEvents.Entry {
      let start = words.count
      words += [RecordHead(kind: EventKind.started.rawValue, subject: UInt32(record)).word, 0]
      return .init(time: Int64(bitPattern: ticks[record]), thread: 1, wordIndex: UInt32(start))
    }

    private mutating func count(_ entries: [TraceEvents.Entry]) {
      for entry in entries { handedOut[Int(RecordHead(words[Int(entry.wordIndex)]).subject)] += 1 }
    }

    func records(of chunk: Int) -> Range<Int> { chunk * perChunk..<min((chunk + 1) * perChunk, ticks.count) }

    /// Reads a chunk.
    mutating func read(chunk number: Int) throws {
      var bytes = [UInt8](repeating: 0, count: Layout.Chunk.size)
      bytes.put(Layout.Chunk.magic, at: 0)
      bytes.put(UInt32(Layout.Chunk.size), at: Layout.Chunk.byteCount)
      bytes.put(UInt64(number), at: Layout.Chunk.sequence)
      bytes.put(ticks[records(of: number).lowerBound], at: Layout.Chunk.baseTicks)
      bytes.put(UInt32(1), at: Layout.Chunk.thread)
      bytes.put(Layout.ChunkKind.events.rawValue, at: Layout.Chunk.kind)
      bytes.put(Layout.ChunkState.open.rawValue, at: Layout.Chunk.state)
      let chunk = LiveChunk(try #require(ChunkHeader(bytes)), at: 0)
      let entries = records(of: number).map { entry($0) }
      let seen = isSeen
      count(
        carry.takeOwn(entries, words, of: chunk) { first, second in
          first < second && (first..<second).contains { !seen.contains($0) }
        })
      isSeen.insert(UInt64(number))
    }

    /// Reads carried records.
    mutating func readCarried(_ records: [Int]) {
      carry.noteCarried(records.map { entry($0) }, words, since: 0)
      count(carry.takeNew(words))
    }
  }

  @Test("the first record behind a gap is not handed out again when it is carried") func endOfAGap() throws {
    var ring = Ring([10, 11, 20, 21, 30, 31], perChunk: 2)
    try ring.read(chunk: 0)
    try ring.read(chunk: 2)
    ring.readCarried([2, 4, 5])
    #expect(ring.handedOut == [1, 1, 1, 0, 1, 1])
  }

  @Test("records of a chunk that is read late are handed out once") func late() throws {
    var ring = Ring([10, 11, 20, 21, 30, 31], perChunk: 2)
    try ring.read(chunk: 0)
    try ring.read(chunk: 2)
    ring.readCarried([3])
    try ring.read(chunk: 1)
    ring.readCarried([2, 3])
    #expect(ring.handedOut == [1, 1, 1, 1, 1, 1])
  }

  @Test("carried records that are read first are not handed out again") func carriedFirst() throws {
    var ring = Ring([10, 11, 20, 21], perChunk: 2)
    ring.readCarried([0, 2])
    try ring.read(chunk: 1)
    ring.readCarried([0, 1, 2, 3])
    #expect(ring.handedOut == [1, 1, 1, 1])
  }

  /// Chunks are read in any order or not at all; records are carried at any time, again and again.
  @Test(arguments: PropertyTests.seeds) func anything(_ seed: UInt64) throws {
    var random = SeededGenerator(seed)
    for _ in 0..<200 {
      var now: UInt64 = 1
      let ticks = (0..<random.number(4..<40)).map { _ in
        now += UInt64(random.number(1..<4))
        return now
      }
      var ring = Ring(ticks, perChunk: random.number(1..<5))
      let chunks = (ticks.count + ring.perChunk - 1) / ring.perChunk
      // Nearly in order, as for a reader that is never stopped for long.
      let order = (0..<chunks).filter { _ in random.chance(70) }.map { (place: $0 + random.number(0..<3), chunk: $0) }
        .sorted { $0 < $1 }.map(\.chunk)
      var seen: Set<Int> = []
      var wasCarried: Set<Int> = []
      for chunk in order {
        try ring.read(chunk: chunk)
        seen.insert(chunk)
        // Only records that are not newer than all read chunks are carried.
        let newest = ring.records(of: seen.max() ?? 0).upperBound
        let carried = (0..<newest).filter { _ in random.chance(30) }
        ring.readCarried(carried)
        wasCarried.formUnion(carried)
      }
      #expect(ring.handedOut.allSatisfy { $0 <= 1 }, "seed \(seed): \(ring.handedOut) of \(ticks), \(order)")
      for chunk in order {
        for record in ring.records(of: chunk) { #expect(ring.handedOut[record] == 1, "seed \(seed): record \(record)") }
      }
      // Missed records that are carried at the end are handed out.
      let all = Array(0..<(ring.records(of: order.last ?? 0).upperBound))
      if order == order.sorted(), !order.isEmpty {
        ring.readCarried(all)
        #expect(all.allSatisfy { ring.handedOut[$0] == 1 }, "seed \(seed): \(ring.handedOut) of \(ticks), \(order)")
      }
    }
  }
}
