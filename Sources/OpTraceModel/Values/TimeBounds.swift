/// More than a year before or after the trace's start: only a damaged clock goes beyond. Readers may add and subtract
/// times within these bounds without a thought of overflow.
enum TimeBounds {
  static let range: ClosedRange<Nanoseconds> = -(1 << 55)...(1 << 55)

  static func clamp(_ time: Nanoseconds) -> Nanoseconds { max(range.lowerBound, min(range.upperBound, time)) }
}
