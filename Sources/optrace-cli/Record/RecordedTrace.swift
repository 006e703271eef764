#if os(Linux)
  import Foundation
  import OpTraceModel

  /// The facts of a trace of a run that the report needs. The trace itself may be large, and there may be many.
  struct RecordedTrace {
    var processID: pid_t
    /// The displayed path, relative to the folder in which the command was called.
    var name: String
    /// The absolute path.
    var path: String
    var header: TraceHeader
    var operations: Int
    var queues: Int
    /// The number of blocks of dispatch queues.
    var blocks: Int
    var tasks: Int
    /// The number of samples of processor time.
    var samples: Int
    /// The number of sampled allocations.
    var allocations: Int
    var lost: UInt64
    /// Whether it contains nothing of the program.
    var isEmpty: Bool
    var isBeingWritten: Bool
    /// Whether it is of a package's tests, and some ran.
    var isOfTests: Bool
    /// Whether another program has begun in the same process since.
    var isReplaced = false

    /// Whether it is of the process that stalled.
    var isStalled = false

    /// The number of pieces of work.
    var work: Int { operations + blocks + tasks }

    /// `swift-driver (pid 4711)`.
    var phrase: String { "\(printable(header.processName)) (pid \(header.processID))" }
  }
#endif
