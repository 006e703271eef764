import OpTraceFormat

/// How a trace was made of a process that nobody recorded: from outside, while it ran, or from its core file.
///
/// Its events lead to what was found at one moment. Nobody knows who made the objects, and when.
public struct TraceOrigin: Sendable, Equatable {
  /// It is of a core file, not of a process that ran.
  public var isCore = false
  /// Threads ran while it was looked at, so it has only what two looks show.
  public var hasMoved = false
  /// Since when nothing has moved is known. Otherwise the times in the trace mean nothing.
  public var isTimed = false
  /// Since when nothing has moved, in nanoseconds since the trace's start, where that is known.
  public var since: Nanoseconds = 0
  /// For how long it was looked at, in nanoseconds.
  public var watched: Nanoseconds = 0
  /// What was left out of the trace and why, in one sentence each. Where something was, that nothing is found means little.
  public var leftOut: [String] = []

  /// Of a process that ran and did not move, with nothing left out.
  public init() {}
}

extension TraceOrigin {
  /// Stands for how long nothing has moved where nobody knows: longer than any trace, and within what readers can add up.
  package static let unknownTime: Nanoseconds = (1 << 55) - (1 << 50)

  /// Whether a duration, a time since the trace's start, or a sum of some stands for one that nobody knows.
  package static func isUnknown(_ time: Nanoseconds) -> Bool { time.magnitude >= (1 << 55) - (1 << 51) }
}

extension Trace {
  /// Since when nothing has moved is not known, and no time in it means anything.
  package var hasNoTimes: Bool { origin?.isTimed == false }

  mutating func note(_ fields: EventFields.Outside, _ leftOut: String, at time: Nanoseconds) {
    var origin = origin ?? TraceOrigin()
    origin.since = time
    (origin.isCore, origin.hasMoved, origin.isTimed) = (fields.core, fields.moved, fields.timed)
    origin.watched = Nanoseconds(fields.watched) * 1_000_000
    if !leftOut.isEmpty { origin.leftOut.append(leftOut) }
    self.origin = origin
  }
}
