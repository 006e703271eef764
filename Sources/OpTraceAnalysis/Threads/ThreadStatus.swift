public import OpTraceModel

/// What one thread did at the snapshot; without one, at the trace's end.
public struct ThreadStatus: Sendable, Equatable {
  /// Whether it runs or is blocked.
  public enum State: String, Sendable, CaseIterable {
    /// On a processor, or waiting for one.
    case running
    /// Waits for a timer, input or another process: nothing in this program has to wake it.
    case sleeping
    /// In a lock, or in a wait that another thread has to end.
    case blocked
  }

  /// What a thread waits for.
  public struct Awaited: Sendable, Equatable {
    /// What it is, in the words of every JSON output.
    public enum Kind: String, Sendable, CaseIterable {
      /// That an operation has finished.
      case operation
      /// That an operation queue is empty.
      case queue
      /// A `DispatchSemaphore`.
      case semaphore
      /// A `DispatchGroup`.
      case group
      /// A dispatch queue: `sync`.
      case dispatchQueue
      /// An `NSCondition`, or a lock made of one.
      case condition
      /// That a call which adds to an operation queue returns.
      case adding
      /// A lock.
      case lock
      /// The end of a thread.
      case thread
      /// Another thread has to wake it; the reason is not known.
      case signal
      /// Input, output or events.
      case input
      /// A time.
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
    /// Of an operation, a queue, an object, a thread: its number in the trace.
    public var id: Int?
    /// What people call it; nil: it has no name.
    public var name: String?
    /// Where it is in memory.
    public var address: UInt64?
    /// Of a lock, as people say it: `a mutex`; of what the system says alone likewise.
    public var words: String?
    /// Since when, in nanoseconds since the trace's start; nil: not known.
    public var since: Nanoseconds?
    /// The wait has a timeout.
    public var isTimed = false
  }

  /// Its number in the trace.
  public var id: ThreadID
  /// The system's number of it; 0: not known.
  public var systemID: UInt32
  /// Empty where it has none.
  public var name: String
  /// The main thread of the process.
  public var isMain: Bool
  /// Whether it runs or is blocked.
  public var state: State
  /// The operation or task whose code it executes; nil: none.
  public var operation: OperationID?
  /// Nil: nothing, or nothing that is known.
  public var waitsFor: Awaited?
  /// The thread that has the lock.
  public var owner: ThreadID?
  /// That thread has ended without letting go.
  public var ownerHasEnded = false
  /// The innermost frame of where it stood; nil: not known.
  public var stack: FrameID?
  /// It runs, and ``stack`` is where it used the processor at this moment before; nil: it stood there.
  public var sampledAt: Nanoseconds?
}
