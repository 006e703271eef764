import OpTraceFormat

/// The event table, by raw kind. An entry of the table itself is a large value, too large to copy for each of millions
/// of events.
enum KindTables {
  /// The number of words of a record; 0: the record itself says.
  static let sizes: [UInt8] = (0...255).map { UInt8(RecordSize.fixedWords(kind: UInt8($0)) ?? 0) }
  /// The word where the text begins; 0: no text; ``unknown``: a kind that this version does not know.
  static let textWords: [UInt8] = EventSpec.column { spec in spec.map { UInt8($0.text?.word ?? 0) } ?? unknown }
  static let subjects: [EventSpec.Subject] = EventSpec.column { $0?.subject ?? .none }
  static let parts: [EventSpec.Part] = EventSpec.column { $0?.part ?? .event }
  static let bounds: [EventSpec.Bound] = EventSpec.column { $0?.bound ?? .none }
  static let lives: [EventSpec.Life] = EventSpec.column { $0?.life ?? .nobody }

  /// Which bits of a record hold an age; word 0: none.
  static let ages: [EventSpec.Position] = EventSpec.column { spec in
    spec?.fields.first { $0.meaning == .age }?.position ?? .none
  }

  static let unknown: UInt8 = 0xFF
}

/// The age in a word of a record: 40 bits.
enum Age {
  /// Converts units of 16 ticks into units of 16 ns; the largest value ("at least that") stays.
  static func scaled(_ word: UInt64, at position: EventSpec.Position, by factor: Double) -> UInt64 {
    let age = position.raw(word)
    guard age < Layout.largestAge else { return word }
    let scaled = min((Double(age) * factor).rounded(), Double(Layout.largestAge - 1))
    return position.replacing(word, by: UInt64(scaled))
  }

  /// `word` is the word of the record that holds the age of this kind.
  static func nanoseconds(_ word: UInt64, of kind: EventKind) -> Nanoseconds {
    Nanoseconds(KindTables.ages[Int(kind.rawValue)].raw(word)) &* Nanoseconds(Layout.ageUnit)
  }
}
