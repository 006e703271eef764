package import OpTraceModel

/// The differences between base runs and new runs.
package struct Comparison: Sendable {
  /// The runs of one side.
  package struct Side: Sendable, Equatable {
    /// How many runs.
    package var runs = 0
    /// The fewest and the most operations that a run had.
    package var operations: ClosedRange<Int> = 0...0
    /// The geometric mean of the wall times, in nanoseconds; nil: no run had any.
    package var wall: Nanoseconds?
  }

  /// What the times of operations of one pattern say; times run from the beginning of their own code to their finish.
  package struct Timing: Sendable, Equatable {
    /// Which operations.
    package var pattern: WorkPattern
    /// How many times as long they take in the new runs: the geometric mean over matched operations.
    package var ratio: Double
    /// The range of ``ratio`` that holds the true one in 95 of 100 cases. Where a side has one run, the one that 95 of 100 operations lie in.
    package var low: Double
    /// The upper end of that range.
    package var high: Double
    /// How likely a change as large is by chance, corrected for the number of patterns (Holm); nil: not tested, as it
    /// takes too little of the wall time.
    package var p: Double?
    /// The verdict.
    package var verdict: TimingVerdict
    /// How long they run in a base run, all together, in nanoseconds.
    package var running: Nanoseconds
  }

  /// The wall times of all runs. Reported, but no basis for a decision: waiting hides much of a slower class.
  package struct Wall: Sendable, Equatable {
    /// As in ``Timing``.
    package var ratio: Double
    /// As in ``Timing``.
    package var low: Double
    /// As in ``Timing``.
    package var high: Double
    /// How likely a change as large is by chance.
    package var p: Double
    /// The verdict.
    package var verdict: TimingVerdict
  }

  /// The base runs.
  package internal(set) var base = Side()
  /// The new runs.
  package internal(set) var new = Side()
  /// Patterns that were added or removed.
  package internal(set) var structure: StructureDifferences
  /// The graph of all patterns of both sides.
  package internal(set) var graph: PatternGraph
  /// By pattern: slower ones first, then faster ones, then those that are not clear, the same ones last; in each the largest change first.
  package internal(set) var timings: [Timing]
  /// The comparison of wall times; nil: a side has none.
  package internal(set) var wall: Wall?
  /// How many runs of each side a verdict of slower or faster needs; nil: there are enough. With more patterns more runs are
  /// needed: five and five are enough for five patterns, six and six for 18, seven and seven for 68.
  package internal(set) var runsNeeded: Int?
  /// What functions used, by samples; nil: no run was sampled.
  package internal(set) var functions: FunctionDifferences?
  /// The rule for verdicts of slower and faster.
  package internal(set) var rule: TimingRule
}

extension Comparison {
  /// There are enough runs to tell chance from change.
  package var isTested: Bool { min(base.runs, new.runs) >= TimingRule.leastRuns }
}
