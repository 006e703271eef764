import OpTraceFormat

/// The age inside a word of a record: 40 bits.
enum Age {
  /// Units of 16 ticks to units of 16 ns; the largest value ("at least that") stays.
  static func scaled(_ word: UInt64, at position: EventSpec.Position, by factor: Double) -> UInt64 {
    let age = position.raw(word)
    guard age < Layout.largestAge else { return word }
    let scaled = min((Double(age) * factor).rounded(), Double(Layout.largestAge - 1))
    return position.replacing(word, by: UInt64(scaled))
  }

  /// `word` is the one of the record in which this kind tells its age.
  static func nanoseconds(_ word: UInt64, of kind: EventKind) -> Nanoseconds {
    Nanoseconds(KindTables.ages[Int(kind.rawValue)].raw(word)) &* Nanoseconds(Layout.ageUnit)
  }
}
