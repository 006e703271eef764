public import OpTraceModel

/// Packs traces, to a tenth or a twentieth of their size. Every reader takes them, with a `TraceUnpacker`; unpacked, a trace is
/// what it was, byte for byte, a damaged one and a text too. (`optrace pack` adds names to those that have none.)
public enum TracePacker {
  /// What was done.
  public struct Report: Sendable, Equatable {
    /// Bytes of the trace.
    public var unpacked: UInt64 = 0
    /// Bytes of the packed file; 0 when one was unpacked.
    public var packed: UInt64 = 0
    /// A reader takes what was packed only with a larger limit than the usual one: most of it is empty space.
    public var needsLimit: Bool { packed > 0 && unpacked > PackedLayout.usualMost(from: packed) }
    /// What of a packed input could not be read, and is zeros now. A trace that is damaged itself is packed with its
    /// damage, and not reported here.
    public var damage: [LossReport.Damage] = []

    package init() {}
  }

  /// Takes the bytes, piece by piece and in order; what it throws ends the work.
  public typealias Sink = ([UInt8]) throws -> Void

  /// Packs a trace, which may be packed already. One whose program writes at this moment is packed as it was read at one
  /// moment for all threads; any other as it is. Memory does not grow with the trace. Throws `TraceError`, what `sink` throws, or
  /// what liblzma reports.
  /// - Parameter limit: how many bytes a packed trace may become; by default 32 times its size, and 64 MiB. A few bytes can
  ///   claim to be many.
  public static func pack(path: String, unpackingAtMost limit: UInt64? = nil, to sink: Sink) throws -> Report {
    try pack(path: path, unpackingAtMost: limit, naming: nil, to: sink)
  }

  /// The same, with names put in where the trace has none. It stays byte for byte where it has some, where none are found, where
  /// it is damaged, and where it is a text.
  package static func pack(
    path: String, unpackingAtMost limit: UInt64?, naming: SettledTrace.Naming?, to sink: Sink
  ) throws -> Report {
    let source = try TraceUnpacker.open(path: path, unpacking: .packed(atMost: limit))
    return try pack(SettledTrace.source(of: source, file: path, naming: naming), file: path, to: sink)
  }

  /// Packs a trace that is in memory. `file` is its name in errors.
  public static func pack(bytes: [UInt8], file: String = "trace", to sink: Sink) throws -> Report {
    let source = MemorySource(content: bytes)
    let packed = try PackedSource.ifPacked(source, file: file, limit: nil)
    return try pack(packed ?? source, file: file, to: sink)
  }

  /// The bytes that a trace was packed from. Throws `TraceError`, with code `notPacked` where a trace is not
  /// packed, or what `sink` throws.
  /// - Parameter limit: how many bytes a packed trace may become; by default 32 times its size, and 64 MiB. A few bytes can
  ///   claim to be many.
  public static func unpack(path: String, unpackingAtMost limit: UInt64? = nil, to sink: Sink) throws -> Report {
    let source = try TraceUnpacker.open(path: path, unpacking: .packed(atMost: limit))
    return try unpack(source, file: path, to: sink)
  }

  /// The bytes that a trace in memory was packed from.
  /// - Parameter limit: how many bytes a packed trace may become; by default 32 times its size, and 64 MiB. A few bytes can
  ///   claim to be many.
  public static func unpack(
    bytes: [UInt8], file: String = "trace", unpackingAtMost limit: UInt64? = nil, to sink: Sink
  ) throws -> Report {
    let source = MemorySource(content: bytes)
    let packed = try PackedSource.ifPacked(source, file: file, limit: limit)
    return try unpack(packed ?? source, file: file, to: sink)
  }

  /// Whether these first bytes of a file begin a packed trace.
  public static func isPacked(_ bytes: [UInt8]) -> Bool { PackedSource.isPacked(bytes) }

  private static func unpack(_ source: any ByteSource, file: String, to sink: Sink) throws -> Report {
    guard let source = source as? PackedSource else {
      // What is no trace at all is reported as by every reader.
      try TraceReader.check(source, file: file)
      throw TraceError(file: file, .notPacked)
    }
    var report = Report()
    let progress = WorkProgress.reporter()
    let length = source.size()
    while true {
      progress.report(report.unpacked, of: length)
      let piece = source.bytes(at: report.unpacked, count: BlockCodec.longest)
      guard !piece.isEmpty else {
        report.damage = source.damage
        return report
      }
      report.unpacked += UInt64(piece.count)
      try sink(piece)
    }
  }

  // MARK: - Writing

