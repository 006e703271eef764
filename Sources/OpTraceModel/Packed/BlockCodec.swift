import OpTraceFormat

/// Turns a block of a trace's bytes into few, and back. What the bytes are is told by segments; any bytes at all can be
/// coded, only records and chunk headers get small.
struct BlockCodec {
  /// The most bytes of a trace in a coded block.
  static let longest = 1 << 20

  enum Segment: Equatable {
    case zeros(Int)
    case bytes(Int)
    /// 64 bytes.
    case chunkHeader
    /// So many words of whole records.
    case records(Int)
  }

  private let contexts = Contexts()
  private var records: RecordModel
  private var numbers = Numbers()

  /// The numbers of the contexts beside those of the records.
  private struct Numbers {
    var kind = 0
    var zeros = 0
    var bytes = 0
    var words = 0
    /// Of a chunk's header: a number for each of its words, and another for the second half of some.
    var header = 0
  }

  /// What the last chunk's header said.
  private var last = LastHeader()
  private struct LastHeader {
    var byteCount: UInt64 = 0
    var sequence: UInt64 = 0
    var baseTicks: UInt64 = 0
    var thread: UInt64 = 0
    var kind: UInt64 = 0
    var fill: UInt64 = 0
    var state: UInt64 = 0
  }

  init() { records = RecordModel(contexts) }

  private mutating func reset() {
    contexts.reset()
    numbers.kind = contexts.addTree()
    numbers.zeros = contexts.addNumber()
    numbers.bytes = contexts.addNumber()
    numbers.words = contexts.addNumber()
    numbers.header = contexts.addNumber()
    for _ in 1..<10 { _ = contexts.addNumber() }
    last = LastHeader()
    records.reset()
  }

  /// The decisions and the plain bits of a block, which the segments cover.
  mutating func encode(_ block: [UInt8], _ segments: [Segment]) -> (coded: [UInt8], plain: [UInt8]) {
    var block = block
    var coder = ArithmeticEncoder()
    reset()
    block.withUnsafeMutableBytes { bytes in
      var place = 0
      var before: UInt8 = 0
      for segment in segments { place = code(segment, bytes, at: place, &before, &coder) }
    }
    return coder.finish()
  }

  /// The `count` bytes of a block. Anything can be decoded; what was not encoded becomes any bytes.
  mutating func decode(_ packed: UnsafeRawBufferPointer, coded: Int, count: Int) -> [UInt8] {
    var block = [UInt8](repeating: 0, count: count)
    var coder = ArithmeticDecoder(packed, coded: coded)
    reset()
    block.withUnsafeMutableBytes { bytes in
      var place = 0
      var before: UInt8 = 0
      while place < count {
        let next = code(nil, bytes, at: place, &before, &coder)
        // A segment of no length is in no block that was encoded.
        guard next > place else { return }
        place = next
      }
    }
    return block
  }

  /// Codes one segment; a decoder has none yet. Returns where it ends.
  private mutating func code<Coder: EntropyCoder>(
    _ segment: Segment?, _ bytes: UnsafeMutableRawBufferPointer, at place: Int, _ before: inout UInt8,
    _ coder: inout Coder
  ) -> Int {
    let room = bytes.count - place
    // Most often it is what comes in turn: header, records, zeros.
    let kind = contexts.expected(segment?.kind ?? 0, Segment.follower(before), numbers.kind, &coder)
    before = kind
    switch kind {
    case Segment.chunkHeader.kind where room >= Layout.Chunk.size:
      chunkHeader(bytes, at: place, &coder)
      return place + Layout.Chunk.size
    case Segment.records(0).kind:
      let expected = last.fill / 8
      let words = number(UInt64(segment?.count ?? 0), from: expected, numbers.words, &coder)
      let end = place + Int(clamping: min(words, UInt64(room / 8))) * 8
      var next = place
      while next < end { next = records.record(bytes, at: next, end: end, &coder) }
      return end
    case Segment.zeros(0).kind:
      let expected = last.byteCount &- last.fill &- UInt64(Layout.Chunk.size)
      let count = number(UInt64(segment?.count ?? 0), from: expected, numbers.zeros, &coder)
      return place + Int(clamping: min(count, UInt64(room)))
    default:
      let count = number(UInt64(segment?.count ?? 0), from: 0, numbers.bytes, &coder)
      let end = place + Int(clamping: min(count, UInt64(room)))
      text(bytes, place..<end, &coder)
      return end
    }
  }

