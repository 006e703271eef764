package import OpTraceModel

/// What the machine needs to know besides the programs.
package struct MachineSettings: Sendable, Equatable {
  /// Threads of each pool before it grows.
  package var poolThreads: Int
  /// Whether a pool gets one thread more each second in which work waits for one.
  package var poolGrows = true
  /// How long after its first thread has begun a pool is checked for the first time; nil: only after a second.
  package var firstCheck: Nanoseconds?
  /// How many those who compute share; nil: there are enough.
  package var processors: Int?
  /// Repeats the order in which the dependents of an operation are released; nil: that of the trace.
  package var seed: UInt64?

  package init(
    poolThreads: Int, poolGrows: Bool = true, firstCheck: Nanoseconds? = nil, processors: Int? = nil,
    seed: UInt64? = nil
  ) {
    (self.poolThreads, self.poolGrows, self.firstCheck, self.seed) = (poolThreads, poolGrows, firstCheck, seed)
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

/// The result of a simulated run. Times are nanoseconds on the trace's clock, by the indexes of the jobs.
package struct MachineOutcome: Sendable, Equatable {
  /// ``never`` instead of a time.
  package static let never = Nanoseconds.min

  package var enqueued: [Nanoseconds]
  package var ready: [Nanoseconds]
  package var began: [Nanoseconds]
  package var finished: [Nanoseconds]
  /// The machine's own numbers of threads, from 0; -1: none.
  package var thread: [Int32]
  /// Which pool each thread is of; -1: it is a program's own.
  package var pools: [Int8] = []
  /// How often the order of dependents was a matter of chance.
  package var choices = 0
  /// How often a pool had to grow before work could run that operations may have waited for.
  package var shortages = 0

  init(count: Int) {
    let nothing = [Nanoseconds](repeating: Self.never, count: count)
    (enqueued, ready, began, finished) = (nothing, nothing, nothing, nothing)
    thread = Array(repeating: -1, count: count)
  }

  /// How many operations have finished. O(n).
  package var finishedCount: Int { finished.reduce(0) { $1 == Self.never ? $0 : $0 + 1 } }

  /// From the first enqueueing or begin to the last finish; nil: nothing happened. O(n).
  package var wall: Nanoseconds? {
    var first = Nanoseconds.max
    var last = Nanoseconds.min
    for index in finished.indices {
      for time in [enqueued[index], began[index]] where time != Self.never { first = min(first, time) }
      for time in [enqueued[index], began[index], finished[index]] where time != Self.never { last = max(last, time) }
    }
    return first <= last ? span(first, last) : nil
  }
}
