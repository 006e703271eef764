public import OpTraceModel

/// What one thread did at the snapshot, or at the trace's end if there is no snapshot.
public struct ThreadStatus: Sendable, Equatable {
  /// Whether it runs or is blocked.
  public enum State: String, Sendable, CaseIterable {
    /// On a processor, or waiting for one.
    case running
    /// Waits for a timer, input or another process: nothing in this program has to wake it.
    case sleeping
    /// Waits for a lock, or in another wait that a thread of this program has to end.
    case blocked
  }

  /// What a thread waits for.
  public struct Awaited: Sendable, Equatable {
    /// What it is, in the words of every JSON output.
    public enum Kind: String, Sendable, CaseIterable {
      /// The finish of an operation.
      case operation
      /// That an operation queue becomes empty.
      case queue
      /// A `DispatchSemaphore`.
      case semaphore
      /// A `DispatchGroup`.
      case group
      /// A dispatch queue, in `sync`.
      case dispatchQueue
      /// An `NSCondition`, or a lock made of one.
      case condition
      /// The return of a call that adds to an operation queue.
      case adding
      /// A lock.
      case lock
      /// The end of a thread.
      case thread
      /// Another thread has to wake it; the reason is not known.
      case signal
      /// Input, output or events.
      case input
      /// A point in time.
      case time
      /// The end of another process.
      case process
      /// A signal of the system.
      case systemSignal
      /// Something of a kind that this version does not know.
      case object
    }

    /// What it is.
    public var kind: Kind
    /// The number in the trace of an operation, a queue, an object or a thread.
    public var id: Int?
    /// Its displayed name; nil: it has none.
    public var name: String?
    /// Its address in memory.
    public var address: UInt64?
    /// A description, such as `a mutex`, of a lock, or of what only the system reports.
    public var words: String?
    /// Since when, in nanoseconds since the trace's start; nil: not known.
    public var since: Nanoseconds?
    /// The wait has a timeout.
    public var isTimed = false
  }

  /// Its number in the trace.
  public var id: ThreadID
  /// The system's id of the thread; 0: not known.
  public var systemID: UInt32
  /// Its name; empty if it has none.
  public var name: String
  /// Whether it is the main thread of the process.
  public var isMain: Bool
  /// Whether it runs or is blocked.
  public var state: State
  /// The operation or task whose code it executes; nil: none.
  public var operation: OperationID?
  /// What it waits for; nil: nothing, or nothing that is known.
  public var waitsFor: Awaited?
  /// The thread that holds the lock.
  public var owner: ThreadID?
  /// Whether that thread has ended without unlocking it.
  public var ownerHasEnded = false
  /// The innermost frame of its stack; nil: not known.
  public var stack: FrameID?
  /// When it was sampled, if it runs and ``stack`` is from an earlier sample; nil: ``stack`` is where it was at the
  /// snapshot.
  public var sampledAt: Nanoseconds?
}
