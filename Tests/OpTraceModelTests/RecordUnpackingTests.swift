import OpTraceFormat
import Testing

@testable import OpTraceModel

@Suite("Records of several events") struct RecordUnpackingTests {
  private static func head(_ kind: EventKind, _ subject: UInt64, after ticks: UInt64 = 0) -> UInt64 {
    UInt64(kind.rawValue) | ticks << 8 | subject << 32
  }

  private static let class7: UInt64 = 7 | 0x123 << 24
  private static let queue3: UInt64 = 3 | 0xFC << 32 | 2 << 40

  /// Each packed record with the plain ones that it stands for.
  private static let cases: [(packed: [UInt64], plain: [UInt64])] = [
    (
      [head(.added, 9, after: 5), class7, queue3],
      [
        head(.operationCreated, 9, after: 5), class7, head(.ready, 9), head(.enqueued, 9), queue3,
      ]
    ),
    ([head(.enqueuedReady, 9, after: 6), queue3], [head(.ready, 9, after: 6), head(.enqueued, 9), queue3]),
    ([head(.dependsOnLast, 9, after: 7)], [head(.dependencyAdded, 9, after: 7), 8]),
    ([head(.startedBegan, 9, after: 8)], [head(.started, 9, after: 8), head(.executionBegan, 9)]),
    (
      [head(.addedBehindLast, 9, after: 5), class7, queue3],
      [
        head(.operationCreated, 9, after: 5), class7, head(.dependencyAdded, 9), 8, head(.enqueued, 9), queue3,
      ]
    ),
    (
      [head(.endedFinished, 9, after: 9)],
      [head(.executionEnded, 9, after: 9), head(.finished, 9)]
    ),
  ]

  @Test("each packed record is replaced by its plain records; the words before it stay") func each() {
    #expect(Self.cases.count == EventSpec.table.filter { !$0.parts.isEmpty }.count)
    for (packed, plain) in Self.cases {
      var words: [UInt64] = [1, 2] + packed
      #expect(RecordUnpacking.unpack(&words, from: 2) == plain.count - packed.count)
      #expect(words == [1, 2] + plain)
    }
  }

  @Test("packed records among plain ones of all sizes keep their order") func among() {
    let wait = [Self.head(.waitBegan, 4)]
    let text: [UInt64] = [Self.head(.mark, 4), 3 | 8 << 16, 0x2222_2222_2222_2222]
    var words = wait
    var plain = wait
    for (packed, parts) in Self.cases + Self.cases.reversed() {
      words += packed + text + wait
      plain += parts + text + wait
    }
    let count = words.count
    #expect(RecordUnpacking.unpack(&words, from: 0) == plain.count - count)
    #expect(words == plain)
    // Nothing is left to unpack.
    #expect(RecordUnpacking.unpack(&words, from: 0) == 0)
    #expect(words == plain)
  }

  @Test("truncated records, and records after an invalid one, stay as they are") func cut() {
    for (packed, _) in Self.cases {
      var words = [Self.head(.waitBegan, 4)] + packed.dropLast()
      let before = words
      if packed.count > 1 { #expect(RecordUnpacking.unpack(&words, from: 0) == 0) }
      if packed.count > 1 { #expect(words == before) }
      words = [0] + packed
      #expect(RecordUnpacking.unpack(&words, from: 0) == 0)
      #expect(words == [0] + packed)
    }
  }

  @Test("damage after packed records is reported with its offset in the file") func damage() {
    var words = [Self.head(.startedBegan, 9), Self.head(.endedFinished, 9), 0, 0]
    let added = RecordUnpacking.unpack(&words, from: 0)
    let chunk = LoadedChunk(
      offset: 4096, sequence: 1, baseTicks: 0, thread: 1, kind: .events, words: 0..<words.count, added: added)
    var decoder = RecordDecoder()
    decoder.decode(chunk, in: &words)
    #expect(decoder.entries.count == 4)
    #expect(decoder.damage.map(\.offset) == [4096 + UInt64(Layout.Chunk.size) + 16])
    #expect(decoder.damage.map(\.skippedBytes) == [16])
  }
}
