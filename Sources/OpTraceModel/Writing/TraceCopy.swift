import OpTraceFormat

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Copies a trace that a program is writing, as of one moment. The program is not stopped, and does not notice it.
///
/// All chunks are copied once, each checked again after its copy. The latest record of this first pass is the moment of
/// the copy. Whatever has changed since is then copied again, so that everything up to that moment is there, and later
/// records are cut off: no effect is kept without its cause. A chunk that a ring reuses faster than it can be copied is
/// left out; the ring has carried on what matters of it.
///
/// O(size of the trace); memory for one chunk at a time.
package struct TraceCopy {
  /// Why there is no copy.
  package enum Problem: Error {
    /// The trace cannot be read.
    case source(TraceError)
    /// The system's error number.
    case cannotWrite(Int32)
  }

  /// A chunk as it was copied.
  private struct Copied {
    var offset: UInt64
    var header: ChunkHeader
    /// The ticks of its last record.
    var last: UInt64
    /// Whether there is nothing of it.
    var isSkipped = false
  }

  /// How often changed chunks are copied again at most.
  private static let mostPasses = 8
  private static let mostAttempts = 3

  private let source: any ByteSource
  private let target: Int32
  private let isRing: Bool
  private var chunks: [Copied] = []
  /// Where the last chunk ends.
  private var end: UInt64

  /// Copies the trace at `path`, and notes in the copy's header why and when that was.
  ///
  /// - Parameters:
  ///   - descriptor: an empty file that can be written at any offset.
  ///   - reason: at most 228 bytes of UTF-8 are kept.
  ///   - now: the monotonic clock in nanoseconds.
  /// - Returns: how many bytes the copy has.
  package static func write(
    _ path: String, to descriptor: Int32, reason: String, now: () -> UInt64
  ) throws(Problem) -> UInt64 {
    do {
      let source = try FileSource.open(path: path)
      return try write(source, file: path, to: descriptor, reason: reason, now: now)
    } catch let problem as Problem {
      throw problem
    } catch let error as TraceError {
      throw .source(error)
    } catch {
      throw .cannotWrite(EIO)
    }
  }

  static func write(
    _ source: any ByteSource, file: String, to descriptor: Int32, reason: String, now: () -> UInt64
  ) throws(Problem) -> UInt64 {
    let header: FileHeader
    do { header = try FileHeader.read(source, file: file) } catch { throw .source(error) }
    var copy = TraceCopy(source, header, descriptor)
    try copy.copyAll()
    let horizon = copy.latest
    let moment = now()
    for _ in 0..<mostPasses {
      guard try copy.copyChanged() else { break }
    }
    try copy.cut(after: horizon)
    return try copy.writeHeader(size: Int(header.headerSize), reason: reason, moment: moment)
  }

  private init(_ source: any ByteSource, _ header: FileHeader, _ target: Int32) {
    self.source = source
    self.target = target
    isRing = header.header.mode == .flightRecorder
    end = header.headerSize
  }

  /// The ticks of the latest record. Carried records are older than their chunk.
  private var latest: UInt64 {
    chunks.lazy.filter { $0.header.kind == Layout.ChunkKind.events.rawValue }.map(\.last).max() ?? 0
  }

  // MARK: - Chunks

  private mutating func copyAll() throws(Problem) {
    while let offset = nextChunk(from: end) {
      let copied = try copyChunk(at: offset)
      chunks.append(copied)
      end = offset + copied.header.byteCount
    }
  }

  /// Copies what has changed since, and what has come. Returns whether any chunk was reused, so that others may have
  /// changed meanwhile.
  private mutating func copyChanged() throws(Problem) -> Bool {
    var isReused = false
    for index in chunks.indices {
      let known = chunks[index]
      guard let now = header(at: known.offset), now.sequence != known.header.sequence || now.fill != known.header.fill
      else { continue }
      // What was copied of it is sound, and its contents are being carried on.
      if now.state == Layout.ChunkState.recycling.rawValue, !known.isSkipped {
        isReused = isReused || now.sequence != known.header.sequence
        continue
      }
      isReused = isReused || now.sequence != known.header.sequence
      chunks[index] = try copyChunk(at: known.offset)
    }
    let count = chunks.count
    try copyAll()
    return isReused || chunks.count > count
  }

  private func header(at offset: UInt64) -> ChunkHeader? {
    ChunkHeader(source.bytes(at: offset, count: Layout.Chunk.size))
  }

  /// The next chunk at or after an offset; nil: none follows. A chunk's first word is stored last, so there may be zeros
  /// before one.
  private func nextChunk(from start: UInt64) -> UInt64? {
    if header(at: start) != nil { return start }
    var offset = start
    while true {
      let piece = source.bytes(at: offset, count: 1 << 16)
      guard piece.count >= Layout.Chunk.size else { return nil }
      for step in stride(from: 0, through: piece.count - Layout.Chunk.size, by: Layout.Chunk.size)
      where piece.number(at: step) as UInt32 == Layout.Chunk.magic && header(at: offset + UInt64(step)) != nil {
        return offset + UInt64(step)
      }
      offset += UInt64(piece.count / Layout.Chunk.size * Layout.Chunk.size)
    }
  }

  private func copyChunk(at offset: UInt64) throws(Problem) -> Copied {
    for _ in 0..<Self.mostAttempts {
      let bytes = source.bytes(at: offset, count: Layout.Chunk.size)
      guard let chunk = ChunkHeader(bytes), chunk.state != Layout.ChunkState.recycling.rawValue else { continue }
      let records = source.bytes(at: offset + UInt64(Layout.Chunk.size), count: Int(chunk.fill))
      guard records.count == Int(chunk.fill), let now = header(at: offset), now.sequence == chunk.sequence,
        now.state != Layout.ChunkState.recycling.rawValue
      else { continue }
      try put(bytes + records, at: offset)
      return Copied(offset: offset, header: chunk, last: Self.walk(records, from: chunk.baseTicks).last)
    }
    return try skipChunk(at: offset)
  }

  /// Leaves a chunk out: its header says that it is being reused, which readers of a ring expect.
  private func skipChunk(at offset: UInt64) throws(Problem) -> Copied {
    var bytes = source.bytes(at: offset, count: Layout.Chunk.size)
    guard var chunk = ChunkHeader(bytes) else { throw .source(TraceError(file: "", .changed)) }
    guard isRing else { throw .source(TraceError(file: "", .changed)) }
    chunk.fill = 0
    chunk.state = Layout.ChunkState.recycling.rawValue
    bytes.put(UInt32(0), at: Layout.Chunk.fill)
    bytes.put(chunk.state, at: Layout.Chunk.state)
    try put(bytes, at: offset)
    return Copied(offset: offset, header: chunk, last: 0, isSkipped: true)
  }

  // MARK: - The moment

  /// Cuts off records after the moment of the copy.
  private mutating func cut(after horizon: UInt64) throws(Problem) {
    for index in chunks.indices where chunks[index].last > horizon && !chunks[index].isSkipped {
      let chunk = chunks[index]
      guard chunk.header.kind == Layout.ChunkKind.events.rawValue else { continue }
      var bytes = [UInt8](repeating: 0, count: Layout.Chunk.size + Int(chunk.header.fill))
      let count = bytes.withUnsafeMutableBytes { pread(target, $0.baseAddress, $0.count, off_t(chunk.offset)) }
      guard count == bytes.count else { throw .cannotWrite(count < 0 ? errno : EIO) }
      let records = Array(bytes[Layout.Chunk.size...])
      let kept = Self.walk(records, from: chunk.header.baseTicks, upTo: horizon).bytes
      bytes.removeSubrange((Layout.Chunk.size)...)
      bytes.put(UInt32(clamping: kept), at: Layout.Chunk.fill)
      // Its checksum was that of all records.
      if chunk.header.state == Layout.ChunkState.sealed.rawValue {
        bytes.put(Layout.ChunkState.retired.rawValue, at: Layout.Chunk.state)
        bytes.put(UInt64(0), at: Layout.Chunk.checksum)
      }
      try put(bytes, at: chunk.offset)
    }
  }

  /// The ticks of the last record up to a moment, and how many bytes the records up to there have. O(records).
  private static func walk(
    _ records: [UInt8], from base: UInt64, upTo horizon: UInt64 = .max
  ) -> (last: UInt64, bytes: Int) {
    var ticks = base
    var index = 0
    records.withUnsafeBytes { bytes in
      let words = bytes.bindMemory(to: UInt64.self)
      while index < words.count {
        let head = RecordHead(UInt64(littleEndian: words[index]))
        let second = index + 1 < words.count ? UInt64(littleEndian: words[index + 1]) : 0
        var size = Int(KindTables.sizes[Int(head.kind)])
        if size == 0 { size = RecordLengths(second).words }
        guard head.kind != 0, size > 0, size <= words.count - index else { return }
        var next = ticks &+ head.delta
        if head.kind == EventKind.time.rawValue { next = EventFields.Time(second).ticks }
        if next > horizon { return }
        ticks = next
        index += size
      }
    }
    return (ticks, index * 8)
  }

  // MARK: - The file

  private func writeHeader(size: Int, reason: String, moment: UInt64) throws(Problem) -> UInt64 {
    typealias Field = Layout.Header
    var bytes = source.bytes(at: 0, count: size)
    // The three clocks of a heartbeat belong together.
    for _ in 0..<100 where (bytes.number(at: Field.heartbeatSequence) as UInt64) % 2 != 0 {
      bytes = source.bytes(at: 0, count: size)
    }
    guard bytes.count == size, size >= Field.size else { throw .source(TraceError(file: "", .changed)) }
    let minor: UInt16 = bytes.number(at: Field.minorVersion)
    bytes.put(max(minor, Layout.minorVersion), at: Field.minorVersion)
    bytes.put(max(1, moment), at: Field.keptAt)
    bytes.put(reason, at: Field.keptReason, size: Field.keptReasonSize)
    bytes.put(bytes.checksum(of: 0..<Field.staticChecksum), at: Field.staticChecksum)
    // The program goes on; if it has ended meanwhile, this is a copy from before.
    bytes.put(Layout.FileState.open.rawValue, at: Field.state)
    bytes.put(end, at: Field.endOffset)
    bytes.put(UInt64(0), at: Field.dynamicChecksum)
    try put(bytes, at: 0)
    guard ftruncate(target, off_t(end)) == 0 else { throw .cannotWrite(errno) }
    return end
  }

  private func put(_ bytes: [UInt8], at offset: UInt64) throws(Problem) {
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes {
        pwrite(target, $0.baseAddress, $0.count, off_t(offset) + off_t(done))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .cannotWrite(count < 0 ? errno : ENOSPC) }
      done += count
    }
  }
}

