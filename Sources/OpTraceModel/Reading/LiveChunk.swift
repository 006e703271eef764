import OpTraceFormat

/// A chunk of a growing trace, and how far it has been read.
struct LiveChunk {
  /// The offset of its header in the file.
  let offset: UInt64
  /// Its header at the last reading.
  var header: ChunkHeader
  /// Bytes of records that have been read.
  var read: UInt64 = 0
  /// Where the next records continue: the clock, and the thread.
  var ticks: UInt64
  var thread: UInt32
  /// Whether its writer has taken it back, or its contents make no sense: no more is read from it.
  var isGone = false

  init(_ header: ChunkHeader, at offset: UInt64) {
    self.offset = offset
    self.header = header
    ticks = header.baseTicks
    thread = header.thread
    isGone = header.state == Layout.ChunkState.recycling.rawValue
  }

  var kind: Layout.ChunkKind { Layout.ChunkKind(rawValue: header.kind) ?? .events }
  var hasMore: Bool { !isGone && header.fill > read }
  /// Whether nobody writes to it any more.
  var isRetired: Bool {
    header.state == Layout.ChunkState.retired.rawValue || header.state == Layout.ChunkState.sealed.rawValue
  }
  /// Whether there is, and will be, nothing more to read.
  var isDone: Bool { isGone || isRetired && read == header.fill }
}

/// The chunks of a growing trace at the last survey.
struct LiveChunks {
  private let isRing: Bool
  private(set) var list: [LiveChunk] = []
  /// Indexes of the chunks that may get more records. In a ring, any chunk may be reused.
  private var open: [Int] = []
  /// Where the next chunk will begin.
  private var end: UInt64
  private(set) var damage: [LossReport.Damage] = []

  /// The highest number seen, and lower numbers not seen yet, with the polls since.
  private var highest: UInt64?
  private var unseen: [UInt64: Int] = [:]
  /// Numbers of chunks that were reused before all of them was read; only the last ones.
  private var lost: [UInt64] = []
  /// The total number of these.
  private(set) var missed = 0

  /// If more numbers than this are missing, they are counted and not searched for.
  private static let mostUnseen: UInt64 = 1 << 16
  private static let mostDamage = 256
  private static let mostLost = 4096

  init(_ header: FileHeader) {
    isRing = header.header.mode == .flightRecorder
    end = header.headerSize
  }

  /// Where the last record that was read ends: if the file is shorter, it was cut.
  var endOfRead: UInt64 {
    list.reduce(0) { $1.read > 0 ? max($0, $1.offset + UInt64(Layout.Chunk.size) + $1.read) : $0 }
  }

  /// Indexes of the chunks that have unread records, in the order of their next record.
  func unread() -> [Int] {
    let indexes = isRing ? Array(list.indices) : open
    return indexes.filter { list[$0].hasMore }.sorted {
      (list[$0].ticks, list[$0].header.sequence) < (list[$1].ticks, list[$1].header.sequence)
    }
  }

  /// Whether something is missing from the chunks with numbers from `first` up to, not including, `second`.
  func isAnyMissing(from first: UInt64, to second: UInt64) -> Bool {
    unseen.keys.contains { $0 >= first && $0 < second } || lost.contains { $0 >= first && $0 < second }
  }

  /// For a ring: all records after these ticks are there, even if chunks were reused. Nil: not known.
  ///
  /// A ring first reuses the chunk that was given back first, and a thread gives a chunk back when it gets the next
  /// one. So a reused chunk was given back no later than any that is still there.
  var overwrittenUntil: UInt64? {
    var byThread: [UInt32: [LiveChunk]] = [:]
    for chunk in list where chunk.kind == .events && !chunk.isGone {
      byThread[chunk.header.thread, default: []].append(chunk)
    }
    return list.lazy.filter { $0.kind == .events && $0.isRetired && !$0.isGone }.compactMap { chunk in
      byThread[chunk.thread]?.filter { $0.header.sequence > chunk.header.sequence }.map(\.header.baseTicks).min()
    }.min()
  }

  // MARK: - Reading headers

  /// Reads the headers of all chunks that may have changed, and finds new ones, up to `limit`. O(chunks) for a ring,
  /// else O(open and new chunks).
  mutating func survey(_ source: any ByteSource, upTo limit: UInt64) {
    for index in isRing ? Array(list.indices) : open { readHeader(at: index, source) }
    while end < limit {
      let bytes = source.bytes(at: end, count: Layout.Chunk.size)
      guard let header = ChunkHeader(bytes) else {
        // Zeros are space that is not handed out yet. The magic number is written last.
        if bytes.count == Layout.Chunk.size, !bytes.prefix(4).allSatisfy({ $0 == 0 }) {
          note(.init(offset: end, skippedBytes: limit - end, reason: "no chunk begins here"))
        }
        break
      }
      open.append(list.count)
      list.append(LiveChunk(header, at: end))
      noteSequence(header.sequence)
      end += header.byteCount
    }
    open.removeAll { list[$0].isDone }
  }

