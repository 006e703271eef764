import OpTraceFormat

extension TraceReader {
  /// Reads only the newest part of a ring: what it has carried on, its definitions, and chunks of events whose records
  /// are later than `time`, at most so many bytes of them. Everything else counts as overwritten.
  ///
  /// - Parameter time: in nanoseconds since the trace's start.
  package static func readNewest(
    path: String, since time: Nanoseconds, atMost bytes: UInt64
  ) throws(TraceError) -> Trace {
    let source = try FileSource.open(path: path)
    let header = try FileHeader.read(source, file: path)
    guard header.header.mode == .flightRecorder, !header.isClosed else { return try readUnpacked(source, file: path) }
    return try readUnpacked(NewestPart(source, header, since: time, atMost: bytes), file: path)
  }
}

/// A ring without its older chunks, which seem to be reused just now.
private struct NewestPart: ByteSource {
  private let whole: any ByteSource
  /// Offsets of the chunks that are left out.
  private let hidden: Set<UInt64>
  /// Where the last chunk ends: a reader would search the rest of a ring that is not full for more, byte by byte.
  private let end: UInt64

  init(_ source: any ByteSource, _ header: FileHeader, since time: Nanoseconds, atMost bytes: UInt64) {
    whole = source
    var chunks: [(offset: UInt64, header: ChunkHeader)] = []
    var offset = header.headerSize
    while let chunk = ChunkHeader(source.bytes(at: offset, count: Layout.Chunk.size)) {
      if chunk.kind == Layout.ChunkKind.events.rawValue { chunks.append((offset, chunk)) }
      offset += chunk.byteCount
    }
    var clock = RecordDecoder().clock(header)
    // A chunk holds what its first thread did until that got the next one.
    chunks.sort { $0.header.sequence > $1.header.sequence }
    var left = bytes
    var hidden: Set<UInt64> = []
    var ended: Set<UInt32> = []
    for (offset, chunk) in chunks {
      let isWanted = !ended.contains(chunk.thread) || chunk.state == Layout.ChunkState.open.rawValue
      if isWanted, chunk.fill <= left {
        left -= chunk.fill
      } else {
        hidden.insert(offset)
        // Nothing older either, so that what is there has no gap.
        if isWanted { left = 0 }
      }
      if clock.time(chunk.baseTicks) < time { ended.insert(chunk.thread) }
    }
    self.hidden = hidden
    end = offset
  }

  func size() -> UInt64 { min(end, whole.size()) }
  func another() -> (any ByteSource)? { nil }

  func read(at offset: UInt64, into target: UnsafeMutableRawBufferPointer) -> Int {
    guard offset < end else { return 0 }
    let count = min(whole.read(at: offset, into: target), Int(clamping: end - offset))
    // Headers are read by themselves, and at no other place is there anything to change.
    if hidden.contains(offset), count >= Layout.Chunk.size {
      put(UInt32(Layout.ChunkState.recycling.rawValue), at: Layout.Chunk.state, target)
    } else if offset == 0, count >= Layout.Header.size {
      put(end, at: Layout.Header.endOffset, target)
      guard !hidden.isEmpty else { return count }
      let overwritten = target.loadUnaligned(fromByteOffset: Layout.Header.overwrittenBytes, as: UInt64.self)
      put(max(1, UInt64(littleEndian: overwritten)), at: Layout.Header.overwrittenBytes, target)
    }
    return count
  }

  private func put<Number: FixedWidthInteger>(_ number: Number, at offset: Int, _ target: UnsafeMutableRawBufferPointer)
  {
    target.storeBytes(of: number.littleEndian, toByteOffset: offset, as: Number.self)
  }
}
