public import OpTraceModel

/// How long a program's threads waited for a processor, so that what is slow may not be the program's fault.
public struct MachineLoad: Sendable, Equatable {
  /// The time in which they waited, or in which their control group was stopped, in nanoseconds.
  public var time: Nanoseconds
  /// The time of the trace, in nanoseconds.
  public var wall: Nanoseconds
  /// How long threads could have run and had no processor, added up, in nanoseconds.
  public var waited: Nanoseconds
  /// How long they ran in ``time``, added up, in nanoseconds.
  public var used: Nanoseconds
  /// How long the control group was stopped at its limit, in nanoseconds.
  public var throttled: Nanoseconds
  /// How many processors the program could use, at the end.
  public var processors: Double

  /// What has too few processors.
  public enum Cause: String, Sendable, CaseIterable {
    /// The program runs on all processors that it may use.
    case itself
    /// Other programs use the processors.
    case others
    /// Its control group was stopped at its limit.
    case limit
  }

  /// A run that is shorter says little about the machine: two seconds.
  private static let leastWall: Nanoseconds = 2_000_000_000

  /// Nil: threads waited for less than a tenth of the trace's time, or that is too short to tell. O(readings).
  public init?(of trace: Trace) {
    guard let last = trace.machine.last else { return nil }
    func sum(_ part: KeyPath<MachineReading, Nanoseconds>) -> Nanoseconds {
      trace.machine.reduce(0) { $0.saturating($1[keyPath: part]) }
    }
    (time, waited, used, throttled) = (sum(\.over), sum(\.waited), sum(\.used), sum(\.throttled))
    (wall, processors) = (max(trace.end, time), last.processors)
    guard time > 0, wall >= Self.leastWall, max(waited, throttled) >= wall / 10 else { return nil }
  }

  /// How many threads waited for a processor, on average over ``time``.
  public var waiting: Double { time > 0 ? Double(waited) / Double(time) : 0 }
  /// How many processors the program used, on average over ``time``.
  public var using: Double { time > 0 ? Double(used) / Double(time) : 0 }

  /// Why threads waited. A group that was stopped for a tenth of the time counts first, and a program that used nine
  /// tenths of its processors has itself too much to do.
  public var cause: Cause {
    if throttled >= time / 10 { return .limit }
    return using >= processors * 0.9 ? .itself : .others
  }
}
