import OpTraceFormat

/// For a ring that is read while it is written: tells which carried records are new, and which are copies of records
/// that were read before. A carried record is new if it was written in a gap, where records of its thread were missed,
/// and has not come since.
struct LiveCarry {
  /// A range of ticks in which records of a thread were missed, and the hashes of those that have come after all:
  /// carried on, or in a chunk that was seen late.
  private struct Gap {
    var ticks: ClosedRange<UInt64>
    var found: Set<Int> = []
  }

  private enum Found {
    /// In no gap: no record was missed then.
    case outside
    /// In a gap, and new.
    case missing
    /// In a gap, but seen before.
    case known
  }

  private struct Thread {
    var gaps: [Gap]
    /// The ticks since which none of its records is missing.
    var completeSince: UInt64
    /// The ticks of its last record; for a thread that is known only from carried records, of the last of these.
    var last: UInt64
    /// The number of the chunk with the last record.
    var sequence: UInt64

    /// Notes its own records, which are in order. Those in a gap are not taken for new when they are carried on later.
    /// Returns the indexes of those that were handed out before, as carried records.
    mutating func note(_ own: ArraySlice<TraceEvents.Entry>, _ words: [UInt64]) -> [Int] {
      if let end = own.last { last = max(last, UInt64(bitPattern: end.time)) }
      let endOfGaps = gaps.last?.ticks.upperBound ?? 0
      return own.indices.prefix { UInt64(bitPattern: own[$0].time) <= endOfGaps }
        .filter { find(own[$0], words) == .known }
    }

    /// Whether a carried record is one that was missed.
    mutating func isNew(_ carried: TraceEvents.Entry, _ words: [UInt64]) -> Bool {
      if completeSince == .max { last = max(last, UInt64(bitPattern: carried.time)) }
      return find(carried, words) == .missing
    }

    private mutating func find(_ entry: TraceEvents.Entry, _ words: [UInt64]) -> Found {
      let ticks = UInt64(bitPattern: entry.time)
      guard let gap = gaps.lastIndex(where: { $0.ticks.contains(ticks) }) else { return .outside }
      var hasher = Hasher()
      hasher.combine(ticks)
      let start = Int(entry.wordIndex)
      for word in words[start..<start + TraceEvents.recordLength(in: words, at: start)] { hasher.combine(word) }
      return gaps[gap].found.insert(hasher.finalize()).inserted ? .missing : .known
    }
  }

  /// Records of unfinished work are carried on each time the ring is overwritten, so those of older gaps have arrived
  /// by then.
  private static let mostGaps = 64

  private var threads: [UInt32: Thread] = [:]
  /// Carried records of this poll.
  private var pending: [TraceEvents.Entry] = []
  /// Carried work, and its earliest time.
  private var evidence: [UInt32: UInt64] = [:]

  var completeSince: [UInt32: UInt64] { threads.mapValues(\.completeSince) }

  /// The records in a thread's own chunk that were not handed out before. `isAnyMissing` tells whether a chunk is
  /// missing among those from the first number up to, not including, the second.
  mutating func takeOwn(
    _ entries: [TraceEvents.Entry], _ words: [UInt64], of chunk: LiveChunk, isAnyMissing: (UInt64, UInt64) -> Bool
  ) -> [TraceEvents.Entry] {
    if chunk.read == 0 { begin(chunk.thread, at: chunk.header.baseTicks, chunk.header.sequence, isAnyMissing) }
    var known: Set<Int> = []
    // One thread after the other.
    var start = 0
    var current = chunk.thread
    while start < entries.count {
      let number = entries[start].thread
      if number != current {
        current = number
        begin(number, at: UInt64(bitPattern: entries[start].time), chunk.header.sequence, isAnyMissing)
      }
      let end = entries[start...].firstIndex { $0.thread != number } ?? entries.count
      known.formUnion(threads[number]?.note(entries[start..<end], words) ?? [])
      start = end
    }
    return known.isEmpty ? entries : entries.indices.filter { !known.contains($0) }.map { entries[$0] }
  }

  private mutating func begin(
    _ number: UInt32, at ticks: UInt64, _ sequence: UInt64, _ isAnyMissing: (UInt64, UInt64) -> Bool
  ) {
    guard var thread = threads[number] else {
      threads[number] = Thread(
        gaps: [Gap(ticks: 0...ticks)], completeSince: ticks, last: ticks, sequence: sequence)
      return
    }
    if thread.completeSince == .max {
      // Until now this thread was known only from carried records.
      thread.gaps[0].ticks = 0...max(ticks, thread.last)
      thread.completeSince = ticks
    } else if sequence > thread.sequence, isAnyMissing(thread.sequence, sequence) {
      if thread.last < ticks { thread.gaps.append(Gap(ticks: thread.last + 1...ticks)) }
      thread.completeSince = ticks
      thread.gaps.removeFirst(max(0, thread.gaps.count - Self.mostGaps))
    }
    thread.sequence = max(thread.sequence, sequence)
    threads[number] = thread
  }

  /// Notes records that were carried on at `since` or later.
  mutating func noteCarried(_ entries: [TraceEvents.Entry], _ words: [UInt64], since: UInt64) {
    pending += entries
    for entry in entries {
      let head = RecordHead(words[Int(entry.wordIndex)])
      switch KindTables.subjects[Int(head.kind)] {
      case .operation, .block, .task:
        evidence[head.subject] = max(evidence[head.subject] ?? 0, since)
      default: break
      }
    }
  }

  mutating func takeEvidence() -> [UInt32: UInt64] {
    defer { evidence = [:] }
    return evidence
  }

  /// The carried records of this poll that were not read before.
  mutating func takeNew(_ words: [UInt64]) -> [TraceEvents.Entry] {
    defer { pending = [] }
    return pending.filter { isNew($0, words) }
  }

  private mutating func isNew(_ entry: TraceEvents.Entry, _ words: [UInt64]) -> Bool {
    if threads[entry.thread] == nil {
      // Its own chunks are all gone.
      threads[entry.thread] = Thread(gaps: [Gap(ticks: 0...UInt64.max)], completeSince: .max, last: 0, sequence: 0)
    }
    return threads[entry.thread]?.isNew(entry, words) ?? false
  }
}
