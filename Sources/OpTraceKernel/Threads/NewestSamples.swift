package import OpTraceModel

/// Where threads were sampled last. If a thread computes, that is where it is now.
package struct NewestSamples: Sendable {
  private var samples: [ThreadID: SampleRecord] = [:]

  /// How old a sample may be: a computing thread is sampled again after some processor time, which takes long with many
  /// threads and few processors.
  package static let fresh: Nanoseconds = 2_000_000_000

  /// Only samples taken shortly before a moment, or while its snapshot was taken. O(samples of that time).
  package init(_ trace: Trace, at time: Nanoseconds) {
    for sample in trace.samples.reversed() {
      guard sample.time >= time - Self.fresh else { break }
      guard sample.time <= time, sample.at != nil, samples[sample.thread] == nil else { continue }
      samples[sample.thread] = sample
    }
  }

  /// The newest sample of a thread; nil: there is none. O(1).
  package subscript(thread: ThreadID) -> SampleRecord? { samples[thread] }
}
