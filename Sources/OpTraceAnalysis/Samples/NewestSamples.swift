package import OpTraceModel

/// Where threads were sampled last: of a thread that computes, that is where it is.
package struct NewestSamples: Sendable {
  private var samples: [ThreadID: SampleRecord] = [:]

  /// A thread that computes is sampled again after so much processor time; with many threads and few processors that takes long.
  package static let fresh: Nanoseconds = 2_000_000_000

  /// Those that were taken shortly before a moment, or while its snapshot was. O(samples of that time).
  package init(_ trace: Trace, at time: Nanoseconds) {
    for sample in trace.samples.reversed() {
      guard sample.time >= time - Self.fresh else { break }
      guard sample.time <= time, sample.at != nil, samples[sample.thread] == nil else { continue }
      samples[sample.thread] = sample
    }
  }

  /// Nil: there is none. O(1).
  package subscript(thread: ThreadID) -> SampleRecord? { samples[thread] }
}
