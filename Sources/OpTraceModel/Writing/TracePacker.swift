import OpTraceFormat

/// Packs traces: about a tenth of their size, and every reader takes them as they are. Unpacked, a trace is what it was,
/// byte for byte, a damaged one and a text too. (`optrace pack` adds names to those that have none.)
public enum TracePacker {
  /// What was done.
  public struct Report: Sendable, Equatable {
    /// Bytes of the trace.
    public var unpacked: UInt64 = 0
    /// Bytes of the packed file; 0 when one was unpacked.
    public var packed: UInt64 = 0
    /// A reader takes what was packed only with a larger limit than the usual one: most of it is empty space.
    public var needsLimit: Bool { packed > 0 && unpacked > PackedLayout.usualMost(from: packed) }
    /// What of a packed input could not be read; zeros stand there. A trace that is damaged itself is packed with its
    /// damage, and not told of here.
    public var damage: [LossReport.Damage] = []

    package init() {}
  }

  /// Takes the bytes, piece by piece and in order; what it throws ends the work.
  public typealias Sink = ([UInt8]) throws -> Void

  /// Packs a trace, which may be packed already. One whose program writes at this moment is packed as it was read at one
  /// moment for all threads; any other as it is. Memory does not grow with the trace. Throws ``TraceError``, or what
  /// `sink` throws.
  /// - Parameter limit: how many bytes a packed trace may become; by default 32 times its size, and 64 MiB. A few bytes can
  ///   claim to be many.
  public static func pack(path: String, unpackingAtMost limit: UInt64? = nil, to sink: Sink) throws -> Report {
    try pack(path: path, unpackingAtMost: limit, naming: nil, to: sink)
  }

  /// Tells what the code of a trace is called.
  package struct Naming {
    /// Of these places, none of which has a name.
    package var names: (StackTable) -> [SymbolWriter.Names]
    /// Whether somebody may still write to it.
    package var isLive: (TraceHeader) -> Bool

    package init(isLive: @escaping (TraceHeader) -> Bool, names: @escaping (StackTable) -> [SymbolWriter.Names]) {
      (self.isLive, self.names) = (isLive, names)
    }
  }

  /// The same, with names put in where the trace has none. It stays byte for byte where it has some, where none are found, where
  /// it is damaged, and where it is a text.
  package static func pack(
    path: String, unpackingAtMost limit: UInt64?, naming: Naming?, to sink: Sink
  ) throws -> Report {
    var source = try PackedSource.unpacking(FileSource.openTrace(path: path), file: path, limit: limit)
    var isMoment = false
    func takeMoment() throws {
      source = MemorySource(content: TraceWriter.bytes(try TraceReader.events(source, file: path)))
      isMoment = true
    }
    if try isMoving(source, file: path) { try takeMoment() }
    if let naming, !TraceText.isText(source.bytes(at: 0, count: 64)) {
      let header = try FileHeader.read(source, file: path)
      if let stacks = StackTable.read(source, header), !stacks.hasNames {
        let names = naming.names(stacks)
        // What is added behind a file must not meet what its program puts there.
        if !names.isEmpty, !isMoment, naming.isLive(header.header) { try takeMoment() }
        if !names.isEmpty, let addition = try SymbolWriter.addition(of: names, to: source, file: path) {
          source = ExtendedSource(base: source, addition: addition)
        }
      }
    }
    return try pack(source, file: path, to: sink)
  }

  /// Packs a trace that is in memory. `file` is its name in errors.
  public static func pack(bytes: [UInt8], file: String = "trace", to sink: Sink) throws -> Report {
    try pack(PackedSource.unpacking(MemorySource(content: bytes), file: file), file: file, to: sink)
  }

  /// The bytes that a trace was packed from. Throws ``TraceError``, with ``TraceError/Code/notPacked`` where a trace is not
  /// packed, or what `sink` throws.
  /// - Parameter limit: how many bytes a packed trace may become; by default 32 times its size, and 64 MiB. A few bytes can
  ///   claim to be many.
  public static func unpack(path: String, unpackingAtMost limit: UInt64? = nil, to sink: Sink) throws -> Report {
    try unpack(FileSource.openTrace(path: path), file: path, limit, to: sink)
  }

  /// The bytes that a trace in memory was packed from.
  /// - Parameter limit: how many bytes a packed trace may become; by default 32 times its size, and 64 MiB. A few bytes can
  ///   claim to be many.
  public static func unpack(
    bytes: [UInt8], file: String = "trace", unpackingAtMost limit: UInt64? = nil, to sink: Sink
  ) throws -> Report {
    try unpack(MemorySource(content: bytes), file: file, limit, to: sink)
  }

  /// Whether these first bytes of a file begin a packed trace.
  public static func isPacked(_ bytes: [UInt8]) -> Bool { PackedSource.isPacked(bytes) }

  /// Whether somebody writes to it: then its threads do not end at the same moment.
  private static func isMoving(_ source: any ByteSource, file: String) throws -> Bool {
    if TraceText.isText(source.bytes(at: 0, count: 64)) { return false }
    let header = try FileHeader.read(source, file: file)
    guard !header.isClosed else { return false }
    var walk = ChunkWalk(source, header: header)
    walk.run { _, _ in }
    return walk.hasMoved()
  }

