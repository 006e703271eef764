/// Random numbers that a seed repeats, so that a failure can be had again (SplitMix64: Steele, Lea, Flood 2014).
public struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  public init(_ seed: some BinaryInteger) { state = UInt64(truncatingIfNeeded: seed) &* 0xD134_2543_DE82_EF95 &+ 1 }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }

  /// From the range; its lower bound when it is empty.
  public mutating func number(_ range: Range<Int>) -> Int {
    range.lowerBound + Int(next() % UInt64(max(1, range.count)))
  }

  public mutating func chance(_ percent: Int) -> Bool { number(0..<100) < percent }
}
