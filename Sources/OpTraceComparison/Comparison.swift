public import OpTraceModel

/// The differences between base runs and new runs.
public struct Comparison: Sendable {
  /// The runs of one side.
  public struct Side: Sendable, Equatable {
    /// How many runs.
    public var runs = 0
    /// The fewest and the most operations that a run had.
    public var operations: ClosedRange<Int> = 0...0
    /// The geometric mean of the wall times, in nanoseconds; nil: no run had any.
    public var wall: Nanoseconds?
  }

  /// What the times of operations of one pattern say; times run from the beginning of their own code to their finish.
  public struct Timing: Sendable, Equatable {
    /// Which operations.
    public var pattern: WorkPattern
    /// How many times as long they take in the new runs: the geometric mean over matched operations.
    public var ratio: Double
    /// The range of ``ratio`` that holds the true one in 95 of 100 cases. Where a side has one run, the one that 95 of 100 operations lie in.
    public var low: Double
    /// The upper end of that range.
    public var high: Double
    /// How likely a change as large is by chance, corrected for the number of patterns (Holm); nil: not tested, as it
    /// takes too little of the wall time.
    public var p: Double?
    /// The verdict.
    public var verdict: TimingVerdict
    /// How long they run in a base run, all together, in nanoseconds.
    public var running: Nanoseconds
  }

  /// The wall times of all runs. Reported, but no basis for a decision: waiting hides much of a slower class.
  public struct Wall: Sendable, Equatable {
    /// As in ``Timing``.
    public var ratio: Double
    /// As in ``Timing``.
    public var low: Double
    /// As in ``Timing``.
    public var high: Double
    /// How likely a change as large is by chance.
    public var p: Double
    /// The verdict.
    public var verdict: TimingVerdict
  }

  /// The base runs.
  public internal(set) var base = Side()
  /// The new runs.
  public internal(set) var new = Side()
  /// Patterns that came and went.
  public internal(set) var structure: StructureDifferences
  /// The graph of all patterns of both sides.
  public internal(set) var graph: PatternGraph
  /// By pattern: slower ones first, then faster ones, then those that are not clear, the same ones last; in each the largest change first.
  public internal(set) var timings: [Timing]
  /// The comparison of wall times; nil: a side has none.
  public internal(set) var wall: Wall?
  /// How many runs of each side a verdict of slower or faster needs; nil: there are enough. With more patterns more runs are
  /// needed: five and five are enough for five patterns, six and six for 18, seven and seven for 68.
  public internal(set) var runsNeeded: Int?
  /// The rule for verdicts of slower and faster.
  public internal(set) var rule: TimingRule
}

extension Comparison {
  /// There are enough runs to tell chance from change.
  package var isTested: Bool { min(base.runs, new.runs) >= TimingRule.leastRuns }
}
