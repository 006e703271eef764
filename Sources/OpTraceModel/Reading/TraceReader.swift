import OpTraceFormat

/// Reads traces: files and texts, closed, still written, cut or damaged; packed files with a ``TraceUnpacker``.
///
/// It throws only if nothing can be read. Damaged parts of a trace are left out and reported, with offset and size, in
/// ``Trace/loss``. The file is read once, front to back, and never mapped. Memory: about 16 bytes per event besides the
/// records themselves, and the resulting values.
public enum TraceReader {
  /// Reads a trace file, or a text in the form that `optrace dump` writes; the first bytes decide which.
  ///
  /// - Parameter unpacker: reads packed traces, which are refused without it.
  public static func read(path: String, unpacking unpacker: TraceUnpacker? = nil) throws(TraceError) -> Trace {
    try readUnpacked(try TraceUnpacker.open(path: path, unpacking: unpacker), file: path)
  }

  /// Reads a trace from memory. `file` is its name in errors.
  /// - Parameter unpacker: reads packed traces, which are refused without it.
  public static func read(
    bytes: [UInt8], file: String = "trace", unpacking unpacker: TraceUnpacker? = nil
  ) throws(TraceError) -> Trace {
    try readUnpacked(
      try TraceUnpacker.source(of: MemorySource(content: bytes), file: file, unpacker), file: file)
  }

  /// The header, without the records. Reads only the first page of a trace file; finds all blocks of a packed one, and
  /// unpacks the first; reads a text as a whole.
  package static func header(path: String, unpacking unpacker: TraceUnpacker? = nil) throws(TraceError) -> TraceHeader {
    let source = try TraceUnpacker.open(path: path, unpacking: unpacker)
    if TraceText.isText(source.bytes(at: 0, count: 64)) {
      return try events(source, file: path).header
    }
    return try FileHeader.read(source, file: path).header
  }

  /// Throws if its beginning is that of neither a trace nor a text.
  package static func check(_ source: any ByteSource, file: String) throws(TraceError) {
    if !TraceText.isText(source.bytes(at: 0, count: 64)) { _ = try FileHeader.read(source, file: file) }
  }

  static func readUnpacked(_ source: any ByteSource, file: String) throws(TraceError) -> Trace {
    if !TraceText.isText(source.bytes(at: 0, count: 64)), let trace = try PieceReader.read(source, file: file) {
      return trace
    }
    return TraceBuilder.build(try events(source, file: file))
  }

  /// Reads an open trace file, and closes it. `file` is its name in errors.
  package static func read(descriptor: Int32, file: String) throws(TraceError) -> Trace {
    TraceBuilder.build(try events(FileSource(descriptor: descriptor), file: file))
  }

  /// The events of a trace file in their order, not yet interpreted.
  /// - Parameter unpacker: reads packed traces, which are refused without it.
  public static func events(path: String, unpacking unpacker: TraceUnpacker? = nil) throws(TraceError) -> TraceEvents {
    try events(try TraceUnpacker.open(path: path, unpacking: unpacker), file: path)
  }

  /// The events of a trace in memory.
  /// - Parameter unpacker: reads packed traces, which are refused without it.
  public static func events(
    bytes: [UInt8], file: String = "trace", unpacking unpacker: TraceUnpacker? = nil
  ) throws(TraceError) -> TraceEvents {
    try events(try TraceUnpacker.source(of: MemorySource(content: bytes), file: file, unpacker), file: file)
  }

  static func events(_ source: any ByteSource, file: String) throws(TraceError) -> TraceEvents {
    if TraceText.isText(source.bytes(at: 0, count: 64)) {
      guard source.size() <= UInt64(TraceText.longest) else {
        throw TraceError(
          file: file, .cannotRead("a text of more than 1 GiB: turn it into a binary trace where it was made"))
      }
      var events = try TraceText.parse(source.bytes(at: 0, count: Int(clamping: source.size())), file: file)
      events.countUnknownKinds()
      return events
    }
    var (header, content) = try copy(source, file: file)
    var horizon = UInt64.max
    if content.hasMoved {
      // The copy took a while, and threads wrote meanwhile. So it has later records of some threads than of others,
      // perhaps effects without their causes. A second copy has everything that happened before the first one was over.
      horizon = content.latestTicks
      (header, content) = try copy(source, file: file)
    }
    return resolve(header, content, horizon: horizon)
  }

