#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

internal import OpTraceFormat

/// Reads a trace while its program writes it: each ``poll(isOver:)`` reads what was published since the last one, and nothing
/// else.
///
/// ```swift
/// var reader = try LiveReader(path: "run.optrace")
/// repeat {
///   let news = reader.poll()
///   builder.add(news.events)
/// } while …
/// ```
///
/// All events that were handed out together are those of ``TraceReader/events(path:unpacking:)``. Those of one poll are in their order,
/// and behind those of the polls before: a poll reads twice, and keeps back what is later than the first reading. Only where a
/// thread was stopped between reading the clock and storing its record, or a ring has carried on what was missed, an event
/// comes later than its time says.
///
/// Whatever the file holds, nothing here traps. What is damaged is left out and reported, and no more is read of that chunk.
///
/// A poll costs a read of 64 bytes a chunk that may have changed (of a ring all), and the new records. Memory: 64 bytes a chunk,
/// the strings, and 8 MiB of records; of a ring also what identifies records that were carried on.
package struct LiveReader {
  /// What a poll has found.
  package struct News {
    /// The new events. ``TraceEvents/loss``, ``TraceEvents/heartbeat`` and ``TraceEvents/strings`` are of the whole trace, as of now.
    package var events: TraceEvents
    /// The state of the file by now.
    package var state = State.open
    /// There is more to read at once: it is a long way to the present.
    package var hasMore = false
    /// Records up to this time may be missing: a ring has used their chunks again, or they were lost. Nil: none are.
    package var incompleteUntil: Nanoseconds?
    /// Of a ring: what was carried on, so that it was not over at that time (or later).
    package var carried: [WorkID: Nanoseconds] = [:]
    /// Of a ring: since when all records of a thread were seen. A thread that is not here has none missing.
    package var completeSince: [ThreadID: Nanoseconds] = [:]
    /// Chunks of a ring, so far, that were used again before they were read.
    package var missedChunks = 0
  }

  /// The state of the file.
  package enum State: Sendable, Equatable {
    /// A program may still write.
    case open
    /// The recorder was stopped in order.
    case closed
    /// It is shorter than what was read of it.
    case cut
    /// Under its name is another file, or the same with another trace in it.
    case replaced
    /// There is no file of that name any more.
    case gone
  }

  /// Words of records to read at a time (8 MiB).
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

  /// What was read and not handed out.
  private var words: [UInt64] = []
  private var entries: [TraceEvents.Entry] = []
  /// The latest ticks that were read, and the latest that were handed out.
  private var latest: UInt64 = 0
  private var handedOut: UInt64?
  /// All that was there when the reader came has been read.
  private var hasArrived = false
  private var incompleteUntil: UInt64?
  /// Chunks and damages that are counted in `incompleteUntil`.
  private var counted = (missed: 0, damage: 0)
  /// Threads whose name is not in the trace, as far as they were handed out; and those that may get one.
  private var unnamed: (handedOut: Set<UInt32>, seen: Set<UInt32>) = ([], [])

  /// Opens a trace file. Nothing of it is read yet but its header.
  /// - Throws: ``TraceError`` where it is no trace file. Packed traces and texts do not grow: ``EventReader`` reads them.
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
  /// - Parameter isOver: nobody writes any more, though the file is not closed: its program has ended.
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
      // What one thread wrote while the chunks of others were read may be the effect of what is not read yet: that is for the next poll.
      limit = latest
      if let earlier = read(now, since: before) { limit = min(latest, earlier) }
    }
    noteLosses(now, isWhole: isWhole)
    learnClock(now)
    var news = News(events: take(upTo: limit), state: state(now), hasMore: !isWhole, missedChunks: chunks.missed)
    nameThreads(in: &news.events, isFinal: isFinal)
    news.events.heartbeat = now.heartbeat.map { clock.time($0.ticks) }
    news.events.sort()
    news.events.loss = loss
    if let incompleteUntil {
      news.incompleteUntil = clock.time(incompleteUntil)
      for (thread, ticks) in carry.completeSince { news.completeSince[ThreadID(thread)] = clock.time(ticks) }
      for (work, ticks) in carry.takeEvidence() { news.carried[WorkID(work)] = clock.time(ticks) }
    }
    return news
  }

  /// Reads all chunks once, and what is new in them. The result is nil when all was read; else the ticks up to which no event
  /// is missing: what is unread begins behind.
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
    var decoded = decoder.takeEntries()
    if chunk.kind == .carried {
      carry.noteCarried(decoded, words, since: carriedSince(chunk, before))
    } else {
      if header.mode == .flightRecorder {
        decoded = carry.takeOwn(decoded, words, of: chunk, isAnyMissing: chunks.isAnyMissing)
      }
      for entry in decoded { latest = max(latest, UInt64(bitPattern: entry.time)) }
      entries += decoded
    }
    chunks.advance(index, to: end)
    if decoder.damage.count > damaged { chunks.giveUp(index) }
  }

  /// Since when at the earliest its records were carried on: it was handed out later than those with lower numbers, and what has
  /// come to it since a poll came after that.
  private func carriedSince(_ chunk: LiveChunk, _ before: UInt64) -> UInt64 {
    chunks.list.reduce(chunk.read > 0 ? before : 0) { bound, other in
      other.kind == .events && other.header.sequence < chunk.header.sequence
        ? max(bound, other.header.baseTicks) : bound
    }
  }

  /// What is missing by now, and what is new of all that was carried on.
  private mutating func noteLosses(_ now: FileHeader, isWhole: Bool) {
    if hasArrived { chunks.countUnseen() } else { chunks.forgetUnseen() }
    entries += carry.takeNew(words)
    let damage = now.damage + chunks.damage + decoder.damage
    if now.lost != loss.lost || damage.count > counted.damage {
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

  /// Takes what was read and is not later than `limit` (nil: all). Where something is, those of the limit's nanosecond wait for
  /// it: among them the thread's number decides.
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
    // The next poll finds about as much.
    words.reserveCapacity(min(room.0, budget))
    entries.reserveCapacity(min(room.1, budget))
    events.countUnknownKinds()
    loss.unknownKinds.merge(events.loss.unknownKinds) { $0 + $1 }
    return events
  }

  /// The first ticks that are handed out as the same nanosecond as these.
  private mutating func firstTicks(ofTimeAt limit: UInt64) -> UInt64 {
    let time = clock.time(limit)
    var (low, high) = (UInt64(0), limit)
    // Ticks are short: it is near.
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

  /// In a ring, carried records hold a thread's id, but its name may be gone. It may also come a moment later.
  private mutating func nameThreads(in events: inout TraceEvents, isFinal: Bool) {
    guard isFinal || header.mode == .flightRecorder else { return }
    for event in decoder.unnamedThreads(&clock) where isFinal || unnamed.seen.contains(event.subject) {
      if unnamed.handedOut.insert(event.subject).inserted { events.append(event) }
    }
    unnamed.seen.formUnion(decoder.switches.keys)
  }
}

extension TraceBuilder {
  /// What a poll has found.
  package mutating func add(_ news: LiveReader.News) { add(newest: news.events) }
}

/// Which file it is that a path names.
private struct FileIdentity: Equatable {
  let device: UInt64
  let number: UInt64

  /// Nil where there is none.
  init?(path: String) {
    var information = stat()
    guard stat(path.asPath, &information) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: information.st_dev)
    number = UInt64(truncatingIfNeeded: information.st_ino)
  }
}
