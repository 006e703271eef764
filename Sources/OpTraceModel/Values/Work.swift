/// Something that is submitted, waits for its turn, gets a slot or a thread of its scheduler, runs, and ends: an operation on a queue,
/// a block on a dispatch queue, or a task of Swift's. Whatever speaks of times and of who waits for whom speaks of this.
///
/// All times are nanoseconds since the trace's start, on the monotonic clock.
public protocol Work: Sendable {
  /// Its number in the trace, from one sequence for all kinds.
  var id: WorkID { get }
  /// The name in outputs: its own, else what it runs.
  var title: String { get }
  /// What it is grouped by: the function that it runs, else its class.
  var kind: String { get }
  /// The function that it runs; nil: its class says that, or the trace has no symbols of it.
  var function: SymbolRecord? { get }
  /// The queue that it was submitted to; nil: none, or not known.
  var scheduler: SchedulerID? { get }
  /// When it was given to what runs it, and by which thread; nil: not seen.
  var submitted: Stamp? { get }
  /// Where the program submitted it; nil: not known.
  var submittedAt: FrameID? { get }
  /// The work whose code submitted it; nil: none, or not known.
  var submitter: WorkID? { get }
  /// From when on nothing but its scheduler kept it waiting; nil: it never came so far, or that is not known.
  var runnable: Nanoseconds? { get }
  /// When its own code began, and on which thread; nil: it never ran any.
  var began: Stamp? { get }
  /// When its own code ran, in that order. What is suspended and resumed runs several times.
  var runs: [WorkRun] { get }
  /// When nothing more was to come of it: it has finished, or will not run. Nil: it is not over.
  var over: Nanoseconds? { get }
  /// False where the trace does not say what became of it.
  var isOutcomeKnown: Bool { get }
}

/// What gives work a slot or a thread to run on.
public enum SchedulerID: Hashable, Sendable {
  /// An operation queue.
  case queue(QueueID)
  /// A dispatch queue.
  case dispatchQueue(DispatchQueueID)
  /// Swift's runtime: its pool of threads, the main actor's, or another executor. Which of them is not recorded.
  case swift
}

/// A stretch in which a work's own code ran on one thread.
public struct WorkRun: Sendable, Equatable {
  /// The thread that ran it.
  public var thread: ThreadID
  /// In nanoseconds since the trace's start.
  public var began: Nanoseconds
  /// Nil: it runs on, or its end was not seen.
  public var ended: Nanoseconds?

  /// A stretch on `thread`, its times in nanoseconds since the trace's start.
  public init(thread: ThreadID, began: Nanoseconds, ended: Nanoseconds?) {
    (self.thread, self.began, self.ended) = (thread, began, ended)
  }
}

extension OperationRecord: Work {
  /// An operation is enqueued by a thread; what ran there is not recorded.
  @inlinable public var submitter: WorkID? { nil }
  @inlinable public var scheduler: SchedulerID? { queue.map { .queue($0) } }
  public var submittedAt: FrameID? { addedAt }
  @inlinable public var runs: [WorkRun] {
    began.map { [WorkRun(thread: $0.thread, began: $0.time, ended: (executionEnded ?? finished)?.time)] } ?? []
  }
  @inlinable public var submitted: Stamp? { enqueued }
  @inlinable public var began: Stamp? { executionBegan ?? (finished == nil ? started : nil) }
  @inlinable public var over: Nanoseconds? { finished?.time }
}

/// A block that was given to a dispatch queue. Of a work item each submission is one.
public struct BlockRecord: Sendable, Equatable, Identifiable, Work, TraceOwned {
  /// How it came to its queue.
  public enum Way: UInt8, Sendable, CaseIterable {
    /// As soon as the queue comes to it.
    case async = 0
    /// Alone, when all that was submitted before is over.
    case barrier = 1
    /// Not before some time has passed.
    case after = 2
    /// Not before a group is empty.
    case notify = 3
    /// Its submitter's thread waits until it is over, and runs it itself, but for one of the main queue.
    case sync = 4
  }

  public var id: WorkID
  /// The dispatch queue; nil: there was no room for its number.
  public var queue: DispatchQueueID?
  public var submitted: Stamp?
  /// The operation, block or task whose code submitted it; nil: none.
  public var submitter: WorkID?
  /// Where the program submitted it.
  public var submittedAt: FrameID?
  /// How it came to its queue.
  public var way = Way.async
  /// It belongs to a group.
  public var isInGroup = false
  /// It is a submission of a work item.
  public var isItem = false
  /// It runs alone on its queue, when all that was submitted before is over. (Before version 1.7 not known of work items and of `sync`.)
  public var isBarrier = false
  /// What it runs.
  public var code: FrameID?
  /// That function's name and source location; nil: the trace has no symbols of it.
  public internal(set) var function: SymbolRecord?
  /// Where its code is, without symbols.
  var codeText: String?
  /// Where it was waited for, without code of the program's own.
  var syncText: String?
  public var began: Stamp?
  /// When it returned.
  public var ended: Nanoseconds?
  /// When it was known that it will not run.
  public var dropped: Nanoseconds?
  /// When its work item was cancelled.
  public var cancelRequested: Nanoseconds?
  /// When it was last seen, where a flight recorder has overwritten its end; nil: nothing is missing.
  var endLost: Nanoseconds?

  package var owner: TraceOwner { Self.owner(submitter) }

  init(id: WorkID) { self.id = id }

  public var title: String { kind }
  public var scheduler: SchedulerID? { queue.map { .dispatchQueue($0) } }
  public var kind: String {
    function?.shortName ?? codeText.map { "block at \($0)" } ?? syncText ?? (way == .sync ? "sync" : "block")
  }
  /// Nil of what waits for a time or a group, as long as it has not begun: it may still wait for that.
  public var runnable: Nanoseconds? {
    switch way {
    case .async, .barrier, .sync: submitted?.time
    case .after, .notify: nil
    }
  }
  /// False where a flight recorder has overwritten its end.
  public var isOutcomeKnown: Bool { endLost == nil }
  public var runs: [WorkRun] { began.map { [WorkRun(thread: $0.thread, began: $0.time, ended: ended)] } ?? [] }
  /// When it was last seen to go on; nil: never.
  public var lastSign: Nanoseconds? { [submitted?.time, began?.time, ended, dropped].compactMap { $0 }.max() }
  /// When it was last seen to go on, other than by being submitted; nil: never.
  package var lastProgress: Nanoseconds? { [began?.time, ended, dropped].compactMap { $0 }.max() }
  /// One that was cancelled before it ran is passed over by its queue, which announces it to nobody.
  public var over: Nanoseconds? { ended ?? dropped ?? (began == nil ? cancelRequested : nil) ?? endLost }
}

/// A dispatch queue that blocks were given to.
public struct DispatchQueueRecord: Sendable, Equatable, Identifiable, TraceOwned {
  /// Its number in the trace, in the order of first sight.
  public var id: DispatchQueueID
  /// Its label; empty: it has none.
  public var label = ""
  /// How many blocks it runs at once: 1 is serial; nil: as many as the system allows, or not known.
  public var width: Int?
  /// The queue that it hands its blocks to; nil: one of the system's.
  public var target: DispatchQueueID?
  /// The main thread's.
  public var isMain = false
  /// One of the system's own.
  public var isGlobal = false

  package var owner: TraceOwner { .everybody }

  init(id: DispatchQueueID) { self.id = id }

  /// What people read: its label, else its number.
  public var title: String { label.allSatisfy(\.isWhitespace) ? "dispatch queue \(id.rawValue)" : label }
}