  /// The records of a file in memory.
  private struct Content {
    var words: [UInt64]
    var decoder: RecordDecoder
    var damage: [LossReport.Damage]
    var hasCarried: Bool
    var hasMoved: Bool
    var ring: RingFacts?

    /// Hands over the words without a copy.
    mutating func takeWords() -> [UInt64] {
      defer { words = [] }
      return words
    }

    var latestTicks: UInt64 { decoder.entries.lazy.map { UInt64(bitPattern: $0.time) }.max() ?? 0 }
  }

  private static func copy(_ source: any ByteSource, file: String) throws(TraceError) -> (FileHeader, Content) {
    var header = try FileHeader.read(source, file: file)
    // A writer that stops just now changes the header before it trims the file, so read both again.
    for _ in 0..<2 where header.endOffset > source.size() { header = try FileHeader.read(source, file: file) }
    var walk = ChunkWalk(source, header: header)
    walk.run(progress: WorkProgress.reporter(to: 0.6))
    // A thread's chunks in the order in which it got them, so that its events are one ascending run.
    let chunks = walk.chunks.sorted { ($0.thread, $0.sequence) < ($1.thread, $1.sequence) }
    let hasMoved = !header.isClosed && walk.hasMoved()
    var words = walk.takeWords()
    var decoder = RecordDecoder()
    decoder.reserve(words: words.count)
    var ring = RingFacts(header, chunks)
    for chunk in chunks {
      let before = decoder.entries.count
      decoder.decode(chunk, in: &words)
      guard chunk.kind == .carried else { continue }
      for entry in decoder.entries[before...] {
        ring?.noteCarried(RecordHead(UInt64(littleEndian: words[Int(entry.wordIndex)])))
      }
    }
    let content = Content(
      words: words, decoder: decoder, damage: header.damage + walk.damage + decoder.damage,
      hasCarried: chunks.contains { $0.kind == .carried }, hasMoved: hasMoved, ring: ring)
    return (header, content)
  }

  private static func resolve(_ header: FileHeader, _ copy: consuming Content, horizon: UInt64) -> TraceEvents {
    var events = TraceEvents(header: header.header)
    let hasCarried = copy.hasCarried
    let ring = copy.ring
    var loss = LossReport()
    loss.lost = header.lost
    loss.overwrittenBytes = header.overwrittenBytes
    loss.damage = copy.damage.sorted { $0.offset < $1.offset }
    if horizon != .max { copy.decoder.drop(after: horizon) }

    var clock = copy.decoder.clock(header)
    let unnamed = copy.decoder.unnamedThreads(&clock)
    let strings = copy.decoder.strings
    events.take(words: copy.takeWords(), entries: copy.decoder.takeEntries(), strings: strings, clock: &clock)
    for thread in unnamed { events.append(thread) }
    events.sort()
    events.ring = ring.map { (clock.time($0.completeSince), $0.carried) }
    loss.completeSince = header.completeSince.map { clock.time($0) }
    if hasCarried { events.dropDuplicates() }
    events.heartbeat = header.heartbeat.map { clock.time($0.ticks) }
    events.loss = loss
    events.countUnknownKinds()
    return events
  }
}

extension StackTable {
  /// Reads only images, frames and names, of a trace of any size: no more than these and one chunk is kept in memory.
  /// Nil if parts of the trace are damaged. O(file).
  static func read(_ source: any ByteSource, _ header: FileHeader) -> StackTable? {
    var walk = ChunkWalk(source, header: header)
    var decoder = RecordDecoder()
    // Texts first, because in a trace made from a text they may come after what names them.
    var kept: [TraceEvent] = []
    walk.run(progress: WorkProgress.reporter(to: 0.5)) { chunk, words in
      decoder.decode(chunk, in: &words)
      var part = TraceEvents(header: header.header)
      part.entries = decoder.takeEntries().filter {
        KindTables.parts[Int(RecordHead(words[Int($0.wordIndex)]).kind)] == .definition
      }
      guard !part.entries.isEmpty else { return }
      part.words = words
      kept += part
    }
    guard header.damage.isEmpty, walk.damage.isEmpty, decoder.damage.isEmpty else { return nil }
    var definitions = Definitions()
    for event in kept { definitions.add(event, decoder.strings) }
    var none: [OperationRecord] = []
    definitions.finish(&none)
    return definitions.stacks
  }
}