  private mutating func readHeader(at index: Int, _ source: any ByteSource) {
    guard let now = ChunkHeader(source.bytes(at: list[index].offset, count: Layout.Chunk.size)) else {
      fail(index, "a chunk's header contradicts itself")
      return
    }
    let before = list[index].header
    guard now != before else { return }
    if now.sequence != before.sequence {
      noteEnd(of: index)
      list[index] = LiveChunk(now, at: list[index].offset)
      noteSequence(now.sequence)
      return
    }
    list[index].header = now
    if now.state == Layout.ChunkState.recycling.rawValue {
      noteEnd(of: index)
    } else if now.fill < list[index].read {
      fail(index, "a chunk holds less than before")
    }
  }

  /// Notes that the unread part is lost to this reader.
  private mutating func noteEnd(of index: Int) {
    // An open chunk may have got more records since.
    if !list[index].isDone { lose(list[index].header.sequence) }
    list[index].isGone = true
  }

  /// Counts missed chunks without overflow, because numbers of a damaged trace may be arbitrary.
  private mutating func miss(_ count: UInt64) {
    let (sum, overflow) = missed.addingReportingOverflow(Int(clamping: count))
    missed = overflow ? .max : sum
  }

  private mutating func lose(_ number: UInt64) {
    miss(1)
    if lost.count >= Self.mostLost { lost.removeFirst(Self.mostLost / 2) }
    lost.append(number)
  }

  private mutating func noteSequence(_ number: UInt64) {
    unseen[number] = nil
    guard let before = highest else {
      highest = number
      return
    }
    guard number > before else { return }
    highest = number
    let count = number - before - 1
    if count > Self.mostUnseen {
      miss(count)
    } else if count > 0 {
      for missing in before + 1..<number { unseen[missing] = 0 }
    }
  }

  /// Ends a poll. A number that was not seen in two polls was a chunk that has been reused already. Only chunks of a
  /// ring that was read before count.
  mutating func countUnseen() {
    for (number, age) in unseen {
      if age == 0 {
        unseen[number] = 1
      } else {
        unseen[number] = nil
        lose(number)
      }
    }
  }

  /// Whether chunks are missing of which it is not known yet whether they have been reused.
  var hasUnseen: Bool { !unseen.isEmpty }

  /// Ignores what was overwritten before the first poll, which is no loss.
  mutating func forgetUnseen() { unseen.removeAll() }

  // MARK: - Reading

  /// Appends the new records of a chunk to `words`; false: there are none, or the chunk was reused meanwhile.
  mutating func load(_ index: Int, from source: any ByteSource, into words: inout [UInt64], isOpen: Bool) -> Bool {
    let chunk = list[index]
    guard chunk.hasMore else { return false }
    let start = words.count
    words.append(contentsOf: repeatElement(0, count: Int((chunk.header.fill - chunk.read) / 8)))
    let got = words.withUnsafeMutableBytes {
      source.read(
        at: chunk.offset + UInt64(Layout.Chunk.size) + chunk.read,
        into: UnsafeMutableRawBufferPointer(rebasing: $0[(start * 8)...]))
    }
    let headerBytes = source.bytes(at: chunk.offset, count: Layout.Chunk.size)
    let now = ChunkHeader(headerBytes)
    if isOpen, now?.sequence != chunk.header.sequence || now?.state == Layout.ChunkState.recycling.rawValue {
      words.removeSubrange(start...)
      if isRing { noteEnd(of: index) } else { fail(index, "a chunk's header contradicts itself") }
      return false
    }
    guard got == (words.count - start) * 8 else {
      words.removeSubrange(start...)
      fail(index, "the file ends inside a chunk")
      return false
    }
    // Only if the chunk is read in one go, because its checksum needs all bytes.
    if chunk.read == 0, let now, now.state == Layout.ChunkState.sealed.rawValue, now.fill == chunk.header.fill {
      let sum = words.withUnsafeBytes {
        ChunkHeader.checksum(header: headerBytes, records: UnsafeRawBufferPointer(rebasing: $0[(start * 8)...]))
      }
      guard sum == now.checksum else {
        words.removeSubrange(start...)
        fail(index, "a chunk does not match its checksum")
        return false
      }
    }
    return true
  }

  /// Notes that the loaded records were decoded; `end` is where the next ones continue.
  mutating func advance(_ index: Int, to end: (ticks: UInt64, thread: UInt32)) {
    list[index].read = list[index].header.fill
    (list[index].ticks, list[index].thread) = end
  }

  /// Reads no more from a chunk.
  mutating func giveUp(_ index: Int) { list[index].isGone = true }

  private mutating func fail(_ index: Int, _ reason: String) {
    guard !list[index].isGone else { return }
    let chunk = list[index]
    list[index].isGone = true
    let skipped = chunk.header.fill > chunk.read ? chunk.header.fill - chunk.read : 0
    note(.init(offset: chunk.offset, skippedBytes: skipped, reason: reason))
  }

  private mutating func note(_ damage: LossReport.Damage) {
    guard self.damage.count < Self.mostDamage, !self.damage.contains(where: { $0.offset == damage.offset }) else {
      return
    }
    self.damage.append(damage)
  }
}
