import OpTraceKernel
public import OpTraceModel

extension Profile {
  /// How a profile was made, and what is missing from it. Every output that shows a profile shows these.
  public struct Facts: Sendable, Equatable {
    /// Whether the trace says how processor time is sampled; else sampling was not requested.
    public var isSampled = false
    /// Whether the profile is of waiting instead of processor time: nothing was sampled, and the weights are exact.
    public var isOffProcessor = false
    /// What took the samples.
    public var way = ProfileRecord.Way.events
    /// The system's error number if it did not allow sampling; nil: it did.
    public var refused: Int32?
    /// Samples per second of processor time.
    public var rate = 0.0
    /// Samples in the selected time, including those of work that is not selected.
    public var samplesInTime = 0
    /// Samples of that time that were lost, as far as the trace shows: this count is read only from time to time.
    public var lost = 0
    /// Processor time in nanoseconds that the process used in the selected time, interpolated between readings; nil:
    /// not known.
    public var used: Nanoseconds?
    /// The share of ``used`` that the samples of that time stand for: about 1 if nothing is missing. Nil: not known.
    public var sampledShare: Double?
    /// Samples whose outermost callers are not known.
    public var cut = 0
    /// Samples with frames that were found without an unwind rule, and may be wrong.
    public var guessed = 0
    /// Samples, or waits, without a recorded stack.
    public var withoutStack = 0
    /// Samples in system calls.
    public var inKernel = 0
    /// Whether samples are taken in system calls at all.
    public var seesKernel = false
    /// Samples in tasks. ``joined`` counts those whose async callers are known from a suspension.
    public var inTasks = 0
    /// See ``inTasks``.
    public var joined = 0
    /// Threads that were not sampled.
    public var missingThreads = 0
    /// Whether any code has a name. If not, `optrace symbolicate` finds them.
    public var hasNames = false

    /// Nothing is known.
    public init() {}
  }
}

extension Profile.Facts {
  /// The facts of a trace for the time from `from` to `to`; nil: from the beginning, to the end. O(samples + readings).
  package init(_ trace: Trace, from: Nanoseconds?, to: Nanoseconds?) {
    hasNames = trace.stacks.hasNames
    guard let profile = trace.profile else { return }
    isSampled = true
    way = profile.way
    refused = profile.refused
    rate = profile.rate
    seesKernel = profile.seesKernel
    missingThreads = profile.missing
    let usage = SampledUsage(trace, profile)
    let (begin, end) = (from ?? .min, to ?? .max)
    samplesInTime = trace.samples.count { begin <= $0.time && $0.time <= end }
    lost = usage.lost(begin, end)
    guard let known = usage.known, max(begin, known.lowerBound) <= min(end, known.upperBound) else { return }
    let used = usage.used(begin, end)
    self.used = used
    let counted = trace.samples.count {
      begin <= $0.time && $0.time <= end && known.contains($0.time)
    }
    if used > 0 { sampledShare = Double(counted) * Double(profile.period) / Double(used) }
  }
}
