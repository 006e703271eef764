public import OpTraceFormat

/// A wait: a thread was blocked until an operation was finished, a queue was empty, or another thread let it continue.
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

  /// What lets waiting threads continue: a semaphore's signal, leaving a group, using a queue.
  public struct Signal: Sendable, Equatable {
    /// When, in nanoseconds since the trace's start.
    public var time: Nanoseconds
    /// The thread that signalled; nil: not known.
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
  /// When the wait ended; nil: it is open at the trace's end. If the end of a wait on an object was not seen, the
  /// moment by which it was over.
  public var ended: Nanoseconds?
  /// For an object: its last signal that did not end this wait, as far as that was seen.
  public var lastSignal: Signal?
  /// For an object: the signal that ended the wait, which is the last one during the wait. Nil also if the wait ran
  /// into its timeout.
  public var endSignal: Signal?
  /// For a lock: the thread that had it when the wait began; nil: not known.
  public var holder: ThreadID?
  /// The stack of the thread; nil: the wait was short, or no stack was recorded.
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
  /// Its number in the trace, from 1; if the address is reused, the new object has another number.
  public var id: ObjectID
  /// What it is; nil: a kind that this version does not know.
  public var kind: WaitedObject?
  /// Its address in memory; 1 for time and disks, which have none.
  public var address: UInt64
  /// A dispatch queue's label; what a system call does, such as `recv from 127.0.0.1:5432`.
  public var name: String?
  package var owner: TraceOwner { .everybody }

  package init(id: ObjectID, kind: WaitedObject?, address: UInt64, name: String? = nil) {
    self.id = id
    self.kind = kind
    self.address = address
    self.name = name
  }

  /// The displayed name, to follow "waits for": `semaphore 1`, `dispatch queue com.example.db`, `time to pass`.
  public var title: String {
    if kind == .sleep { return "time to pass" }
    if kind == .disk { return "a disk" }
    if kind == .call { return name ?? "a system call" }
    let word = kind?.title ?? "object"
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
