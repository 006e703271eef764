/// An event loop: a thread that waits for events with `epoll_wait`, and handles them in turns. A turn lasts from the return of
/// `epoll_wait` to the next call of it.
///
/// Recorded together with blocks or tasks. A thread that has left its loop for other work, as the main thread may,
/// still seems to be in a turn, because it may come back.
public struct LoopRecord: Sendable, Equatable, TraceOwned {
  /// What the loop did in about a second.
  public struct Second: Sendable, Equatable {
    /// Its end, in nanoseconds since the trace's start. It began ``busy`` and ``idle`` before that.
    public var time: Nanoseconds
    /// How many turns ended in it.
    public var turns: Int
    /// Nanoseconds in turns, to the microsecond.
    public var busy: Nanoseconds
    /// Nanoseconds in `epoll_wait`.
    public var idle: Nanoseconds
    /// The longest turn that ended in it or was open at its end, in nanoseconds from the turn's begin; rounded up to
    /// the microsecond. 0: none.
    public var longest: Nanoseconds

    /// When it began, in nanoseconds since the trace's start.
    public var began: Nanoseconds { time - busy - idle }
    /// How much of it the loop was in turns: 0 to 1.
    public var utilisation: Double { busy + idle > 0 ? Double(busy) / Double(busy + idle) : 0 }
  }

  /// A turn of 10 ms or more.
  public struct LongTurn: Sendable, Equatable {
    /// In nanoseconds since the trace's start.
    public var began: Nanoseconds
    /// In nanoseconds since the trace's start; nil: it was open when the trace ended. If the record of its end is
    /// missing: when it was last seen to go on.
    public var ended: Nanoseconds?
  }

  /// The thread of the loop.
  public var thread: ThreadID
  /// Whether it is the loop of libdispatch's own thread, which hands events to queues.
  public var isManager = false
  /// Turns that ended while the loop was recorded.
  public var turns = 0
  /// Nanoseconds in turns while it was recorded.
  public var busy: Nanoseconds = 0
  /// Nanoseconds in `epoll_wait` while it was recorded.
  public var idle: Nanoseconds = 0
  /// The longest turn, in nanoseconds; one that was open at the trace's end counts as far as it was seen.
  public var longest: Nanoseconds = 0
  /// In the order of time, without gaps unless records are missing: one element for about each second, and one for a
  /// longer time in which the loop only waited, or was in one turn.
  public internal(set) var seconds: [Second] = []
  /// In the order of time.
  public internal(set) var longTurns: [LongTurn] = []

  package var owner: TraceOwner { .thread(thread) }

  package init(thread: ThreadID) { self.thread = thread }

  /// How much of the time the loop was in turns: 0 to 1.
  public var utilisation: Double { busy + idle > 0 ? Double(busy) / Double(busy + idle) : 0 }
  /// The turn that was open when the trace ended, if it was long by then.
  public var openTurn: LongTurn? { longTurns.last.flatMap { $0.ended == nil ? $0 : nil } }
}
