import OpTraceFormat

/// The age inside a word of a record: 40 bits.
enum Age {
  struct Place {
    var word: UInt8
    var shift: UInt8
  }

  /// Units of 16 ticks to units of 16 ns; the largest value ("at least that") stays.
  static func scaled(_ word: UInt64, at shift: UInt8, by factor: Double) -> UInt64 {
    let age = word >> shift & Layout.largestAge
    guard age < Layout.largestAge else { return word }
    let scaled = min((Double(age) * factor).rounded(), Double(Layout.largestAge - 1))
    return word & ~(Layout.largestAge << shift) | UInt64(scaled) << shift
  }

  /// `word` is the one of the record in which this kind tells its age.
  static func nanoseconds(_ word: UInt64, of kind: EventKind) -> Nanoseconds {
    let age = word >> KindTables.ages[Int(kind.rawValue)].shift & Layout.largestAge
    return Nanoseconds(age) &* Nanoseconds(Layout.ageUnit)
  }
}
