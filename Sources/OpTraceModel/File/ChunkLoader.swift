import OpTraceFormat

/// Copies the records of chunks into memory, one chunk after another. If the file's writer may still run, each chunk is
/// checked again after the copy: one that was recycled meanwhile is read once more or left out.
struct ChunkLoader {
  /// The words of all good chunks; the caller decides what to do with them.
  var words: [UInt64] = []

  private let source: any ByteSource
  private let isClosed: Bool
  private let isRing: Bool

  enum Outcome {
    /// A good chunk, with its header at the time when the records were copied.
    case good(LoadedChunk, ChunkHeader)
    case recycled
    case bad(String)
  }

  init(_ source: any ByteSource, _ header: FileHeader) {
    self.source = source
    isClosed = header.isClosed
    isRing = header.header.mode == .flightRecorder
  }

  mutating func load(_ first: ChunkHeader, headerBytes: [UInt8], at offset: UInt64) -> Outcome {
    var chunk = first
    var headerBytes = headerBytes
    for attempt in 0..<2 {
      if attempt > 0 {
        headerBytes = source.bytes(at: offset, count: Layout.Chunk.size)
        guard let again = ChunkHeader(headerBytes) else { return .recycled }
        chunk = again
      }
      if chunk.state == Layout.ChunkState.recycling.rawValue {
        // Only a ring reuses chunks.
        guard isRing else { return .bad("a chunk is marked as being used again") }
        continue
      }
      let start = words.count
      let got = copyRecords(of: chunk, at: offset)
      if !isClosed {
        let now = ChunkHeader(source.bytes(at: offset, count: Layout.Chunk.size))
        if now?.sequence != chunk.sequence || now?.state == Layout.ChunkState.recycling.rawValue {
          words.removeSubrange(start...)
          continue
        }
      }
      let outcome = accept(chunk, headerBytes, at: offset, words: start, isWhole: got == chunk.fill)
      // A running writer may have sealed it between the copy of the header and that of the records.
      if case .bad = outcome, !isClosed, attempt == 0 { continue }
      return outcome
    }
    return .recycled
  }

  /// Appends the whole words of the chunk; returns how many bytes there were.
  private mutating func copyRecords(of chunk: ChunkHeader, at offset: UInt64) -> UInt64 {
    let start = words.count
    let source = source
    words.append(contentsOf: repeatElement(0, count: Int(chunk.fill / 8)))
    let got = words.withUnsafeMutableBytes {
      source.read(
        at: offset + UInt64(Layout.Chunk.size), into: UnsafeMutableRawBufferPointer(rebasing: $0[(start * 8)...]))
    }
    words.removeSubrange((start + got / 8)...)
    return UInt64(got)
  }

  private mutating func accept(
    _ chunk: ChunkHeader, _ headerBytes: [UInt8], at offset: UInt64, words start: Int, isWhole: Bool
  ) -> Outcome {
    if isWhole, chunk.state == Layout.ChunkState.sealed.rawValue {
      let found = words.withUnsafeBytes {
        ChunkHeader.checksum(header: headerBytes, records: UnsafeRawBufferPointer(rebasing: $0[(start * 8)...]))
      }
      guard found == chunk.checksum else {
        words.removeSubrange(start...)
        return .bad("a chunk does not match its checksum")
      }
    }
    let added = RecordUnpacking.unpack(&words, from: start)
    let loaded = LoadedChunk(
      offset: offset, sequence: chunk.sequence, baseTicks: chunk.baseTicks, thread: chunk.thread,
      kind: Layout.ChunkKind(rawValue: chunk.kind) ?? .events, words: start..<words.count, added: added)
    return .good(loaded, chunk)
  }
}
