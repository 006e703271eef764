import OpTraceKernel
package import OpTraceModel
package import OpTraceSamples

/// Which functions take more processor time, or less, in the new runs: by the samples of runs that have some.
///
/// The time of a sample is charged to the innermost of the program's own functions, with the libraries that it calls; where there is none,
/// to the function that ran. All times are of one run: the mean over the runs of a side.
package struct FunctionDifferences: Sendable {
  /// The sampled runs of one side.
  package struct Side: Sendable, Equatable {
    /// How many; 0: none has samples.
    package var runs = 0
    /// Of all of them.
    package var samples = 0
    /// What the samples stand for of the processor time that was used, of the run where that is least; nil: not known.
    package var leastShare: Double?
  }

  /// What one function, or all, used; nanoseconds.
  package struct Change: Sendable, Equatable {
    package var base: Nanoseconds = 0
    package var new: Nanoseconds = 0
    /// The range that holds the true difference in 95 of 100 cases; at least what numbers of samples vary by.
    package var low: Nanoseconds = 0
    /// The upper end of that range.
    package var high: Nanoseconds = 0
    /// How likely a change as large is by chance, corrected for the number of functions (Holm); nil: not tested, as it uses too little.
    package var p: Double?
    /// It is larger than what counting samples explains: twice the standard deviation of their number, which is its square root.
    package var isClear = false
    /// Slower and faster: takes more processor time, or less. Never, where counting explains it.
    package var verdict = TimingVerdict.unclear
    /// It uses too little to be tested.
    package var isSmall: Bool { p == nil }
    /// Negative: less.
    package var difference: Nanoseconds { new.subtractingReportingOverflow(base).partialValue }
  }

  /// One function.
  package struct Row: Sendable, Equatable {
    package var function: Profile.Function
    package var change: Change
  }

  package var base: Side
  package var new: Side
  /// All processor time.
  package var total = Change()
  /// In the order of ``Comparison/timings``, small ones last; in each verdict the largest change first.
  package var rows: [Row] = []
  /// Whether code has names in all runs; else addresses cannot be compared, and there are no rows.
  package var hasNames = true
  /// As ``Comparison/runsNeeded``.
  package var runsNeeded: Int?

  /// Both sides have samples.
  package var isComparable: Bool { base.runs > 0 && new.runs > 0 }
  /// There are enough sampled runs to tell chance from change.
  package var isTested: Bool { min(base.runs, new.runs) >= TimingRule.leastRuns }

  init(base: Side, new: Side) { (self.base, self.new) = (base, new) }
}
