import OpTraceFormat

/// Reads a file piece by piece in the order of time, so that its records are never in memory all at once.
///
/// The first pass looks at every chunk: is it sound, when does it begin, what is said in it of clocks, strings and
/// threads. The second reads the chunks again in the order of their beginnings, and hands on what is older than the
/// beginning of the next one. A file that is damaged, changes meanwhile or goes back in time is left to ``TraceReader``,
/// which holds all of it.
struct PieceReader {
  /// Words of records in memory at a time (1 MiB), beside the chunks that begin early and go on for long.
  static let usualPiece = 1 << 17

  /// The share of the time that the first pass takes, about.
  private static let firstPass = 0.3

  private let source: any ByteSource
  private let header: FileHeader
  private var walk: ChunkWalk
  private var scan = ScanResult()

  struct ScanResult {
    var decoder = RecordDecoder()
    /// Of each chunk, in the order of the file.
    var lastTicks: [UInt64] = []
    var isAscending = true
    var events = 0
    var operations = 0
  }

  /// Nil: not a file for this way of reading. `piece`: how many words to hold at a time.
  static func read(_ source: any ByteSource, file: String, piece: Int = usualPiece) throws(TraceError) -> Trace? {
    let header = try FileHeader.read(source, file: file)
    guard header.damage.isEmpty, header.endOffset <= source.size() else { return nil }
    var reader = PieceReader(source, header)
    guard let order = reader.look() else { return nil }
    return reader.build(order, piece: piece)
  }

  private init(_ source: any ByteSource, _ header: FileHeader) {
    self.source = source
    self.header = header
    walk = ChunkWalk(source, header: header)
  }

  // MARK: - The first pass

  /// The chunks in the order of their beginnings.
  private mutating func look() -> [LoadedChunk]? {
    var scan = ScanResult()
    walk.run(progress: WorkProgress.teller(to: Self.firstPass)) { chunk, words in scan.note(chunk, &words) }
    self.scan = scan
    guard walk.damage.isEmpty, scan.decoder.damage.isEmpty, scan.isAscending,
      walk.chunks.allSatisfy({ $0.kind != .carried }), header.isClosed || !walk.hasMoved()
    else { return nil }
    let chunks = walk.chunks
    let byThread = chunks.indices.sorted {
      (chunks[$0].thread, chunks[$0].sequence) < (chunks[$1].thread, chunks[$1].sequence)
    }
    for (before, after) in zip(byThread, byThread.dropFirst()) where chunks[before].thread == chunks[after].thread {
      guard scan.lastTicks[before] <= chunks[after].baseTicks else { return nil }
    }
    return chunks.sorted { ($0.baseTicks, $0.sequence) < ($1.baseTicks, $1.sequence) }
  }

  // MARK: - The second pass

  /// What was read of a thread and not handed on.
  struct Pending {
    var words: [UInt64] = []
    var entries: [TraceEvents.Entry] = []
  }

  private func build(_ order: [LoadedChunk], piece: Int) -> Trace? {
    var whole = TraceEvents(header: header.header)
    whole.loss.lost = header.lost
    whole.loss.overwrittenBytes = header.overwrittenBytes
    var clock = scan.decoder.clock(header)
    let unnamed = scan.decoder.unnamedThreads(&clock)
    whole.heartbeat = header.heartbeat.map { clock.time($0.ticks) }
    var builder = TraceBuilder(whole, expectedOperations: scan.operations, expectedEvents: scan.events + unnamed.count)
    var pending: [UInt32: Pending] = [:]
    var held = 0
    var unknownKinds: [UInt8: Int] = [:]
    let progress = WorkProgress.teller(from: Self.firstPass)
    for (number, chunk) in order.enumerated() {
      progress.tell(number, of: order.count)
      guard let count = load(chunk, into: &pending[chunk.thread, default: Pending()]) else { return nil }
      held += count
      let isLast = number + 1 == order.count
      guard isLast || held >= piece else { continue }
      var events = TraceEvents(header: header.header)
      take(before: isLast ? nil : order[number + 1].baseTicks, from: &pending, into: &events, &clock)
      held = pending.values.reduce(0) { $0 + $1.words.count }
      if isLast { for thread in unnamed { events.append(thread) } }
      events.sort()
      events.countUnknownKinds()
      unknownKinds.merge(events.loss.unknownKinds, uniquingKeysWith: +)
      builder.add(events)
    }
    // What was written over meanwhile was read twice as two things.
    guard header.isClosed || !walk.hasMoved() else { return nil }
    return builder.finish(unknownKinds: unknownKinds)
  }

