import OpTraceFormat

extension TraceEvents {
  /// Takes over what was decoded; times and ages turn from ticks into nanoseconds.
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
          let place = Int(entries[index].place)
          let age = KindTables.ages[Int(RecordHead(words[place]).kind)]
          guard age.word != 0 else { continue }
          let word = place + Int(age.word)
          words[word] = Age.scaled(words[word], at: age, by: clock.nanosecondsPerTick)
        }
      }
    }
  }

  /// Drops records that a ring has carried on while the chunk they came from was still there.
  mutating func dropDuplicates() {
    var kept: [Entry] = []
    kept.reserveCapacity(entries.count)
    var seen: Set<ArraySlice<UInt64>> = []
    for index in entries.indices {
      if let last = kept.last, last.time == entries[index].time, last.thread == entries[index].thread {
        if seen.isEmpty { seen.insert(words[Int(last.place)..<Int(last.place) + recordLength(at: Int(last.place))]) }
        guard seen.insert(words(at: index)).inserted else { continue }
      } else if !seen.isEmpty {
        seen.removeAll(keepingCapacity: true)
      }
      kept.append(entries[index])
    }
    entries = kept
  }
}
