public import OpTraceModel

extension Profile {
  /// How a profile was made, and what is missing in it. Whoever shows a profile says these.
  public struct Facts: Sendable, Equatable {
    /// The trace says how processor time is sampled; else nobody asked for that.
    public var isSampled = false
    /// It is of waiting, and not of processor time: nothing was sampled, and the weights are exact.
    public var isOffProcessor = false
    /// What took the samples.
    public var way = ProfileRecord.Way.events
    /// The system's error number where it did not allow sampling; nil: it did.
    public var refused: Int32?
    /// Samples a second of processor time.
    public var rate = 0.0
    /// Samples in the selected time, also of work that is not selected.
    public var samplesInTime = 0
    /// Samples of that time that found no room, as far as the trace says: readings of it are some time apart.
    public var lost = 0
    /// Processor time in nanoseconds that the process used in the selected time, between two readings in proportion; nil: not known.
    public var used: Nanoseconds?
    /// The share of ``used`` that the samples of that time stand for: about 1 where nothing is missing. Nil: not known.
    public var sampledShare: Double?
    /// Samples whose outermost callers are not known.
    public var cut = 0
    /// Samples with frames that were found without an unwind rule, and may be wrong.
    public var guessed = 0
    /// Samples, or waits, of which no stack was recorded.
    public var withoutStack = 0
    /// Samples in system calls.
    public var inKernel = 0
    /// Whether samples are taken in system calls at all.
    public var seesKernel = false
    /// Samples in tasks, and those of them whose async callers are known from a suspension.
    public var inTasks = 0
    /// See ``inTasks``.
    public var joined = 0
    /// Threads that were not sampled.
    public var missingThreads = 0
    /// Whether any code has a name: `optrace symbolicate` finds them.
    public var hasNames = false

    /// Nothing is known.
    public init() {}
  }
}

extension Profile.Facts {
  /// What the trace says of the time from `from` to `to`, which are nil for all of it. O(samples + readings).
  init(_ trace: Trace, from: Nanoseconds?, to: Nanoseconds?) {
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
