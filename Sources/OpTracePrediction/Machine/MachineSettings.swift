package import OpTraceModel

/// What the machine is told besides the programs.
package struct MachineSettings: Sendable, Equatable {
  /// Threads of each pool before it grows.
  package var poolThreads: Int
  /// Whether a pool gets one thread more each second in which work waits for one.
  package var poolGrows = true
  /// How long after its first thread has begun a pool is looked at for the first time; nil: only after a second.
  package var firstLook: Nanoseconds?
  /// How many those who compute share; nil: there are enough.
  package var processors: Int?
  /// Repeats the order in which the dependents of an operation are told; nil: that of the trace.
  package var seed: UInt64?

  package init(
    poolThreads: Int, poolGrows: Bool = true, firstLook: Nanoseconds? = nil, processors: Int? = nil, seed: UInt64? = nil
  ) {
    (self.poolThreads, self.poolGrows, self.firstLook, self.seed) = (poolThreads, poolGrows, firstLook, seed)
    self.processors = processors
  }
}

/// Random numbers that a seed repeats (SplitMix64: Steele, Lea, Flood 2014).
struct RepeatableGenerator: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed &* 0xD134_2543_DE82_EF95 &+ 1 }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }
}
