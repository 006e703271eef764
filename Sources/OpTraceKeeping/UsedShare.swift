package import OpTraceModel

/// Which share of its processors a process has used in the last ten seconds.
package struct UsedShare: Sendable {
  private static let window: Nanoseconds = 10_000_000_000

  /// Processor time that was used until then, both in nanoseconds.
  private var marks: [(time: Nanoseconds, used: Nanoseconds)] = []

  package init() {}

  /// - Parameters:
  ///   - used: processor time of the process so far, in nanoseconds.
  ///   - now: in nanoseconds.
  ///   - processors: how many it may use at once; may be a fraction, as that of a container.
  /// - Returns: 0 to 1; nil: it is not known yet what happened ten seconds ago.
  package mutating func note(used: Nanoseconds, at now: Nanoseconds, processors: Double) -> Double? {
    marks.append((now, used))
    // The latest mark that is ten seconds old, and everything after it.
    while marks.count > 1, now - marks[1].time >= Self.window { marks.removeFirst() }
    guard let first = marks.first, now - first.time >= Self.window, processors > 0 else { return nil }
    return min(1, max(0, Double(used - first.used) / Double(now - first.time) / processors))
  }
}