extension TraceCopy {
  /// Gives a kept file another reason.
  /// - Returns: the system's error number; nil: it has it.
  package static func rename(reason: String, inFile path: String) -> Int32? {
    typealias Field = Layout.Header
    guard let file = OwnedDescriptor(open(path.asPath, O_RDWR | O_CLOEXEC)) else { return errno }
    var bytes = [UInt8](repeating: 0, count: Field.staticChecksum + 8)
    let count = pread(file.number, &bytes, bytes.count, 0)
    guard count == bytes.count else { return count < 0 ? errno : EIO }
    for index in Field.keptReason..<Field.keptReason + Field.keptReasonSize { bytes[index] = 0 }
    bytes.put(reason, at: Field.keptReason, size: Field.keptReasonSize)
    bytes.put(bytes.checksum(of: 0..<Field.staticChecksum), at: Field.staticChecksum)
    return pwrite(file.number, bytes, bytes.count, 0) == bytes.count ? nil : errno
  }

  /// The stacks of a kept file; nil: it cannot be read, or parts of it are damaged.
  package static func stacks(ofFile path: String) -> StackTable? {
    guard let source = try? FileSource.open(path: path), let header = try? FileHeader.read(source, file: path) else {
      return nil
    }
    return StackTable.read(source, header)
  }
}
