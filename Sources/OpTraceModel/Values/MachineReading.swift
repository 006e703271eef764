import OpTraceFormat

/// How long a program's threads waited for a processor in about a second. There is one only for times in which they waited
/// for at least a twentieth of it, or in which their control group was stopped.
public struct MachineReading: Sendable, Equatable, TraceOwned {
  /// When the time ended, in nanoseconds since the trace's start.
  public var time: Nanoseconds
  /// How long it was, in nanoseconds.
  public var over: Nanoseconds
  /// How long threads could have run and had no processor, added up over at most 256 threads, in nanoseconds.
  public var waited: Nanoseconds
  /// How long the same threads ran, in nanoseconds.
  public var used: Nanoseconds
  /// How long the control group was stopped at its limit, in nanoseconds.
  public var throttled: Nanoseconds
  /// How many processors the program could use: those that it may run on, and its control group's limit.
  public var processors: Double

  package var owner: TraceOwner { .everybody }

  package init(
    time: Nanoseconds, over: Nanoseconds, waited: Nanoseconds, used: Nanoseconds, throttled: Nanoseconds = 0,
    processors: Double
  ) {
    (self.time, self.over, self.waited, self.used) = (time, over, waited, used)
    (self.throttled, self.processors) = (throttled, processors)
  }
}

extension MachineReading {
  init(_ fields: EventFields.Machine, _ time: Nanoseconds) {
    self.init(
      time: time, over: Nanoseconds(fields.over) * 1000, waited: TimeBounds.clamp(Nanoseconds(fields.waited) * 1000),
      used: Nanoseconds(fields.used) * 1000, throttled: Nanoseconds(fields.throttled) * 1_000_000,
      processors: Double(fields.processors) / 100)
  }
}
