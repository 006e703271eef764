import OpTraceFormat

/// Splits the words of chunks into records. Every length is checked against what is there before it is used.
struct RecordDecoder {
  /// Events in the order of decoding; their time is still in ticks (the bit pattern).
  private(set) var entries: [TraceEvents.Entry] = []
  private(set) var calibrations: [ClockMap.Calibration] = []
  private(set) var strings: [UInt32: String] = [:]
  /// The system's ids of threads that took over a chunk, and when.
  private(set) var switches: [UInt32: (systemID: UInt32, ticks: UInt64)] = [:]
  private(set) var namedThreads: Set<UInt32> = []
  private(set) var damage: [LossReport.Damage] = []

  init() {}

  mutating func forgetEntries() { entries.removeAll(keepingCapacity: true) }

  /// Takes over what another decoder has read from the chunks that follow; its entries stay where they are.
  mutating func append(_ later: RecordDecoder) {
    calibrations += later.calibrations
    strings.merge(later.strings) { _, last in last }
    switches.merge(later.switches) { first, _ in first }
    namedThreads.formUnion(later.namedThreads)
    damage += later.damage
  }

  /// Adds a calibration that no record has, and forgets the oldest if there are many.
  mutating func add(_ calibration: ClockMap.Calibration) {
    if calibrations.last != calibration { calibrations.append(calibration) }
    calibrations.removeFirst(max(0, calibrations.count - 64))
  }

  /// Hands over the entries without a copy.
  mutating func takeEntries() -> [TraceEvents.Entry] {
    defer { entries = [] }
    return entries
  }

  /// Forgets the events after these ticks.
  mutating func drop(after horizon: UInt64) { entries.removeAll { UInt64(bitPattern: $0.time) > horizon } }

  /// Reserves memory for as many events as so many words can hold.
  mutating func reserve(words: Int) { entries.reserveCapacity(words) }

  /// Decodes a chunk, or what was added to it since. The time bits in the first words of records are set to 0, so that
  /// equal records are equal. Returns the state for the records that follow: the clock, and the thread.
  @discardableResult
  mutating func decode(_ chunk: LoadedChunk, in words: inout [UInt64]) -> (ticks: UInt64, thread: UInt32) {
    var index = chunk.words.lowerBound
    let end = chunk.words.upperBound
    var ticks = chunk.baseTicks
    var thread = chunk.thread
    words.withUnsafeMutableBufferPointer { words in
      KindTables.sizes.withUnsafeBufferPointer { sizes in
        while index < end {
          let head = RecordHead(UInt64(littleEndian: words[index]))
          let kind = head.kind
          let second = index + 1 < end ? UInt64(littleEndian: words[index + 1]) : 0
          var size = Int(sizes[Int(kind)])
          if size == 0 { size = index + 1 < end ? RecordLengths(second).words : 2 }
          guard kind != 0, size <= end - index, size >= 2 || kind < 0x40 else {
            note(kind: kind, size: size, at: index, in: chunk)
            return
          }
          ticks &+= head.delta
          words[index] = head.timeless.word.littleEndian
          switch kind {
          case EventKind.time.rawValue:
            ticks = EventFields.Time(second).ticks
          case EventKind.threadSwitched.rawValue:
            thread = head.subject
            if switches[thread] == nil { switches[thread] = (EventFields.ThreadSwitched(second).tid, ticks) }
          case EventKind.calibration.rawValue:
            calibrations.append(.init(ticks: ticks, monotonic: EventFields.Calibration(second).monotonic))
          default:
            if kind >= 0xC0, !checkText(kind, second: second, size: size) {
              note(kind: kind, size: size, at: index, in: chunk)
              return
            }
            if kind == EventKind.threadNamed.rawValue { namedThreads.insert(head.subject) }
            if kind == EventKind.string.rawValue {
              let record = Array(words[index..<index + size])[...]
              strings[head.subject] = RecordText.decode(record, textWord: 2)
            } else {
              entries.append(
                .init(time: Int64(bitPattern: ticks), thread: thread, wordIndex: UInt32(truncatingIfNeeded: index)))
            }
          }
          index += size
        }
      }
    }
    return (ticks, thread)
  }

