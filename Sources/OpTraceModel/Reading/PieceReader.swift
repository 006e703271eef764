import OpTraceFormat

/// Reads a file piece by piece in the order of time, so that its records are never in memory all at once.
///
/// The first pass reads every chunk: whether it is sound, when it begins, and what it says of clocks, strings and
/// threads. The second pass reads the chunks again in the order of their begins, and hands on what is older than the
/// begin of the next chunk. A file that is damaged, changes meanwhile or goes back in time is left to ``TraceReader``,
/// which keeps all of it in memory.
struct PieceReader {
  /// The number of words of records in memory at a time (1 MiB), apart from chunks that begin early and last long.
  static let usualPiece = 1 << 17

  /// The approximate share of time that the first pass takes.
  private static let firstPass = 0.3

  /// The facts about the whole trace, without its events.
  private(set) var whole: TraceEvents
  private(set) var count = 0
  private var operations = 0

  private let source: any ByteSource
  private let file: String
  private let isClosed: Bool
  /// The number of words to keep in memory.
  private let piece: Int
  /// The chunks in the order of their begins, and the index of the next one to read.
  private var chunks: [LoadedChunk]
  private var next = 0
  /// Entries that were read and not handed on yet, with their words.
  private var pending: [LoadedChunk.Run: Pending] = [:]
  private var held = 0
  private(set) var clock: ClockMap
  /// Names of threads that no record has, in the order of time.
  private(set) var unnamed: [TraceEvent]
  private let progress = WorkProgress.reporter(from: firstPass)

  struct ScanResult<Facts: FirstPassFacts>: ChunkVisitor {
    var decoder = RecordDecoder()
    var facts = Facts()
    /// The last ticks of each chunk, in the order of the file.
    var lastTicks: [UInt64] = []
    var isAscending = true
    var events = 0
    var operations = 0
    var unknownKinds: [UInt8: Int] = [:]
  }

  struct Pending {
    var words: [UInt64] = []
    var entries: [TraceEvents.Entry] = []
  }

  /// Nil: the file cannot be read in this way, or not any more.
  static func read(_ source: any ByteSource, file: String, piece: Int = usualPiece) throws(TraceError) -> Trace? {
    guard let opened = try PieceReader(source, file: file, piece: piece) else { return nil }
    var builder = TraceBuilder(opened.whole, expectedOperations: opened.operations, expectedEvents: opened.count)
    return opened.handAll(to: &builder) ? builder.finish() : nil
  }

  /// Hands over all pieces in order; while one is taken in, the next is prepared. False: the file has changed.
  func handAll(to taker: inout some PieceTaker) -> Bool {
    // Through a pointer, because a copy would copy all operations. Each of the two is used by one thread.
    withUnsafeMutablePointer(to: &taker) { taker in
      nonisolated(unsafe) let taker = taker
      nonisolated(unsafe) var reader = self
      var next = reader.following()
      while case .success(let events?) = next {
        (_, next) = SideBySide.both({ taker.pointee.add(events) }, { reader.following() })
      }
      if case .failure = next { return false }
      return true
    }
  }

  /// Makes the first pass. Nil: the file cannot be read in this way.
  init?(_ source: any ByteSource, file: String, piece: Int = usualPiece) throws(TraceError) {
    var facts = NoFacts()
    try self.init(source, file: file, piece: piece, facts: &facts)
  }