  /// Reads a chunk again, behind what is left of its thread's earlier ones. Nil: it is no longer what it was.
  private func load(_ chunk: LoadedChunk, into pending: inout Pending) -> Int? {
    let count = chunk.words.count
    var words = [UInt64](repeating: 0, count: count)
    let got = words.withUnsafeMutableBytes {
      source.read(at: chunk.offset + UInt64(Layout.Chunk.size), into: $0)
    }
    guard got == count * 8 else { return nil }
    var chunk = chunk
    chunk.words = 0..<count
    var decoder = RecordDecoder()
    decoder.decode(chunk, in: &words)
    guard decoder.damage.isEmpty else { return nil }
    let base = UInt32(truncatingIfNeeded: pending.words.count)
    pending.entries.reserveCapacity(pending.entries.count + decoder.entries.count)
    for entry in decoder.entries {
      pending.entries.append(.init(time: entry.time, thread: entry.thread, place: entry.place + base))
    }
    pending.words.append(contentsOf: words)
    return count
  }

  /// Moves the events before `horizon` (nil: all), thread by thread.
  private func take(
    before horizon: UInt64?, from pending: inout [UInt32: Pending], into events: inout TraceEvents,
    _ clock: inout ClockMap
  ) {
    var words: [UInt64] = []
    var entries: [TraceEvents.Entry] = []
    for thread in pending.keys.sorted() {
      guard var run = pending.removeValue(forKey: thread) else { continue }
      let count = horizon.map { run.firstEntry(notBefore: $0) } ?? run.entries.count
      let end = count < run.entries.count ? Int(run.entries[count].place) : run.words.count
      let base = UInt32(truncatingIfNeeded: words.count)
      for entry in run.entries[..<count] {
        entries.append(.init(time: entry.time, thread: entry.thread, place: entry.place + base))
      }
      words += run.words[..<end]
      guard count < run.entries.count else { continue }
      run.drop(entries: count, words: end)
      pending[thread] = run
    }
    events.take(words: words, entries: entries, strings: scan.decoder.strings, clock: &clock)
  }
}

extension PieceReader.Pending {
  /// Entries are in the order of time; their time is in ticks here.
  fileprivate func firstEntry(notBefore ticks: UInt64) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if UInt64(bitPattern: entries[middle].time) < ticks { low = middle + 1 } else { high = middle }
    }
    return low
  }

  fileprivate mutating func drop(entries count: Int, words end: Int) {
    words.removeSubrange(..<end)
    entries.removeSubrange(..<count)
    for index in entries.indices { entries[index].place -= UInt32(truncatingIfNeeded: end) }
  }
}

extension PieceReader.ScanResult {
  fileprivate mutating func note(_ chunk: LoadedChunk, _ words: inout [UInt64]) {
    decoder.decode(chunk, in: &words)
    var last = chunk.baseTicks
    for entry in decoder.entries {
      let ticks = UInt64(bitPattern: entry.time)
      if ticks < last { isAscending = false }
      last = ticks
      let kind = UInt8(truncatingIfNeeded: UInt64(littleEndian: words[Int(entry.place)]))
      if kind == EventKind.operationCreated.rawValue { operations += 1 }
    }
    events += decoder.entries.count
    lastTicks.append(last)
    decoder.forgetEntries()
  }
}