  /// Whether a variable record of a known kind is large enough for its text; an unknown one is counted.
  private mutating func checkText(_ kind: UInt8, second: UInt64, size: Int) -> Bool {
    let textWord = Int(KindTables.textWords[Int(kind)])
    guard textWord != Int(KindTables.unknown) else { return true }
    let length = RecordLengths(second).textBytes
    return textWord <= size && length <= (size - textWord) * 8
  }

  private mutating func note(kind: UInt8, size: Int, at index: Int, in chunk: LoadedChunk) {
    let inside = UInt64(max(0, index - chunk.words.lowerBound - chunk.added)) * 8
    damage.append(
      .init(
        offset: chunk.offset + UInt64(Layout.Chunk.size) + inside,
        skippedBytes: UInt64(chunk.words.upperBound - index) * 8,
        reason: kind == 0
          ? "a record of kind 0, which does not exist"
          : "a record (kind \(kind)) of \(size) words does not fit its chunk or its text"))
  }
}

extension RecordDecoder {
  /// The conversion from ticks to nanoseconds, by all that the file says of both.
  func clock(_ header: FileHeader) -> ClockMap {
    guard header.clock == .counter else { return ClockMap(nanosecondsFrom: header.startTicks) }
    var others = calibrations
    if let heartbeat = header.heartbeat {
      others.append(.init(ticks: heartbeat.ticks, monotonic: heartbeat.monotonic))
    }
    return ClockMap(
      start: .init(ticks: header.startTicks, monotonic: header.header.startMonotonic), others: others,
      ticksPerSecond: header.ticksPerSecond)
  }

  /// Names of threads for a ring: carried records have a thread's id, but its name may be overwritten.
  func unnamedThreads(_ clock: inout ClockMap) -> [TraceEvent] {
    switches.filter { !namedThreads.contains($0.key) }.sorted { $0.key < $1.key }.map { thread, seen in
      TraceEvent(
        kind: EventKind.threadNamed.rawValue, time: clock.time(seen.ticks), thread: ThreadID(thread), subject: thread,
        word1: EventFields.ThreadNamed(tid: seen.systemID).word1, text: "")
    }
  }
}

extension TraceEvents {
  /// Takes over decoded events; converts times and ages from ticks to nanoseconds.
  mutating func take(
    words: consuming [UInt64], entries: consuming [Entry], strings: [UInt32: String], clock: inout ClockMap
  ) {
    self.words = words
    self.entries = entries
    self.strings = strings
    let convertsAges = !clock.isIdentity
    self.words.withUnsafeMutableBufferPointer { words in
      self.entries.withUnsafeMutableBufferPointer { entries in
        for index in entries.indices {
          entries[index].time = clock.time(UInt64(bitPattern: entries[index].time))
          guard convertsAges else { continue }
          let start = Int(entries[index].wordIndex)
          let age = KindTables.ages[Int(RecordHead(words[start]).kind)]
          guard age.word != 0 else { continue }
          let word = start + Int(age.word)
          words[word] = Age.scaled(words[word], at: age, by: clock.nanosecondsPerTick)
        }
      }
    }
  }

  /// Drops records that a ring has carried on while their original chunk was still there.
  mutating func dropDuplicates() {
    var kept: [Entry] = []
    kept.reserveCapacity(entries.count)
    var seen: Set<ArraySlice<UInt64>> = []
    for index in entries.indices {
      if let last = kept.last, last.time == entries[index].time, last.thread == entries[index].thread {
        if seen.isEmpty {
          seen.insert(words[Int(last.wordIndex)..<Int(last.wordIndex) + recordLength(at: Int(last.wordIndex))])
        }
        guard seen.insert(words(at: index)).inserted else { continue }
      } else if !seen.isEmpty {
        seen.removeAll(keepingCapacity: true)
      }
      kept.append(entries[index])
    }
    entries = kept
  }
}
