#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

internal import OpTraceFormat

/// Reads a trace while its program writes it: each ``poll(isOver:)`` reads only what was published since the last one.
///
/// ```swift
/// var reader = try LiveReader(path: "run.optrace")
/// repeat {
///   let news = reader.poll()
///   builder.add(news.events)
/// } while …
/// ```
///
/// All events together are those of ``TraceReader/events(path:unpacking:)``. The events of a poll are in order, and
/// after those of earlier polls: a poll reads twice, and keeps back what is later than the first reading. An event may
/// come later than its time only if a thread was stopped between reading the clock and storing the record, or if a ring
/// has carried on what was missed.
///
/// Whatever the file holds, nothing here traps. Damaged parts are left out and reported, and no more is read from such
/// a chunk.
///
/// A poll reads 64 bytes for each chunk that may have changed (for a ring, each chunk), and the new records. Memory: 64
/// bytes per chunk, the strings, and 8 MiB of records; for a ring also the identities of carried records.
package struct LiveReader {
  /// The result of a poll.
  package struct News {
    /// The new events. ``TraceEvents/loss``, ``TraceEvents/heartbeat`` and ``TraceEvents/strings`` describe the whole
    /// trace so far.
    package var events: TraceEvents
    /// The current state of the file.
    package var state = State.open
    /// Whether more can be read at once, because the reader is far behind the writer.
    package var hasMore = false
    /// Records up to this time may be missing, because a ring has reused their chunks, or they were lost. Nil: none
    /// are.
    package var incompleteUntil: Nanoseconds?
    /// For a ring: work whose records were carried on, so that it was not over at that time (or later).
    package var carried: [WorkID: Nanoseconds] = [:]
    /// For a ring: since when all records of a thread were seen. A thread without an entry has none missing.
    package var completeSince: [ThreadID: Nanoseconds] = [:]
    /// For a ring: how many chunks so far were reused before they were read.
    package var missedChunks = 0
  }

  /// The state of the file.
  package enum State: Sendable, Equatable {
    /// A program may still write.
    case open
    /// The recorder was stopped properly.
    case closed
    /// The file is shorter than what was read from it.
    case cut
    /// The path now names another file, or the same file with another trace.
    case replaced
    /// No file has this path any more.
    case gone
  }

  /// The number of words of records to read at a time (8 MiB).
  static let usualBudget = 1 << 20

  /// Who writes the trace, when and how.
  package private(set) var header: TraceHeader

  private let source: any ByteSource
  private let file: String
  /// Whether `file` is the path of `source`.
  private let isPath: Bool
  private let identity: FileIdentity?
  private let budget: Int
  private let first: FileHeader
  private var chunks: LiveChunks
  private var decoder = RecordDecoder()
  private var clock: ClockMap
  private var carry = LiveCarry()
  private var loss = LossReport()

  /// Words that were read and not handed out yet.
  private var words: [UInt64] = []
  private var entries: [TraceEvents.Entry] = []
  /// The latest ticks that were read, and the latest that were handed out.
  private var latest: UInt64 = 0
  private var handedOut: UInt64?
  /// Whether everything that was there when the reader was opened has been read.
  private var hasArrived = false
  private var incompleteUntil: UInt64?
  /// What the header says (in ticks).
  private var completeSince: UInt64?
  /// The chunks and damages that `incompleteUntil` includes already.
  private var counted = (missed: 0, damage: 0)
  /// Threads whose name is not in the trace: those already handed out, and those that may still get a name.
  private var unnamed: (handedOut: Set<UInt32>, seen: Set<UInt32>) = ([], [])

  /// Opens a trace file, and reads only its header.
  ///
  /// - Throws: ``TraceError`` if it is no trace file. Packed traces and texts do not grow: ``EventReader`` reads them.
  package init(path: String) throws(TraceError) {
    try self.init(try FileSource.open(path: path), file: path, isPath: true)
  }

  init(
    _ source: any ByteSource, file: String, isPath: Bool = false, budget: Int = usualBudget
  ) throws(TraceError) {
    first = try FileHeader.read(source, file: file)
    self.source = source
    self.file = file
    self.isPath = isPath
    self.budget = budget
    identity = isPath ? FileIdentity(path: file) : nil
    header = first.header
    chunks = LiveChunks(first)
    clock = decoder.clock(first)
  }

  // MARK: - Polls

  /// Reads what is new.
  ///
  /// - Parameter isOver: nobody writes any more, though the file is not closed, because its program has ended.
  package mutating func poll(isOver: Bool = false) -> News {
    guard let now = try? FileHeader.read(source, file: file) else {
      return News(events: TraceEvents(header: header), state: .cut)
    }
    guard now.startTicks == first.startTicks, now.header.processID == first.header.processID else {
      return News(events: TraceEvents(header: header), state: .replaced)
    }
    header = now.header
    let isFinal = isOver || now.isClosed
    let before = latest
    var limit = read(now, since: before)
    let isWhole = limit == nil
    if isWhole, !isFinal {
      // Records that one thread wrote while the chunks of others were read may be effects of records not read yet, so
      // keep them for the next poll.
      limit = latest
      if let earlier = read(now, since: before) { limit = min(latest, earlier) }
    }
    noteLosses(now, isWhole: isWhole)
    learnClock(now)
    var news = News(events: take(upTo: limit), state: state(now), hasMore: !isWhole, missedChunks: chunks.missed)
    nameThreads(in: &news.events, isFinal: isFinal)
    news.events.heartbeat = now.heartbeat.map { clock.time($0.ticks) }
    news.events.sort()
    loss.completeSince = completeSince.map { clock.time($0) }
    news.events.loss = loss
    if let incompleteUntil {
      news.incompleteUntil = clock.time(incompleteUntil)
      for (thread, ticks) in carry.completeSince { news.completeSince[ThreadID(thread)] = clock.time(ticks) }
      for (work, ticks) in carry.takeEvidence() { news.carried[WorkID(work)] = clock.time(ticks) }
    }
    return news
  }

  /// Reads all chunks once, and what is new in them. Returns nil if everything was read; else the ticks up to which no
  /// event is missing, because all unread ones are later.
  private mutating func read(_ now: FileHeader, since before: UInt64) -> UInt64? {
    let size = source.size()
    let isEndKnown = now.isClosed && now.endOffset >= now.headerSize
    chunks.survey(source, upTo: isEndKnown ? min(now.endOffset, size) : size)
    var hasRead = false
    for index in chunks.unread() {
      if hasRead, words.count >= budget {
        let next = chunks.list[index].ticks
        return next > 0 ? next - 1 : 0
      }
      load(index, isOpen: !now.isClosed, since: before)
      hasRead = true
    }
    return nil
  }

  private mutating func load(_ index: Int, isOpen: Bool, since before: UInt64) {
    let start = words.count
    guard chunks.load(index, from: source, into: &words, isOpen: isOpen) else { return }
    let chunk = chunks.list[index]
    let added = RecordUnpacking.unpack(&words, from: start)
    let loaded = LoadedChunk(
      offset: chunk.offset + chunk.read, sequence: chunk.header.sequence, baseTicks: chunk.ticks, thread: chunk.thread,
      kind: chunk.kind, words: start..<words.count, added: added)
    let damaged = decoder.damage.count
    let end = decoder.decode(loaded, in: &words)
    let decoded = decoder.takeEntries()
    if chunk.kind == .carried {
      carry.noteCarried(decoded, words, since: carriedSince(chunk, before))
    } else {
      for entry in decoded { latest = max(latest, UInt64(bitPattern: entry.time)) }
      let isRing = header.mode == .flightRecorder
      entries += isRing ? carry.takeOwn(decoded, words, of: chunk, isAnyMissing: chunks.isAnyMissing) : decoded
    }
    chunks.advance(index, to: end)
    if decoder.damage.count > damaged { chunks.giveUp(index) }
  }

  /// A lower bound for when records were carried into this chunk: it was handed out after the chunks with lower
  /// numbers, and its records since a poll came after that poll.
  private func carriedSince(_ chunk: LiveChunk, _ before: UInt64) -> UInt64 {
    chunks.list.reduce(chunk.read > 0 ? before : 0) { bound, other in
      other.kind == .events && other.header.sequence < chunk.header.sequence
        ? max(bound, other.header.baseTicks) : bound
    }
  }

  /// Notes what is missing so far, and which carried records are new.
  private mutating func noteLosses(_ now: FileHeader, isWhole: Bool) {
    if hasArrived { chunks.countUnseen() } else { chunks.forgetUnseen() }
    entries += carry.takeNew(words)
    let damage = now.damage + chunks.damage + decoder.damage
    let isAnyMissing = now.lost != loss.lost || chunks.missed > counted.missed || chunks.hasUnseen || !hasArrived
    completeSince = now.completeSince
    if isAnyMissing, let later = try? FileHeader.read(source, file: file) {
      // What is missing was overwritten before the chunks were read, which may be after the header was.
      completeSince = later.completeSince
    }
    if damage.count > counted.damage {
      incompleteUntil = latest
    } else if let completeSince {
      if isAnyMissing { incompleteUntil = max(incompleteUntil ?? 0, completeSince) }
    } else if now.lost != loss.lost {
      incompleteUntil = latest
    } else if chunks.missed > counted.missed || !hasArrived && now.overwrittenBytes > 0 {
      incompleteUntil = max(incompleteUntil ?? 0, chunks.overwrittenUntil ?? latest)
    }
    counted = (chunks.missed, damage.count)
    if isWhole { hasArrived = true }
    loss.lost = now.lost
    loss.overwrittenBytes = now.overwrittenBytes
    loss.damage = damage.sorted { $0.offset < $1.offset }
  }

  private mutating func learnClock(_ now: FileHeader) {
    guard first.clock == .counter else { return }
    guard let handedOut else {
      clock = decoder.clock(now)
      return
    }
    if let heartbeat = now.heartbeat { decoder.add(.init(ticks: heartbeat.ticks, monotonic: heartbeat.monotonic)) }
    clock.learn(
      decoder.calibrations, from: handedOut,
      start: .init(ticks: first.startTicks, monotonic: first.header.startMonotonic))
  }

  private func state(_ now: FileHeader) -> State {
    if source.size() < chunks.endOfRead { return .cut }
    if isPath {
      guard let found = FileIdentity(path: file) else { return .gone }
      if found != identity { return .replaced }
    }
    return now.isClosed ? .closed : .open
  }

  // MARK: - Handing out

  /// Takes what was read up to `limit` (nil: all). If a limit is given, events of the same nanosecond wait for later
  /// ones, because the thread's number decides about their order.
  private mutating func take(upTo limit: UInt64?) -> TraceEvents {
    var events = TraceEvents(header: header)
    var later: [TraceEvents.Entry] = []
    var latestHandedOut = handedOut ?? 0
    if let limit, entries.contains(where: { UInt64(bitPattern: $0.time) > limit }) {
      let end = firstTicks(ofTimeAt: limit)
      var kept = 0
      for index in entries.indices {
        let ticks = UInt64(bitPattern: entries[index].time)
        if ticks >= end {
          later.append(entries[index])
        } else {
          entries[kept] = entries[index]
          kept += 1
          latestHandedOut = max(latestHandedOut, ticks)
        }
      }
      entries.removeSubrange(kept...)
    } else {
      for entry in entries { latestHandedOut = max(latestHandedOut, UInt64(bitPattern: entry.time)) }
    }
    if !entries.isEmpty { handedOut = latestHandedOut }
    var laterWords: [UInt64] = []
    for index in later.indices {
      let start = Int(later[index].wordIndex)
      later[index].wordIndex = UInt32(truncatingIfNeeded: laterWords.count)
      laterWords += words[start..<start + TraceEvents.recordLength(in: words, at: start)]
    }
    let room = (words.count, entries.count)
    events.take(words: words, entries: entries, strings: decoder.strings, clock: &clock)
    (words, entries) = (laterWords, later)
    // Expect about as much from the next poll.
    words.reserveCapacity(min(room.0, budget))
    entries.reserveCapacity(min(room.1, budget))
    events.countUnknownKinds()
    loss.unknownKinds.merge(events.loss.unknownKinds) { $0 + $1 }
    return events
  }

  /// The first ticks that have the same time in nanoseconds as these.
  private mutating func firstTicks(ofTimeAt limit: UInt64) -> UInt64 {
    let time = clock.time(limit)
    var (low, high) = (UInt64(0), limit)
    // A tick is short, so it is near.
    var step: UInt64 = 1
    while step <= limit, clock.time(limit - step) == time {
      high = limit - step
      step *= 2
    }
    low = step <= limit ? limit - step + 1 : 0
    while low < high {
      let middle = low + (high - low) / 2
      if clock.time(middle) == time { high = middle } else { low = middle + 1 }
    }
    return high
  }

  /// Names threads of a ring: carried records have a thread's id, but its name may be overwritten. The name may also
  /// come a moment later.
  private mutating func nameThreads(in events: inout TraceEvents, isFinal: Bool) {
    guard isFinal || header.mode == .flightRecorder else { return }
    for event in decoder.unnamedThreads(&clock) where isFinal || unnamed.seen.contains(event.subject) {
      if unnamed.handedOut.insert(event.subject).inserted { events.append(event) }
    }
    unnamed.seen.formUnion(decoder.switches.keys)
  }
}

extension TraceBuilder {
  /// Adds the result of a poll.
  package mutating func add(_ news: LiveReader.News) { add(newest: news.events) }
}

/// Identifies the file that a path names.
private struct FileIdentity: Equatable {
  let device: UInt64
  let number: UInt64

  /// Nil: there is no file.
  init?(path: String) {
    var information = stat()
    guard stat(path.asPath, &information) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: information.st_dev)
    number = UInt64(truncatingIfNeeded: information.st_ino)
  }
}