  /// - Parameter facts: receives what the first pass sees; unchanged if the result is nil.
  init?<Facts: FirstPassFacts>(
    _ source: any ByteSource, file: String, piece: Int = usualPiece, facts: inout Facts
  ) throws(TraceError) {
    let header = try FileHeader.read(source, file: file)
    guard header.damage.isEmpty, header.endOffset <= source.size() else { return nil }
    var walk = ChunkWalk(source, header: header)
    let scan: ScanResult<Facts> = walk.visitAll(progress: WorkProgress.reporter(to: Self.firstPass))
    guard let order = scan.order(of: walk), header.isClosed || !walk.hasMoved() else { return nil }
    facts = scan.facts
    self.source = source
    self.file = file
    self.piece = piece
    isClosed = header.isClosed
    chunks = order
    clock = scan.decoder.clock(header)
    unnamed = scan.decoder.unnamedThreads(&clock).sorted { ($0.time, $0.thread) < ($1.time, $1.thread) }
    count = scan.events + unnamed.count
    operations = scan.operations
    whole = TraceEvents(header: header.header)
    whole.take(words: [], entries: [], strings: scan.decoder.strings, clock: &clock)
    whole.loss.lost = header.lost
    whole.loss.overwrittenBytes = header.overwrittenBytes
    whole.loss.completeSince = header.completeSince.map { clock.time($0) }
    whole.ring = RingFacts(header, order).map { (clock.time($0.completeSince), $0.carried) }
    whole.loss.unknownKinds = scan.unknownKinds
    whole.heartbeat = header.heartbeat.map { clock.time($0.ticks) }
  }

  // MARK: - The second pass

  /// The next events, in the order of ``TraceEvents``, and all after those of earlier pieces; nil at the end.
  ///
  /// - Throws: ``TraceError/Code/changed`` if the file is no longer what the first pass has seen.
  mutating func nextPiece() throws(TraceError) -> TraceEvents? {
    while next < chunks.count {
      progress.report(next, of: chunks.count)
      let chunk = chunks[next]
      guard let count = load(chunk, into: &pending[chunk.run, default: Pending()]) else {
        throw TraceError(file: file, .changed)
      }
      held += count
      next += 1
      guard next == chunks.count || held >= piece else { continue }
      let events = take(before: next < chunks.count ? clock.time(chunks[next].baseTicks) : nil)
      held = pending.values.reduce(0) { $0 + $1.words.count }
      if !events.isEmpty { return events }
    }
    return nil
  }

  private mutating func following() -> Result<TraceEvents?, TraceError> {
    do { return .success(try nextPiece()) } catch { return .failure(error) }
  }

  /// Reads a chunk again, after what is left of earlier chunks of its thread. Nil: the chunk has changed.
  private func load(_ chunk: LoadedChunk, into pending: inout Pending) -> Int? {
    let count = chunk.words.count - chunk.added
    var words = [UInt64](repeating: 0, count: count)
    let got = words.withUnsafeMutableBytes {
      source.read(at: chunk.offset + UInt64(Layout.Chunk.size), into: $0)
    }
    guard got == count * 8, isClosed || isStill(chunk) else { return nil }
    // The checksum proves that its records are the same.
    guard RecordUnpacking.unpack(&words, from: 0) == chunk.added else { return nil }
    var chunk = chunk
    chunk.words = 0..<words.count
    var decoder = RecordDecoder()
    decoder.decode(chunk, in: &words)
    guard decoder.damage.isEmpty else { return nil }
    let base = UInt32(truncatingIfNeeded: pending.words.count)
    pending.entries.reserveCapacity(pending.entries.count + decoder.entries.count)
    for entry in decoder.entries {
      pending.entries.append(.init(time: entry.time, thread: entry.thread, wordIndex: entry.wordIndex + base))
    }
    pending.words.append(contentsOf: words)
    return words.count
  }

  /// Whether the chunk is still the same. A running writer adds after what was seen, which does not change it; a ring
  /// reuses its chunks.
  private func isStill(_ chunk: LoadedChunk) -> Bool {
    let now = ChunkHeader(source.bytes(at: chunk.offset, count: Layout.Chunk.size))
    return now?.sequence == chunk.sequence && now?.state != Layout.ChunkState.recycling.rawValue
  }