  private static func unpack(
    _ packed: any ByteSource, file: String, _ limit: UInt64?, to sink: Sink
  ) throws -> Report {
    guard let source = try PackedSource.ifPacked(packed, file: file, limit: limit) else {
      // What is no trace at all is told as every reader tells it.
      if !TraceText.isText(packed.bytes(at: 0, count: 64)) { _ = try FileHeader.read(packed, file: file) }
      throw TraceError(file: file, .notPacked)
    }
    var report = Report()
    report.damage = source.damage
    let progress = WorkProgress.reporter()
    let length = source.size()
    while true {
      progress.tell(report.unpacked, of: length)
      let piece = source.bytes(at: report.unpacked, count: BlockCodec.longest)
      guard !piece.isEmpty else { return report }
      report.unpacked += UInt64(piece.count)
      try sink(piece)
    }
  }

  // MARK: - Writing

  private static func pack(_ source: any ByteSource, file: String, to sink: Sink) throws -> Report {
    if !TraceText.isText(source.bytes(at: 0, count: 64)) { _ = try FileHeader.read(source, file: file) }
    let length = source.size()
    var report = Report()
    report.damage = source.damage
    func write(_ bytes: [UInt8]) throws {
      report.packed += UInt64(bytes.count)
      try sink(bytes)
    }
    try write(header(length))
    var codec = BlockCodec()
    let start = try writeStart(of: source, &codec, to: write)
    report.unpacked = start.length
    var zeros: UInt64 = 0
    let progress = WorkProgress.reporter()
    while report.unpacked < length {
      progress.tell(report.unpacked, of: length)
      let count = Int(min(UInt64(BlockCodec.longest), length - report.unpacked))
      var bytes = source.bytes(at: report.unpacked, count: count)
      // A file that shrinks meanwhile reads as zeros there, as a hole would.
      bytes += repeatElement(0, count: count - bytes.count)
      if let run = zeroRun(in: bytes, source, from: report.unpacked, to: length) {
        zeros += run
        guard zeros <= PackedLayout.mostZeros else {
          throw TraceError(file: file, .cannotRead("more than 1 GiB of it is empty space, which is not packed"))
        }
        try write(PackedBlock(kind: .zeros, offset: report.unpacked, length: run).bytes([]))
        report.unpacked += run
      } else {
        let scan = SegmentScan(bytes, isWhole: report.unpacked + UInt64(count) == length)
        bytes.removeSubrange(scan.count...)
        let (header, payload) = block(bytes, scan.segments, at: report.unpacked, &codec)
        try write(header)
        try write(payload)
        report.unpacked += UInt64(scan.count)
      }
    }
    try write(start.block)
    return report
  }

  /// The trace's header is a block by itself, and is written once more in the end: damage to the beginning costs nothing.
  private static func writeStart(
    of source: any ByteSource, _ codec: inout BlockCodec, to write: Sink
  ) throws -> (length: UInt64, block: [UInt8]) {
    let bytes = source.bytes(at: 0, count: PackedLayout.longestStart)
    let scan = SegmentScan(bytes, isWhole: true)
    let (header, payload) = block(bytes, scan.segments, at: 0, &codec)
    try write(header + payload)
    return (UInt64(bytes.count), header + payload)
  }

  private static func header(_ length: UInt64) -> [UInt8] {
    typealias Place = PackedLayout.Header
    var header = [UInt8](repeating: 0, count: Place.size)
    header.replaceSubrange(0..<PackedLayout.magic.count, with: PackedLayout.magic)
    header.put(PackedLayout.majorVersion, at: Place.majorVersion)
    header.put(PackedLayout.minorVersion, at: Place.minorVersion)
    header.put(UInt32(Place.size), at: Place.headerSize)
    header.put(length, at: Place.length)
    header.put(header.checksum(of: 0..<Place.checksum), at: Place.checksum)
    return header
  }

  private static func block(
    _ bytes: [UInt8], _ segments: [BlockCodec.Segment], at offset: UInt64, _ codec: inout BlockCodec
  ) -> (header: [UInt8], payload: [UInt8]) {
    let (coded, plain) = codec.encode(bytes, segments)
    var payload = coded + plain
    // A file is never smaller than that: a reader relies on it.
    let least = (bytes.count + PackedLayout.mostGain - 1) / PackedLayout.mostGain
    let count = (max(payload.count, least) + 7) / 8 * 8
    payload += repeatElement(0, count: count - payload.count)
    let block = PackedBlock(
      kind: .coded, offset: offset, length: UInt64(bytes.count), payload: count, coded: coded.count)
    return (block.bytes(payload), payload)
  }

  /// How far zeros go, where a whole block is of them.
  private static func zeroRun(
    in bytes: [UInt8], _ source: any ByteSource, from start: UInt64, to length: UInt64
  ) -> UInt64? {
    guard bytes.count == BlockCodec.longest, bytes.allSatisfy({ $0 == 0 }) else { return nil }
    var end = start + UInt64(bytes.count)
    while end < length {
      let piece = source.bytes(at: end, count: Int(min(1 << 16, length - end)))
      // A multiple of 64, so that what follows stands where it stood.
      guard !piece.isEmpty, piece.allSatisfy({ $0 == 0 }) else { break }
      end += UInt64(piece.count)
    }
    return end - start
  }
}
