import OpTraceFormat
import TestSupport
import Testing

@testable import OpTraceModel

/// Properties of every trace. A failure names its seed: put it into `seeds` to reproduce it.
@Suite struct PropertyTests {
  static let seeds: [UInt64] = (1...5).map { $0 &* 0x1234_5678_9ABC_DEF1 } + [UInt64.random(in: 0...UInt64.max)]

  /// Compares everything that a reader can see of two lists of events.
  private func expectSame(_ left: TraceEvents, _ right: TraceEvents, _ comment: Comment) {
    #expect(left.header == right.header, comment)
    #expect(left.loss == right.loss, comment)
    #expect(left.heartbeat == right.heartbeat, comment)
    #expect(left.strings == right.strings, comment)
    #expect(left.count == right.count, comment)
    for (one, other) in zip(left.indices, right.indices)
    where left[one] != right[other] || left.words(at: one) != right.words(at: other) {
      Issue.record("event \(one): \(left[one]) became \(right[other])")
      break
    }
  }

  @Test(arguments: seeds) func writingAndReadingIsTheIdentity(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed)
    let events = RandomTraces.anything(&generator, count: 400)
    expectSame(try TraceReader.events(bytes: TraceWriter.bytes(events)), events, "seed \(seed)")
  }

  @Test(arguments: seeds) func textToBinaryToTextIsTheIdentity(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed)
    let text = TraceText.string(RandomTraces.anything(&generator, count: 400))
    let parsed = try TraceText.parse(text)
    #expect(TraceText.string(parsed) == text, "seed \(seed)")
    let binary = try TraceReader.events(bytes: TraceWriter.bytes(parsed))
    #expect(Array(TraceText.string(binary).utf8) == Array(text.utf8), "seed \(seed)")
  }

  @Test(arguments: seeds) func soundProgramBreaksNoRule(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed)
    let events = RandomTraces.program(&generator, operations: 200)
    #expect(TraceValidator.check(events).prefix(3).map(\.description) == [], "seed \(seed)")
    let trace = TraceBuilder.build(events)
    #expect(trace.loss.isComplete)
    #expect(trace.operations.allSatisfy { $0.state == .finished && $0.coverage == .full && $0.ready != nil })
  }

  @Test(arguments: seeds) func manyEventsAreWrittenInChunksAndReadBack(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed)
    let events = RandomTraces.program(&generator, operations: 6000)
    let bytes = TraceWriter.bytes(events)
    #expect(bytes.count > 4 << 16)
    let trace = try TraceReader.read(bytes: bytes)
    #expect(trace == TraceBuilder.build(events), "seed \(seed)")
  }

  @Test(arguments: seeds) func flippedByteIsAlwaysNoticed(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed)
    var events = RandomTraces.program(&generator, operations: 30)
    events.header.isClosed = true
    let bytes = TraceWriter.bytes(events)
    for _ in 0..<300 {
      var damaged = bytes
      let offset = Int.random(in: 0..<bytes.count, using: &generator)
      damaged[offset] ^= UInt8.random(in: 1...255, using: &generator)
      guard isCovered(offset, bytes) else { continue }
      guard let trace = try? TraceReader.read(bytes: damaged) else { continue }
      #expect(trace.loss.isDamaged, "seed \(seed), byte \(offset)")
    }
  }

  /// Whether a checksum covers the byte: the header's two parts and the used part of chunks, not what pads them.
  private func isCovered(_ position: Int, _ bytes: [UInt8]) -> Bool {
    if position < Layout.Header.size { return true }
    var offset = Layout.Header.size
    while offset < bytes.count {
      let size: UInt32 = bytes.number(at: offset + Layout.Chunk.byteCount)
      let fill: UInt32 = bytes.number(at: offset + Layout.Chunk.fill)
      if position < offset + Int(size) { return position < offset + Layout.Chunk.size + Int(fill) }
      offset += Int(size)
    }
    return true
  }

  @Test(arguments: seeds) func cutFileIsReadUpToTheCut(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed)
    let events = RandomTraces.program(&generator, operations: 100)
    let bytes = TraceWriter.bytes(events)
    for _ in 0..<100 {
      let length = Int.random(in: Layout.Header.size..<bytes.count, using: &generator)
      let trace = try TraceReader.read(bytes: Array(bytes[..<length]))
      let expected = LossReport.Damage(
        offset: UInt64(length), skippedBytes: UInt64(bytes.count - length),
        reason: "the file is cut: \(grouped(bytes.count - length)) bytes are missing")
      #expect(trace.loss.damage.contains(expected), "seed \(seed), length \(length)")
      #expect(trace.eventCount <= events.count)
    }
  }

  @Test(arguments: seeds) func mangledFilesNeverHarmTheReader(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed)
    let bytes = TraceWriter.bytes(RandomTraces.anything(&generator, count: 150))
    for _ in 0..<200 {
      var mangled = bytes
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        mangle(&mangled, &generator)
      }
      guard let events = try? TraceReader.events(bytes: mangled) else { continue }
      _ = TraceBuilder.build(events)
      _ = TraceValidator.check(events)
      _ = try TraceText.parse(TraceText.string(events))
    }
  }

  private func mangle(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
    guard bytes.count > 16 else { return }
    let from = Int.random(in: 0..<bytes.count, using: &generator)
    let count = Int.random(in: 1...min(700, bytes.count - from), using: &generator)
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: bytes[from] = .random(in: 0...255, using: &generator)
    case 1: bytes.removeSubrange(from..<from + count)
    case 2: bytes.insert(contentsOf: bytes[from..<from + count], at: from)
    case 3: for offset in from..<from + count { bytes[offset] = 0 }
    case 4: for offset in from..<from + count { bytes[offset] = .random(in: 0...255, using: &generator) }
    default:
      // An unsealed chunk, whose records no checksum guards.
      let state = 1024 + Layout.Chunk.state
      if bytes.count > state { bytes[state] = 1 }
    }
  }

  @Test(arguments: seeds) func mangledTextsNeverHarmTheParser(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed)
    let bytes = Array(TraceText.string(RandomTraces.anything(&generator, count: 60)).utf8)
    for _ in 0..<200 {
      var mangled = bytes
      mangle(&mangled, &generator)
      guard let events = try? TraceText.parse(mangled) else { continue }
      _ = TraceBuilder.build(events)
    }
  }
}
