import OpTraceKernel
public import OpTraceModel

extension Profile {
  /// Where processor time went: the samples of a trace, each with the operation, block or task that ran on its thread then.
  ///
  /// The async callers of a task come from its last suspension before the sample, else from its next one (``Stack/joined``).
  /// O(n log n) for n samples and runs.
  public init(of trace: Trace, selection: Selection = Selection()) {
    var builder = ProfileBuilder(trace)
    var work = SampledWork(trace, selection)
    // Limit each weight so that not even a damaged trace makes a sum overflow.
    let period = max(0, trace.profile?.period ?? 0)
    let weight = min(period, Nanoseconds.max / 2 / Nanoseconds(max(1, trace.samples.count)))
    for sample in trace.samples {
      let isInTime = selection.contains(sample.time)
      guard isInTime || !selection.always.isEmpty else { continue }
      let stamp = Stamp(sample.time, sample.thread)
      let situation = work.situation(at: stamp)
      guard isInTime && situation.isChosen || situation.isAlwaysChosen else { continue }
      builder.add(sample.at, on: stamp, in: situation, isInKernel: sample.isInKernel, weight: weight)
    }
    self = builder.finish(Facts(trace, from: selection.from, to: selection.to))
    self.period = period
  }
}
