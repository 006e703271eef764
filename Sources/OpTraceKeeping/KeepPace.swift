package import OpTraceModel

/// How often one condition of one process may be kept: at most once a minute. What is met before the minute is over is
/// kept when it is, if it is still in the ring then. A state that lasts is kept once, and again after it was over.
///
/// The clock is given by the caller, in nanoseconds.
package struct KeepPace: Sendable {
  package static let pause: Nanoseconds = 60_000_000_000

  private var lastKept: Nanoseconds?
  /// Whether the state was seen to last when it was last asked about.
  private var lasts = false
  /// Events that have not been kept: since when, and how many.
  private(set) package var waiting: (since: Nanoseconds, count: Int)?

  package init() {}

  /// Something has happened. It is kept as soon as ``isDue(_:)`` says so.
  package mutating func happened(at now: Nanoseconds, times: Int = 1) {
    waiting = (waiting?.since ?? now, (waiting?.count ?? 0) + times)
  }

  /// Whether a state holds now. A new state counts as something that has happened, and stops to count when it is over.
  package mutating func note(_ holds: Bool, at now: Nanoseconds) {
    if holds, !lasts { happened(at: now) }
    if !holds { waiting = nil }
    lasts = holds
  }

  /// Whether something waits to be kept, and may be kept now.
  package func isDue(_ now: Nanoseconds) -> Bool { waiting != nil && mayBeKept(now) }

  /// Whether the last kept file is a minute old.
  package func mayBeKept(_ now: Nanoseconds) -> Bool { lastKept.map { now - $0 >= Self.pause } ?? true }

  package mutating func kept(at now: Nanoseconds) {
    lastKept = now
    waiting = nil
  }

  /// It was not true after all, or could not be kept.
  package mutating func dropped() { waiting = nil }
}

/// How much processor time may be spent on looking closer where nothing is found: a small share of the time that passes,
/// with something in advance. What is found is kept, and counts for nothing here: its pace is limited anyway.
package struct LookBudget: Sendable {
  /// 0.2 % of a processor.
  package static let share = 500
  /// Ten seconds in advance, so that the first looks need not wait.
  static let most: Nanoseconds = 10_000_000_000

  private var credit = most
  private var last: Nanoseconds?

  package init() {}

  package mutating func allows(_ now: Nanoseconds) -> Bool {
    if let last { credit = min(Self.most, credit + max(0, now - last) / Nanoseconds(Self.share)) }
    last = now
    return credit > 0
  }

  package mutating func spend(_ cost: Nanoseconds) { credit -= cost }
}
