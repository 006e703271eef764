import OpTraceFormat

/// Splits records of several events before anything else reads them, so that later code sees only plain records.
enum RecordUnpacking {
  /// The parts of a packed record, by its raw kind; empty: it is not packed.
  private static let parts: [[EventSpec.PackedPart]] = EventSpec.column { $0?.parts ?? [] }
  /// By how many words a record grows.
  private static let growth: [UInt8] = EventSpec.column { spec in
    guard let spec, !spec.parts.isEmpty else { return 0 }
    let plain = spec.parts.reduce(0) { $0 + Int(KindTables.sizes[Int($1.kind.rawValue)]) }
    return UInt8(plain - Int(KindTables.sizes[Int(spec.kind.rawValue)]))
  }
  private static let isPacked: [Bool] = EventSpec.column { $0?.parts.isEmpty == false }

  /// Splits the records from `start` on, in order; the events of one record have its time. Returns by how many words
  /// they grew. Words after an incomplete record stay as they are: all growth is before it. O(words).
  static func unpack(_ words: inout [UInt64], from start: Int) -> Int {
    guard let (packed, added) = count(words, from: start) else { return 0 }
    var plain: [UInt64] = []
    plain.reserveCapacity(words.count - start + added)
    var copied = start
    words.withUnsafeBufferPointer { words in
      for index in packed {
        plain.append(contentsOf: words[copied..<index])
        copied = index + unpackOne(words, at: index, to: &plain)
      }
      plain.append(contentsOf: words[copied...])
    }
    words.replaceSubrange(start..., with: plain)
    return added
  }

  /// The indexes of packed records, and by how many words they grow; nil: there are none.
  private static func count(_ words: [UInt64], from start: Int) -> (packed: [Int], added: Int)? {
    var packed: [Int] = []
    var added = 0
    var index = start
    words.withUnsafeBufferPointer { words in
      while index < words.count {
        let kind = Int(RecordHead(UInt64(littleEndian: words[index])).kind)
        var size = Int(KindTables.sizes[kind])
        if size == 0, index + 1 < words.count { size = RecordLengths(UInt64(littleEndian: words[index + 1])).words }
        guard kind != 0, size > 0, size <= words.count - index else { return }
        if isPacked[kind] {
          packed.append(index)
          added += Int(growth[kind])
        }
        index += size
      }
    }
    return packed.isEmpty ? nil : (packed, added)
  }

  /// Splits one record; returns how many words the packed record has.
  private static func unpackOne(
    _ words: UnsafeBufferPointer<UInt64>, at index: Int, to plain: inout [UInt64]
  ) -> Int {
    let head = RecordHead(UInt64(littleEndian: words[index]))
    let kind = Int(head.kind)
    // The time since the record before goes to the first part; no time passes between the parts.
    var delta = head.delta
    for part in parts[kind] {
      plain.append(RecordHead(kind: part.kind.rawValue, delta: delta, subject: head.subject).word.littleEndian)
      delta = 0
      guard KindTables.sizes[Int(part.kind.rawValue)] == 2 else { continue }
      switch part.word {
      case .sameWord: plain.append(words[index + 1])
      case .secondWord: plain.append(words[index + 2])
      case .subjectBefore: plain.append(EventFields.DependencyAdded(on: head.subject &- 1).word1.littleEndian)
      }
    }
    return Int(KindTables.sizes[kind])
  }
}
