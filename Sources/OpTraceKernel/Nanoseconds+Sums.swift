package import OpTraceModel

extension Nanoseconds {
  /// The sum, limited to the largest number: a time in a trace may be as long as a year, so that a sum may not fit.
  package func saturating(_ other: Nanoseconds) -> Nanoseconds {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }

  /// The sum, limited to the largest number; negative values count as 0.
  package func adding(_ other: Nanoseconds) -> Nanoseconds {
    let (sum, overflows) = addingReportingOverflow(Swift.max(0, other))
    return overflows ? .max : sum
  }
}
