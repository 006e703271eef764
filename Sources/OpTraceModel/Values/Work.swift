/// Something that is submitted, waits for its turn, gets a slot or a thread from its scheduler, runs, and ends: an
/// operation in a queue, a block in a dispatch queue, or a Swift task. Code about times, and about who waits for whom,
/// works on this.
///
/// All times are nanoseconds since the trace's start, on the monotonic clock.
public protocol Work: Sendable {
  /// Its id in the trace, from one sequence for all kinds.
  var id: WorkID { get }
  /// The displayed name: its own, else the name of what it runs.
  var title: String { get }
  /// What similar work is grouped by: the function that it runs, else its class.
  var kind: String { get }
  /// The function that it runs; nil: its class says that, or the trace has no symbols of it.
  var function: SymbolRecord? { get }
  /// The queue that it was submitted to; nil: none, or not known.
  var scheduler: SchedulerID? { get }
  /// When it was submitted to its scheduler, and by which thread; nil: not seen.
  var submitted: Stamp? { get }
  /// Where the program submitted it; nil: not known.
  var submittedAt: FrameID? { get }
  /// The work whose code submitted it; nil: none, or not known.
  var submitter: WorkID? { get }
  /// Since when only its scheduler kept it waiting; nil: it never came so far, or that is not known.
  var runnable: Nanoseconds? { get }
  /// When its own code began, and on which thread; nil: it never ran any.
  var began: Stamp? { get }
  /// When its own code ran, in the order of time. Work that is suspended and resumed has several runs.
  var runs: [WorkRun] { get }
  /// When it was over: it has finished, or will never run. Nil: it is not over.
  var over: Nanoseconds? { get }
  /// False if the trace does not tell what became of it.
  var isOutcomeKnown: Bool { get }
}

/// A scheduler: what gives work a slot or a thread to run on.
public enum SchedulerID: Hashable, Sendable {
  /// An operation queue.
  case queue(QueueID)
  /// A dispatch queue.
  case dispatchQueue(DispatchQueueID)
  /// Swift's runtime: its pool of threads, the main actor's, or another executor. Which of them is not recorded.
  case swift
}

/// A stretch of time in which the work's own code ran on one thread.
public struct WorkRun: Sendable, Equatable {
  /// The thread that ran it.
  public var thread: ThreadID
  /// In nanoseconds since the trace's start.
  public var began: Nanoseconds
  /// In nanoseconds since the trace's start; nil: it still runs, or its end was not seen.
  public var ended: Nanoseconds?

  /// Makes a run on `thread`; times are in nanoseconds since the trace's start.
  public init(thread: ThreadID, began: Nanoseconds, ended: Nanoseconds?) {
    (self.thread, self.began, self.ended) = (thread, began, ended)
  }
}

extension OperationRecord: Work {
  /// Nil: for operations only the thread that enqueued them is recorded, not the work that ran there.
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

/// A block that was submitted to a dispatch queue. Each submission of a work item is one.
public struct BlockRecord: Sendable, Equatable, Identifiable, Work, TraceOwned {
  /// How it was submitted.
  public enum Way: UInt8, Sendable, CaseIterable {
    /// Runs as soon as its turn comes.
    case async = 0
    /// Runs alone, after everything submitted before is over.
    case barrier = 1
    /// Runs after some time has passed.
    case after = 2
    /// Runs after a group is empty.
    case notify = 3
    /// Its submitter's thread waits for it, and runs it itself, except for blocks of the main queue.
    case sync = 4
  }

  public var id: WorkID
  /// The dispatch queue; nil: its number could not be recorded for lack of room.
  public var queue: DispatchQueueID?
  public var submitted: Stamp?
  /// The operation, block or task whose code submitted it; nil: none.
  public var submitter: WorkID?
  /// Where the program submitted it.
  public var submittedAt: FrameID?
  /// How it was submitted.
  public var way = Way.async
  /// Whether it belongs to a group.
  public var isInGroup = false
  /// Whether it is a submission of a work item.
  public var isItem = false
  /// Whether it runs alone on its queue, after everything submitted before is over. (Before version 1.7 not known for
  /// work items and `sync`.)
  public var isBarrier = false
  /// The function that it runs.
  public var code: FrameID?
  /// That function's name and source location; nil: the trace has no symbols of it.
  public internal(set) var function: SymbolRecord?
  /// Where its code is, without symbols.
  var codeText: String?
  /// Where it was submitted by `sync`, if its code is not the program's own.
  var syncText: String?
  public var began: Stamp?
  /// When it returned.
  public var ended: Nanoseconds?
  /// When it became known that it will not run.
  public var dropped: Nanoseconds?
  /// When its work item was cancelled.
  public var cancelRequested: Nanoseconds?
  /// When it was last seen, if a flight recorder has overwritten its end; nil: its end is not missing.
  var endLost: Nanoseconds?

  package var owner: TraceOwner { Self.owner(submitter) }

  init(id: WorkID) { self.id = id }

  public var title: String { kind }
  public var scheduler: SchedulerID? { queue.map { .dispatchQueue($0) } }
  public var kind: String {
    function?.shortName ?? codeText.map { "block at \($0)" } ?? syncText ?? (way == .sync ? "sync" : "block")
  }
  /// Nil for blocks that wait for a time or a group until they begin: they may still wait for that.
  public var runnable: Nanoseconds? {
    switch way {
    case .async, .barrier, .sync: submitted?.time
    case .after, .notify: nil
    }
  }
  /// False if a flight recorder has overwritten its end.
  public var isOutcomeKnown: Bool { endLost == nil }
  public var runs: [WorkRun] { began.map { [WorkRun(thread: $0.thread, began: $0.time, ended: ended)] } ?? [] }
  /// When it was last seen to make progress; nil: never.
  public var lastSign: Nanoseconds? { [submitted?.time, began?.time, ended, dropped].compactMap { $0 }.max() }
  /// When it was last seen to make progress, other than by being submitted; nil: never.
  package var lastProgress: Nanoseconds? { [began?.time, ended, dropped].compactMap { $0 }.max() }
  /// When it was over. A queue skips a block that was cancelled before it ran, without any further event.
  public var over: Nanoseconds? { ended ?? dropped ?? (began == nil ? cancelRequested : nil) ?? endLost }
}

/// A dispatch queue to which blocks were submitted.
public struct DispatchQueueRecord: Sendable, Equatable, Identifiable, TraceOwned {
  /// Its number in the trace, in the order of first sight.
  public var id: DispatchQueueID
  /// Its label; empty if it has none.
  public var label = ""
  /// How many blocks it runs at once: 1 is serial; nil: as many as the system allows, or not known.
  public var width: Int?
  /// The queue that it hands its blocks to; nil: one of the system's.
  public var target: DispatchQueueID?
  /// Whether it is the main thread's queue.
  public var isMain = false
  /// Whether it is one of the system's own queues.
  public var isGlobal = false
  /// Why it begins nothing; nil: it may, or that is not known: only what looks at a process from outside sees it.
  public var stop: Stop?

  /// Why a dispatch queue begins nothing.
  public enum Stop: UInt8, Sendable {
    /// `suspend()` was called more often than `resume()`.
    case suspended = 1
    /// It was made inactive, and `activate()` was never called.
    case inactive = 2
  }

  package var owner: TraceOwner { .everybody }

  init(id: DispatchQueueID) { self.id = id }

  /// The displayed name: its label, else its number.
  public var title: String { label.allSatisfy(\.isWhitespace) ? "dispatch queue \(id.rawValue)" : label }
}