  /// A number by its difference from what is expected.
  private func number<Coder: EntropyCoder>(
    _ value: UInt64, from expected: UInt64, _ number: Int, _ coder: inout Coder
  ) -> UInt64 {
    let difference = Int64(bitPattern: value &- expected)
    return expected &+ unfolded(contexts.number(folded(difference), number, &coder))
  }

  private mutating func chunkHeader<Coder: EntropyCoder>(
    _ bytes: UnsafeMutableRawBufferPointer, at place: Int, _ coder: inout Coder
  ) {
    typealias Place = Layout.Chunk
    var next = numbers.header
    func half(_ offset: Int, from expected: UInt64, _ coder: inout Coder) -> UInt64 {
      defer { next += 1 }
      let value = bytes.loadUnaligned(fromByteOffset: place + offset, as: UInt32.self).littleEndian
      let result = number(UInt64(value), from: expected, next, &coder)
      bytes.storeBytes(
        of: UInt32(truncatingIfNeeded: result).littleEndian, toByteOffset: place + offset, as: UInt32.self)
      return UInt64(UInt32(truncatingIfNeeded: result))
    }
    func whole(_ offset: Int, from expected: UInt64, _ coder: inout Coder) -> UInt64 {
      defer { next += 1 }
      let result = number(bytes.word(at: place + offset), from: expected, next, &coder)
      bytes.setWord(result, at: place + offset)
      return result
    }
    bytes.storeBytes(of: Place.magic.littleEndian, toByteOffset: place, as: UInt32.self)
    last.byteCount = half(Place.byteCount, from: last.byteCount, &coder)
    last.sequence = whole(Place.sequence, from: last.sequence &+ 1, &coder)
    last.baseTicks = whole(Place.baseTicks, from: last.baseTicks, &coder)
    last.thread = half(Place.thread, from: last.thread, &coder)
    last.kind = half(Place.kind, from: last.kind, &coder)
    last.fill = half(Place.fill, from: last.byteCount &- UInt64(Place.size), &coder)
    last.state = half(Place.state, from: last.state, &coder)
    let checksum = bytes.word(at: place + Place.checksum)
    let high = coder.raw(checksum >> 32, bits: 32)
    bytes.setWord(high << 32 | coder.raw(checksum, bits: 32), at: place + Place.checksum)
    _ = whole(48, from: 0, &coder)
    _ = whole(56, from: 0, &coder)
    records.beginChunk(baseTicks: last.baseTicks)
  }

  /// Each byte in view of the two before it.
  private func text<Coder: EntropyCoder>(
    _ bytes: UnsafeMutableRawBufferPointer, _ range: Range<Int>, _ coder: inout Coder
  ) {
    var known: UInt32 = 0
    for place in range {
      let byte = contexts.text(bytes[place], known: known, &coder)
      bytes[place] = byte
      known = (known << 8 | UInt32(byte)) & 0xFFFF
    }
  }
}

extension BlockCodec.Segment {
  /// As it stands in a block.
  fileprivate var kind: UInt8 {
    switch self {
    case .zeros: 0
    case .bytes: 1
    case .chunkHeader: 2
    case .records: 3
    }
  }

  fileprivate var count: Int {
    switch self {
    case .zeros(let count), .bytes(let count), .records(let count): count
    case .chunkHeader: Layout.Chunk.size
    }
  }

  /// What most often follows a segment: records follow a header, zeros the records, another header what is between.
  fileprivate static func follower(_ kind: UInt8) -> UInt8 { kind == 2 ? 3 : kind == 3 ? 0 : 2 }
}
