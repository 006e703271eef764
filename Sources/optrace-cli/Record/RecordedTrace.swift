#if os(Linux)
  import Foundation
  import OpTraceModel

  /// A trace of a run, which may be large while there are many: only what is told of it.
  struct RecordedTrace {
    var processID: pid_t
    /// As people call it: within the folder that the command was called in.
    var name: String
    /// Absolute.
    var path: String
    var header: TraceHeader
    var operations: Int
    var queues: Int
    /// Of dispatch queues.
    var blocks: Int
    var tasks: Int
    /// Of processor time.
    var samples: Int
    var lost: UInt64
    /// Nothing of the program is in it.
    var isEmpty: Bool
    var isBeingWritten: Bool
    /// It is of a package's tests, and some ran.
    var isOfTests: Bool
    /// Another program has begun in the same process since.
    var isReplaced = false

    /// It is of the process that stalled.
    var isStalled = false

    /// How much was done.
    var work: Int { operations + blocks + tasks }

    /// `swift-driver (pid 4711)`.
    var phrase: String { "\(printable(header.processName)) (pid \(header.processID))" }
  }
#endif
