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
  /// Who alone could still end a wait, for those waits of which that is known: nobody else in the process refers to what is waited for.
  public var enders: [Enders] = []

  /// All that could end a wait.
  public struct Enders: Sendable, Equatable {
    /// The task that waits for a continuation; nil: a thread waits.
    public var task: WorkID?
    /// The thread that waits for a semaphore or a group; nil: a task waits.
    public var waiter: ThreadID?
    /// Operations, blocks and tasks that could end it.
    public var works: [WorkID] = []
    /// Threads that refer to what is waited for, while they wait for something else: whether they would end it is not known.
    public var threads: [ThreadID] = []
    /// Threads of which it is not known whether they refer to it.
    public var possible: [ThreadID] = []

    /// Nothing is known to refer to it.
    package var isUnreferenced: Bool { works.isEmpty && threads.isEmpty }
  }

  /// Who alone could end the wait of this thread for a semaphore or a group; nil: not known.
  public func enders(ofThread thread: ThreadID) -> Enders? { enders.first { $0.waiter == thread } }
  /// Who alone could resume this task; nil: not known.
  public func enders(ofTask task: WorkID) -> Enders? { enders.first { $0.task == task } }

  /// Of a process that ran and did not move, with nothing left out.
  public init() {}
}

extension TraceOrigin {
  /// A process that has not moved for that long, in nanoseconds, has come to rest. One that does not come to rest has stood for longer than
  /// any time in its trace says.
  package static let leastRest: Nanoseconds = 200_000_000

  /// Stands for how long nothing has moved where nobody knows: longer than any trace, and within what readers can add up.
  package static let unknownTime: Nanoseconds = (1 << 55) - (1 << 50)

  /// Whether a duration, a time since the trace's start, or a sum of some stands for one that nobody knows.
  package static func isUnknown(_ time: Nanoseconds) -> Bool { time.magnitude >= (1 << 55) - (1 << 51) }
}

extension Trace {
  /// Since when nothing has moved is not known, and no time in it means anything.
  package var hasNoTimes: Bool { origin?.isTimed == false }

  mutating func note(_ fields: EventFields.OnlyBy) {
    var origin = origin ?? TraceOrigin()
    let (task, waiter) = (
      fields.for == 0 ? nil : WorkID(fields.for), fields.waiter == 0 ? nil : ThreadID(fields.waiter)
    )
    let known = origin.enders.firstIndex { $0.task == task && $0.waiter == waiter }
    var enders = known.map { origin.enders[$0] } ?? TraceOrigin.Enders(task: task, waiter: waiter)
    if fields.by != 0 { enders.works.append(WorkID(fields.by)) }
    if fields.thread != 0, fields.possibly { enders.possible.append(ThreadID(fields.thread)) }
    if fields.thread != 0, !fields.possibly { enders.threads.append(ThreadID(fields.thread)) }
    if let known { origin.enders[known] = enders } else { origin.enders.append(enders) }
    self.origin = origin
  }

  mutating func note(_ fields: EventFields.Outside, _ leftOut: String, at time: Nanoseconds) {
    var origin = origin ?? TraceOrigin()
    origin.since = time
    (origin.isCore, origin.hasMoved, origin.isTimed) = (fields.core, fields.moved, fields.timed)
    origin.watched = Nanoseconds(fields.watched) * 1_000_000
    if !leftOut.isEmpty { origin.leftOut.append(leftOut) }
    self.origin = origin
  }
}
