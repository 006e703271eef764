import OpTraceFormat

/// For a ring that is read while it is written: finds out which carried records are new, and which are copies of records that
/// were read before. A record is new if it was written where records of its thread were missed.
struct LiveCarry {
  /// Ticks between which records of a thread were missed, and those of them that have come after all, by their hash.
  private struct Gap {
    var ticks: ClosedRange<UInt64>
    var found: Set<Int> = []
  }

  private struct Thread {
    var gaps: [Gap]
    /// Since when nothing of it is missing.
    var completeSince: UInt64
    /// Its last record.
    var last: UInt64
    /// The number of the chunk that has it.
    var sequence: UInt64
  }

  /// Records of unfinished work are carried on each time the ring is overwritten; those of older gaps have arrived by then.
  private static let mostGaps = 64

  private var threads: [UInt32: Thread] = [:]
  /// Carried records of this poll.
  private var pending: [TraceEvents.Entry] = []
  /// What was carried on, and its earliest time.
  private var evidence: [UInt32: UInt64] = [:]

  var completeSince: [UInt32: UInt64] { threads.mapValues(\.completeSince) }

  /// Records that a thread's own chunk has.
  mutating func noteOwn(_ entries: [TraceEvents.Entry], of chunk: LiveChunk, _ chunks: LiveChunks) {
    var current = chunk.thread
    if chunk.read == 0 { begin(current, at: chunk.header.baseTicks, chunk.header.sequence, chunks) }
    for entry in entries where entry.thread != current {
      current = entry.thread
      begin(current, at: UInt64(bitPattern: entry.time), chunk.header.sequence, chunks)
    }
    // One thread after the other: the last record of each run.
    for (index, entry) in entries.enumerated()
    where index + 1 == entries.count || entries[index + 1].thread != entry.thread {
      let before = threads[entry.thread]?.last ?? 0
      threads[entry.thread]?.last = max(before, UInt64(bitPattern: entry.time))
    }
  }

  private mutating func begin(_ number: UInt32, at ticks: UInt64, _ sequence: UInt64, _ chunks: LiveChunks) {
    guard var thread = threads[number] else {
      let gaps = ticks > 0 ? [Gap(ticks: 0...ticks - 1)] : []
      threads[number] = Thread(gaps: gaps, completeSince: ticks, last: ticks, sequence: sequence)
      return
    }
    if thread.completeSince == .max
      || sequence > thread.sequence && chunks.isAnyMissing(from: thread.sequence, to: sequence)
    {
      if thread.last < ticks, thread.completeSince != .max { thread.gaps.append(Gap(ticks: thread.last + 1...ticks)) }
      thread.completeSince = ticks
      thread.gaps.removeFirst(max(0, thread.gaps.count - Self.mostGaps))
    }
    thread.sequence = max(thread.sequence, sequence)
    threads[number] = thread
  }

  /// Records that were carried on, at `since` or later.
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
    let ticks = UInt64(bitPattern: entry.time)
    if threads[entry.thread] == nil {
      // Its own chunks are all gone.
      threads[entry.thread] = Thread(gaps: [Gap(ticks: 0...UInt64.max)], completeSince: .max, last: 0, sequence: 0)
    }
    guard let gap = threads[entry.thread]?.gaps.lastIndex(where: { $0.ticks.contains(ticks) }) else { return false }
    var hasher = Hasher()
    hasher.combine(ticks)
    let start = Int(entry.wordIndex)
    for word in words[start..<start + TraceEvents.recordLength(in: words, at: start)] { hasher.combine(word) }
    return threads[entry.thread]?.gaps[gap].found.insert(hasher.finalize()).inserted ?? false
  }
}
