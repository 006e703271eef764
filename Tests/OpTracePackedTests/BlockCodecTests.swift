import OpTraceFormat
import TestSupport
import Testing

@testable import OpTracePacked

/// The input of liblzma, byte by byte. Its output may differ between versions.
@Suite struct BlockCodecTests {
  private func record(_ kind: UInt8, _ ticks: UInt64, _ subject: UInt32, _ words: UInt64...) -> [UInt64] {
    [UInt64(kind) | ticks << 8 | UInt64(subject) << 32] + words
  }

  private func bytes(_ words: [UInt64]) -> [UInt8] {
    words.flatMap { word in withUnsafeBytes(of: word.littleEndian) { Array($0) } }
  }

  /// The streams of records after `plain` other bytes, which are all 9.
  private func streams(_ records: [[UInt64]], plain: Int = 1) throws -> [UInt8] {
    let block = [UInt8](repeating: 9, count: plain) + bytes(records.flatMap(\.self))
    let (payload, count) = try BlockCodec.encode(block, [.init(plain: plain, records: records.count)])
    #expect(BlockCodec.decode(payload, streams: count, count: block.count) == block)
    return try #require(LZMA.decompress(payload, count: count))
  }

  @Test("a block has runs, kinds, differences from the last record of the kind, and plain bytes") func parts() throws {
    let found = try streams([
      record(1, 5, 7), record(2, 300, 7), record(1, 6, 8), record(0x41, 0, 1, 2 | 3 << 32),
      record(0x41, 1, 1, 1 | 3 << 32),
    ])
    #expect(
      found == [
        1, 1, 5, 1, 2, 1, 0x41, 0x41,  // one run of a byte and five records, then their kinds
        5, 6, 0xAC, 2, 0, 1,  // ticks of kind 1, 2, 0x41
        14, 2, 14, 2, 0,  // subjects
        4, 1, 6, 0, 9,  // both halves of the second word, then the plain byte
      ])
  }

  @Test("an age is encoded as the time since the last operation was created") func ages() throws {
    let created = EventKind.operationCreated.rawValue
    // Created at 90 and 94 units with class 5, recorded at 100 and 104.
    let found = try streams([record(created, 1600, 1, 5 | 10 << 24), record(created, 64, 2, 5 | 10 << 24)])
    #expect(found == [1, 1, 2, created, created, 0xC0, 12, 64, 2, 2, 10, 0, 0xB3, 1, 7, 9])
  }

  @Test("the text of a record is stored as plain bytes") func texts() throws {
    let found = try streams([record(0xC0, 0, 1, 3 | 2 << 16, 0x6968)], plain: 0)
    #expect(found == [1, 0, 1, 0xC0, 0, 2, 0x86, 0x80, 0x10, 0] + bytes([0x6968]))
  }

  @Test("any bytes can be encoded as records and decoded", arguments: 0..<50) func anything(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed)
    let block = (0..<generator.number(1..<3000)).map { _ in UInt8.random(in: 0...255, using: &generator) }
    // The chunk is filled, so that the records cover all bytes.
    let header = Array(Layout.Chunk.magic.bytes) + UInt32(4096).bytes
    var chunk = header + [UInt8](repeating: 0, count: Layout.Chunk.size - header.count)
    let fill = UInt32(block.count / 8 * 8)
    chunk.replaceSubrange(Layout.Chunk.fill..<Layout.Chunk.fill + 4, with: fill.bytes)
    chunk[Layout.Chunk.state] = 1
    let whole = chunk + block
    let runs = RecordRuns(whole, isWhole: true)
    #expect(runs.count == whole.count)
    let (payload, streams) = try BlockCodec.encode(whole, runs.runs)
    #expect(UInt64(streams) <= PackedLayout.largestStreams(of: UInt64(whole.count)), "seed \(seed)")
    #expect(BlockCodec.decode(payload, streams: streams, count: whole.count) == whole, "seed \(seed)")
  }

  @Test("flipped streams decode to the expected number of bytes", arguments: 0..<20)
  func flipped(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed)
    let block = try SampleTraces.bytes("photo-import.optrace")
    let (payload, count) = try BlockCodec.encode(block, RecordRuns(block, isWhole: true).runs)
    let sound = try #require(LZMA.decompress(payload, count: count))
    for _ in 0..<20 {
      var streams = sound
      for _ in 0..<generator.number(1..<5) {
        // Most flips hit the runs and the kinds.
        let offset = generator.number(0..<(generator.chance(70) ? 60 : count))
        streams[offset] = generator.chance(50) ? 0xFF : UInt8(generator.number(0..<256))
      }
      if generator.chance(30) { streams.removeLast(generator.number(0..<count - 1)) }
      let length = generator.chance(50) ? block.count : generator.number(1..<BlockCodec.longest)
      let found = try #require(BlockCodec.decode(try LZMA.compress(streams), streams: streams.count, count: length))
      #expect(found.count == length, "seed \(seed)")
    }
  }

  @Test("bytes that do not decompress to their length are refused") func lengths() throws {
    let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0 * $0) }
    let packed = try LZMA.compress(bytes)
    #expect(LZMA.decompress(packed, count: bytes.count) == bytes)
    #expect(LZMA.decompress(packed + [0, 0, 0], count: bytes.count) == bytes)
    for count in [1, bytes.count - 1, bytes.count + 1, 1 << 20] {
      #expect(LZMA.decompress(packed, count: count) == nil, "\(count)")
    }
    #expect(LZMA.decompress(Array(packed.dropLast()), count: bytes.count) == nil)
    #expect(LZMA.decompress([], count: 1) == nil)
  }
}

extension FixedWidthInteger {
  fileprivate var bytes: [UInt8] { withUnsafeBytes(of: littleEndian) { Array($0) } }
}
