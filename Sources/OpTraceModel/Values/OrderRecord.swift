public import OpTraceFormat

/// Something that was taken or waited for, and what was held meanwhile: one way to come to it. The ways form trees: ``outer`` is the
/// innermost thing that was held. Each way is recorded once, however often it was gone, with a few of those who went it.
///
/// A way without `outer` says only where something was taken, that something else was wanted with later. It is no order.
public struct OrderRecord: Sendable, Equatable, Identifiable, TraceOwned {
  /// What was held or wanted.
  public struct Resource: Sendable, Hashable {
    /// What it is.
    public var kind: HeldKind
    /// Its address; 0: it has a number.
    public var address: UInt64
    /// The number of a dispatch queue, a queue or an operation. Of anything else: which one it is of all that were at this address.
    public var number: UInt32

    package init(kind: HeldKind, address: UInt64, number: UInt32) {
      (self.kind, self.address, self.number) = (kind, address, number)
    }
  }

  /// Somebody who went this way.
  public struct Sighting: Sendable, Equatable {
    /// The operation, block or task; nil: the thread was outside of work.
    public var work: WorkID?
    /// The thread.
    public var thread: ThreadID
    /// When, in nanoseconds since the trace's start.
    public var time: Nanoseconds
    /// Where, with the stack outside of it; nil: not known.
    public var at: FrameID?

    package init(work: WorkID?, thread: ThreadID, time: Nanoseconds, at: FrameID?) {
      (self.work, self.thread, self.time, self.at) = (work, thread, time, at)
    }
  }

  /// Its number in the trace.
  public var id: Int
  /// The number of the way on which this one goes on; nil: nothing else was held.
  public var outer: Int?
  /// What was taken or waited for.
  public var wanted: Resource
  /// For reading.
  public var isReader = false
  /// Without waiting: it was free.
  public var isTry = false
  /// With a time limit.
  public var isTimed = false
  /// Not taken in this order: something that was taken before it was given back meanwhile.
  public var isKept = false
  /// Those who went this way: the first, and a few others.
  public var sightings: [Sighting] = []

  package var owner: TraceOwner { .everybody }

  package init(id: Int, outer: Int?, wanted: Resource) {
    (self.id, self.outer, self.wanted) = (id, outer, wanted)
  }

  /// Whether this says that `wanted` is taken after what is held, as somebody has done who may have had to wait.
  public var isOrder: Bool { outer != nil && !isTry && !isKept }
}

/// Two places between which a semaphore or a group hands on: one waits, the other one lets it go on.
public struct HandoverRecord: Sendable, Equatable, TraceOwned {
  /// What was waited for.
  public var kind: HeldKind
  /// Where the wait was.
  public var waitedAt: FrameID?
  /// Where it was signalled.
  public var signalledAt: FrameID?
  /// The operation, block or task that waited, the first time; nil: the thread was outside of work.
  public var waiter: WorkID?
  /// The operation, block or task that signalled, the first time; nil: the thread was outside of work.
  public var signaller: WorkID?
  /// Whether the signal came later than the wait began, the first time.
  public var hadToWait: Bool
  /// With a time limit.
  public var isTimed: Bool
  /// Who signals has waited for it before: it is used as a lock.
  public var isLock: Bool
  /// How often it was seen, at least.
  public var count: Int
  /// When it was written first, in nanoseconds since the trace's start.
  public var time: Nanoseconds

  package var owner: TraceOwner { .everybody }
}

/// What is not among the orders of a trace.
public struct OrderLoss: Sendable, Equatable {
  /// Orders that found no room.
  public var lost: UInt32
  /// Acquisitions by threads that held too much, or were too many.
  public var deep: UInt32
  /// Orders of other objects, at places of which enough are recorded.
  public var alike: UInt32
  /// Locks that another thread gave back than the one that took them.
  public var moved: UInt32

  /// Whether nothing is missing.
  public var isNothing: Bool { lost == 0 && deep == 0 && alike == 0 }
}

/// A thread that is in orders was started, or waited for until it had ended.
public struct ThreadStart: Sendable, Equatable, TraceOwned {
  /// The thread that was started.
  public var thread: ThreadID
  /// Who has started it; nil: not known.
  public var from: ThreadID?
  /// The operation, block or task that did so; nil: that thread was outside of work.
  public var work: WorkID?
  /// When, in nanoseconds since the trace's start.
  public var time: Nanoseconds
  /// It has not started it, but waited for its end.
  public var isJoin: Bool

  package var owner: TraceOwner { .everybody }
}
