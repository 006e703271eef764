import OpTraceFormat
package import OpTraceModel

extension LossReport {
  /// How far back nothing is missing, as one sentence; nil: nothing is missing at all, or it is not known.
  /// - Parameter end: of the trace; nil: not known.
  package func completeness(until end: Nanoseconds?) -> String? {
    guard let since = completeSince else { return nil }
    guard let end else { return "complete from \(duration(since)) on; what is older is there in part" }
    guard end > since else { return "nothing is complete: records were lost until the end" }
    return "the last \(duration(end - since)), complete; what is older is there in part"
  }
}

extension Trace {
  /// The smallest flight recorder that has room for this program's threads, if this one had too little; else nil.
  package var largerRing: String? {
    guard header.mode == .flightRecorder, loss.lost[.noSpace] != nil else { return nil }
    // Each of the threads that record at the same time needs a chunk, and half of the ring holds what is older.
    let needed = max(UInt64(threads.count) * 2 * Self.chunkOfSmallRing, header.capacity * 2)
    let unit: UInt64 = 1 << 20
    return "--flight-recorder \((needed + unit - 1) / unit)M"
  }

  private static let chunkOfSmallRing: UInt64 = 4096
}
