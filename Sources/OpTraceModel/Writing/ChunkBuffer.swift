import OpTraceFormat

/// The records of a chunk that is being filled.
struct ChunkBuffer {
  let thread: UInt32
  let kind: Layout.ChunkKind
  private(set) var baseTicks: UInt64
  private var ticks: UInt64
  private(set) var records: [UInt64] = []

  private static let fullWords = (1 << 16) / 8 - 32

  init(thread: UInt32, kind: Layout.ChunkKind, baseTicks: UInt64) {
    self.thread = thread
    self.kind = kind
    self.baseTicks = baseTicks
    ticks = baseTicks
  }

  var isFull: Bool { records.count >= Self.fullWords }

  mutating func add(_ record: ArraySlice<UInt64>, ticks now: UInt64) {
    guard let head = record.first.map(RecordHead.init) else { return }
    if records.isEmpty {
      baseTicks = now
      ticks = now
    }
    if now < ticks || now - ticks > Layout.largestDelta {
      records.append(RecordHead(kind: EventKind.time.rawValue, subject: 0).word)
      records.append(EventFields.Time(ticks: now).word1)
      ticks = now
    }
    records.append(RecordHead(kind: head.kind, delta: now - ticks, subject: head.subject).word)
    records.append(contentsOf: record.dropFirst())
    ticks = now
  }

  /// Adds the definition of a string.
  mutating func define(_ text: String, as id: UInt32, ticks: UInt64) {
    var record = [RecordHead(kind: EventKind.string.rawValue, subject: id).word, 0]
    RecordText.append(text, to: &record)
    add(record[...], ticks: ticks)
  }

  /// Seals the chunk, appends it to the file with the next number, and empties the buffer. Does nothing if the buffer
  /// is empty.
  mutating func seal(behind file: inout [UInt8], _ sequence: inout UInt64) {
    guard !records.isEmpty else { return }
    sequence += 1
    typealias Field = Layout.Chunk
    let fill = records.count * 8
    let byteCount = (Field.size + fill + 63) / 64 * 64
    var header = [UInt8](repeating: 0, count: Field.size)
    header.put(Field.magic, at: 0)
    header.put(UInt32(clamping: byteCount), at: Field.byteCount)
    header.put(sequence, at: Field.sequence)
    header.put(baseTicks, at: Field.baseTicks)
    header.put(thread, at: Field.thread)
    header.put(kind.rawValue, at: Field.kind)
    header.put(UInt32(clamping: fill), at: Field.fill)
    header.put(Layout.ChunkState.sealed.rawValue, at: Field.state)
    records.withUnsafeBytes { bytes in
      header.put(ChunkHeader.checksum(header: header, records: bytes), at: Field.checksum)
      file.append(contentsOf: header)
      file.append(contentsOf: bytes)
    }
    file.append(contentsOf: repeatElement(0, count: byteCount - Field.size - fill))
    records.removeAll(keepingCapacity: true)
  }
}
