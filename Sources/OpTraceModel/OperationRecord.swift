/// How fully an operation was seen. The absence of an event proves something only under full coverage.
public enum Coverage: UInt8, Sendable, CaseIterable {
  case full = 0
  case partial = 1
  /// Only named as a dependency.
  case external = 2
}

/// Where an operation stands, in the words that every output shares.
public enum OperationState: String, Sendable, CaseIterable {
  /// Waits for dependencies (or was never given to a queue).
  case pending
  /// Waits for a slot.
  case ready
  case executing
  case finished
  /// Asked to cancel before it ran, and over; one that ran to its end is finished.
  case cancelled
  /// Finished with an error.
  case failed
}

/// `Operation.QueuePriority` and `QualityOfService` are not Foundation's types here: a reader needs no Foundation.
public enum Quality: UInt8, Sendable, CaseIterable {
  case `default` = 0
  case background = 1
  case utility = 2
  case userInitiated = 3
  case userInteractive = 4
}

/// An edge of the dependency graph: the operation that holds it waits for `on`.
public struct Dependency: Hashable, Sendable {
  public var on: OperationID
  /// When the edge was recorded: edges made before the operation was enqueued carry the time of the enqueueing.
  public var added: Nanoseconds
  public var removed: Nanoseconds?

  public init(on: OperationID, added: Nanoseconds, removed: Nanoseconds? = nil) {
    self.on = on
    self.added = added
    self.removed = removed
  }
}

/// One block of a block operation.
public struct BlockExecution: Hashable, Sendable {
  public var index: UInt32
  public var thread: ThreadID
  public var began: Nanoseconds
  public var ended: Nanoseconds?

  public init(index: UInt32, thread: ThreadID, began: Nanoseconds, ended: Nanoseconds? = nil) {
    self.index = index
    self.thread = thread
    self.began = began
    self.ended = ended
  }
}

/// All that a trace tells of one operation. What is nil did not happen, or was not seen (see ``coverage``).
public struct OperationRecord: Sendable, Identifiable, Equatable {
  public var id: OperationID
  public var className: String
  public var name: String?
  /// `file:line`, where the program told it.
  public var source: String?
  public var coverage: Coverage = .full
  public var isAsynchronous = false
  public var isBarrier = false
  /// The queue it was given to; nil for one that was run by hand or never enqueued.
  public var queue: QueueID?
  /// `Operation.QueuePriority`'s raw value: -8 to 8.
  public var priority: Int8 = 0
  public var quality: Quality = .default

  /// When the object was made; may lie before the trace's start.
  public var created: Nanoseconds?
  public var enqueued: Stamp?
  /// Since when, and on which thread, the call that adds it to its queue has not returned: at the end of the trace it was
  /// in there for longer than adding takes. Of several operations that one call adds, the first has it. Nil: it returned.
  public var addingSince: Stamp?
  /// The last turn to ready before the start; the thread is the one that took away the last obstacle.
  public var ready: Stamp?
  public var started: Stamp?
  public var executionBegan: Stamp?
  public var executionEnded: Stamp?
  public var startReturned: Stamp?
  /// When it was first seen to say that it is finished, without having announced it yet.
  public var finishSeen: Stamp?
  public var finished: Stamp?
  /// The first request.
  public var cancelRequested: Stamp?
  public var released: Stamp?
  /// The description of the error that it finished with.
  public var error: String?

  public var dependencies: [Dependency] = []
  public var blocks: [BlockExecution] = []

  /// Misuse: how often it was started, enqueued and reported as finished.
  public var startCount: UInt32 = 0
  public var enqueueCount: UInt32 = 0
  public var finishCount: UInt32 = 0

  public init(id: OperationID, className: String, name: String? = nil) {
    self.id = id
    self.className = className
    self.name = name
  }

  /// What people read: the name, else the class.
  public var title: String { name ?? className }

  /// The state at the end of the trace.
  public var state: OperationState {
    if finished != nil {
      if error != nil { return .failed }
      return executionBegan == nil && cancelRequested != nil ? .cancelled : .finished
    }
    if executionBegan != nil || started != nil { return .executing }
    return ready != nil && enqueued != nil ? .ready : .pending
  }

  /// False where the trace does not tell what became of it: it was seen in part, and neither began nor ended in sight. It
  /// may have run. Its ``state`` says no more than what was seen, and a time until the trace's end would be invented.
  public var isOutcomeKnown: Bool {
    coverage == .full || finished != nil || started != nil || executionBegan != nil
  }

  /// When it began to be able to run: the later of ready and enqueued. Nil when it never became ready or was never enqueued.
  public var runnable: Nanoseconds? {
    guard let enqueued, let ready else { return nil }
    return max(enqueued.time, ready.time)
  }
}