  private static func pack(_ source: any ByteSource, file: String, to sink: Sink) throws -> Report {
    try TraceReader.check(source, file: file)
    let length = source.size()
    var report = Report()
    report.damage = source.damage
    func write(_ bytes: [UInt8]) throws {
      report.packed += UInt64(bytes.count)
      try sink(bytes)
    }
    try write(header(length))
    // The trace's header is a block by itself, and is written once more in the end: damage to the beginning costs nothing.
    let start = source.bytes(at: 0, count: PackedLayout.longestStart)
    let first = try block(start, RecordRuns(start, isWhole: true).runs, at: 0).get()
    try write(first)
    report.unpacked = UInt64(start.count)
    var blocks = PieceQueue()
    var zeros: UInt64 = 0
    let progress = WorkProgress.reporter()
    while report.unpacked < length {
      progress.report(report.unpacked, of: length)
      let count = Int(min(UInt64(BlockCodec.longest), length - report.unpacked))
      var bytes = source.bytes(at: report.unpacked, count: count)
      // A file that shrinks meanwhile reads as zeros there, as a hole would.
      bytes += repeatElement(0, count: count - bytes.count)
      if let run = zeroRun(in: bytes, source, from: report.unpacked, to: length) {
        zeros += run
        guard zeros <= PackedLayout.mostZeros else {
          throw TraceError(file: file, .cannotRead("more than 1 GiB of it is empty space, which is not packed"))
        }
        try blocks.flush(to: write)
        try write(PackedBlock(kind: .zeros, offset: report.unpacked, length: run).bytes([]))
        report.unpacked += run
      } else {
        let records = RecordRuns(bytes, isWhole: report.unpacked + UInt64(count) == length)
        bytes.removeSubrange(records.count...)
        try blocks.add(bytes, records.runs, at: report.unpacked, to: write)
        report.unpacked += UInt64(records.count)
      }
    }
    try blocks.flush(to: write)
    try write(first)
    return report
  }

  /// Blocks that are packed at the same time, and written in their order.
  private struct PieceQueue {
    private var pieces: [(bytes: [UInt8], runs: [RecordRuns.Run], offset: UInt64)] = []
    /// An encoder takes some 15 MiB.
    private let most = min(SideBySide.processors, 8)

    mutating func add(
      _ bytes: [UInt8], _ runs: [RecordRuns.Run], at offset: UInt64, to write: ([UInt8]) throws -> Void
    ) throws {
      pieces.append((bytes, runs, offset))
      if pieces.count >= most { try flush(to: write) }
    }

    mutating func flush(to write: ([UInt8]) throws -> Void) throws {
      let ready = pieces
      pieces = []
      let blocks = SideBySide.map(ready.count) { block(ready[$0].bytes, ready[$0].runs, at: ready[$0].offset) }
      for block in blocks { try write(block.get()) }
    }
  }

  private static func header(_ length: UInt64) -> [UInt8] {
    typealias Field = PackedLayout.Header
    var header = [UInt8](repeating: 0, count: Field.size)
    header.replaceSubrange(0..<PackedLayout.magic.count, with: PackedLayout.magic)
    header.put(PackedLayout.majorVersion, at: Field.majorVersion)
    header.put(PackedLayout.minorVersion, at: Field.minorVersion)
    header.put(UInt32(Field.size), at: Field.headerSize)
    header.put(length, at: Field.length)
    header.put(header.checksum(of: 0..<Field.checksum), at: Field.checksum)
    return header
  }

  /// Its header and its payload.
  private static func block(
    _ bytes: [UInt8], _ runs: [RecordRuns.Run], at offset: UInt64
  ) -> Result<[UInt8], LZMA.Failure> {
    Result { () throws(LZMA.Failure) in
      var (payload, streams) = try BlockCodec.encode(bytes, runs)
      // A file is never smaller than that: a reader relies on it.
      let least = (bytes.count + PackedLayout.mostGain - 1) / PackedLayout.mostGain
      let count = (max(payload.count, least) + 7) / 8 * 8
      payload += repeatElement(0, count: count - payload.count)
      let block = PackedBlock(
        kind: .coded, offset: offset, length: UInt64(bytes.count), payload: count, streams: streams)
      return block.bytes(payload) + payload
    }
  }

  /// How far zeros go, where a whole block is of them.
  private static func zeroRun(
    in bytes: [UInt8], _ source: any ByteSource, from start: UInt64, to length: UInt64
  ) -> UInt64? {
    guard bytes.count == BlockCodec.longest, bytes.allSatisfy({ $0 == 0 }) else { return nil }
    var end = start + UInt64(bytes.count)
    while end < length {
      let piece = source.bytes(at: end, count: Int(min(1 << 16, length - end)))
      // A multiple of 64, so that what follows keeps its offset.
      guard !piece.isEmpty, piece.allSatisfy({ $0 == 0 }) else { break }
      end += UInt64(piece.count)
    }
    return end - start
  }
}

extension TraceUnpacker {
  /// Reads packed traces, which `optrace pack` and ``TracePacker`` write.
  /// - Parameter limit: how many bytes a trace may become; by default 32 times its packed size, and 64 MiB. A few bytes can
  ///   claim to be many.
  public static func packed(atMost limit: UInt64? = nil) -> TraceUnpacker {
    TraceUnpacker(
      unpack: { source, file throws(TraceError) in try PackedSource.ifPacked(source, file: file, limit: limit) },
      mayBegin: { PackedSource.isPacked($0) || PackedSearch.mayFollow($0) })
  }
}