  /// Takes pending events before `horizon` (nil: all). Events of the same nanosecond stay together, because the
  /// thread's number decides about their order.
  private mutating func take(before horizon: Nanoseconds?) -> TraceEvents {
    var words: [UInt64] = []
    var entries: [TraceEvents.Entry] = []
    for key in pending.keys.sorted() {
      guard var run = pending.removeValue(forKey: key) else { continue }
      let count = horizon.map { run.firstEntry(notBefore: $0, &clock) } ?? run.entries.count
      let end = count < run.entries.count ? Int(run.entries[count].wordIndex) : run.words.count
      let base = UInt32(truncatingIfNeeded: words.count)
      for entry in run.entries[..<count] {
        entries.append(.init(time: entry.time, thread: entry.thread, wordIndex: entry.wordIndex + base))
      }
      words += run.words[..<end]
      guard count < run.entries.count else { continue }
      run.drop(entries: count, words: end)
      pending[key] = run
    }
    var events = TraceEvents(header: whole.header)
    events.take(words: words, entries: entries, strings: whole.strings, clock: &clock)
    let named = unnamed.prefix { event in horizon.map { event.time < $0 } ?? true }
    for thread in named { events.append(thread) }
    unnamed.removeFirst(named.count)
    events.sort()
    return events
  }
}

/// Receives the events of a trace, piece by piece.
protocol PieceTaker: SendableMetatype {
  /// Adds events that come after all those added before.
  mutating func add(_ piece: TraceEvents)
}

extension TraceBuilder: PieceTaker {}

extension LoadedChunk {
  /// What continues from chunk to chunk in the order of time: the records of one thread. The meaning of definitions
  /// that were added to a file later depends on where their chunk begins, so each such chunk is read by itself.
  struct Run: Hashable, Comparable {
    var thread: UInt32
    var definitions: UInt64
    static func < (left: Self, right: Self) -> Bool {
      (left.thread, left.definitions) < (right.thread, right.definitions)
    }
  }

  fileprivate var run: Run { Run(thread: thread, definitions: kind == .definitions ? sequence : 0) }
}

extension PieceReader.Pending {
  /// Entries are sorted by time, which is in ticks here.
  fileprivate func firstEntry(notBefore time: Nanoseconds, _ clock: inout ClockMap) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if clock.time(UInt64(bitPattern: entries[middle].time)) < time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  fileprivate mutating func drop(entries count: Int, words end: Int) {
    words.removeSubrange(..<end)
    entries.removeSubrange(..<count)
    for index in entries.indices { entries[index].wordIndex -= UInt32(truncatingIfNeeded: end) }
  }
}

extension PieceReader.ScanResult {
  mutating func append(_ later: Self) {
    decoder.append(later.decoder)
    facts.append(later.facts)
    lastTicks += later.lastTicks
    isAscending = isAscending && later.isAscending
    events += later.events
    operations += later.operations
    unknownKinds.merge(later.unknownKinds, uniquingKeysWith: +)
  }

  mutating func visit(_ chunk: LoadedChunk, _ words: inout [UInt64]) {
    decoder.decode(chunk, in: &words)
    var last = chunk.baseTicks
    for entry in decoder.entries {
      let ticks = UInt64(bitPattern: entry.time)
      if ticks < last { isAscending = false }
      last = ticks
      let kind = RecordHead(UInt64(littleEndian: words[Int(entry.wordIndex)])).kind
      if kind == EventKind.operationCreated.rawValue { operations += 1 }
      if KindTables.textWords[Int(kind)] == KindTables.unknown { unknownKinds[kind, default: 0] += 1 }
    }
    facts.see(decoder.entries, words)
    events += decoder.entries.count
    lastTicks.append(last)
    decoder.forgetEntries()
  }

  /// The chunks in the order of their begins. Nil if something is damaged, carried on, or goes back in time.
  fileprivate func order(of walk: ChunkWalk) -> [LoadedChunk]? {
    let chunks = walk.chunks
    guard walk.damage.isEmpty, decoder.damage.isEmpty, isAscending, chunks.allSatisfy({ $0.kind != .carried }) else {
      return nil
    }
    let byRun = chunks.indices.sorted {
      (chunks[$0].run, chunks[$0].sequence) < (chunks[$1].run, chunks[$1].sequence)
    }
    for (before, after) in zip(byRun, byRun.dropFirst()) where chunks[before].run == chunks[after].run {
      guard lastTicks[before] <= chunks[after].baseTicks else { return nil }
    }
    return chunks.sorted { ($0.baseTicks, $0.sequence) < ($1.baseTicks, $1.sequence) }
  }
}
