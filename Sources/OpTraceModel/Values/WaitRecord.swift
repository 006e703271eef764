public import OpTraceFormat

/// A thread that was blocked until an operation was finished, a queue was empty, or another thread let it go on.
public struct WaitRecord: Sendable, Equatable, TraceOwned {
  /// What is waited for.
  public enum Target: Sendable, Hashable {
    /// That this operation has finished.
    case operation(OperationID)
    /// That this queue is empty.
    case queue(QueueID)
    /// A semaphore, a group, a dispatch queue, a condition.
    case object(ObjectID)
  }

  /// What lets waiting threads go on: a semaphore's signal, leaving a group, using a queue.
  public struct Signal: Sendable, Equatable {
    /// When, in nanoseconds since the trace's start.
    public var time: Nanoseconds
    /// Nil: not known.
    public var thread: ThreadID?
    /// The operation that executed there, if any.
    public var operation: OperationID?

    package init(time: Nanoseconds, thread: ThreadID?, operation: OperationID?) {
      self.time = time
      self.thread = thread
      self.operation = operation
    }
  }

  /// What was waited for.
  public var target: Target
  /// The thread that was blocked.
  public var thread: ThreadID
  /// The operation that was executing on the thread, if any.
  public var inside: OperationID?
  /// When it was blocked, in nanoseconds since the trace's start.
  public var began: Nanoseconds
  /// Nil: still waiting at the end. Where the end of a wait on an object was not seen, the moment by which it was over.
  public var ended: Nanoseconds?
  /// For an object: its last signal that did not end this wait, as far as it was seen.
  public var lastSignal: Signal?
  /// Of an object: the last signal when the wait was over, in the time of the wait: what ended it. Nil also for a wait
  /// that ran into its timeout.
  public var endSignal: Signal?
  /// The stack of the thread; nil for a short wait, and where no stack was recorded.
  public var at: FrameID?
  package var owner: TraceOwner { Self.owner(inside, else: .thread(thread)) }

  package init(target: Target, thread: ThreadID, inside: OperationID?, began: Nanoseconds, ended: Nanoseconds? = nil) {
    self.target = target
    self.thread = thread
    self.inside = inside
    self.began = began
    self.ended = ended
  }
}

/// Something that threads wait on, as long as it keeps its address.
public struct ObjectRecord: Sendable, Equatable, Identifiable, TraceOwned {
  /// Its number in the trace, from 1; another one when the address is used again.
  public var id: ObjectID
  /// Nil: of a kind that this version does not know.
  public var kind: WaitedObject?
  /// Where it was in memory; 1 of time and disks, which are nowhere.
  public var address: UInt64
  /// A dispatch queue's label.
  public var name: String?
  package var owner: TraceOwner { .everybody }

  package init(id: ObjectID, kind: WaitedObject?, address: UInt64, name: String? = nil) {
    self.id = id
    self.kind = kind
    self.address = address
    self.name = name
  }

  /// What people read, after "waits for": `semaphore 1`, `dispatch queue com.example.db`, `time to pass`.
  public var title: String {
    if kind == .sleep { return "time to pass" }
    if kind == .disk { return "a disk" }
    let word = kind == .queue ? "dispatch queue" : kind?.word ?? "object"
    guard let name, !name.isEmpty else { return "\(word) \(id.rawValue)" }
    return "\(word) \(name)"
  }
}

extension Trace {
  /// Whether a wait ends without another thread of the process: a sleep, or a wait for a disk. O(1).
  public func endsByItself(_ wait: WaitRecord) -> Bool {
    guard case .object(let id) = wait.target else { return false }
    return object(id)?.kind?.endsByItself ?? false
  }
}
