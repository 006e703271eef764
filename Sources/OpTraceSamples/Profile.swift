import OpTraceKernel
public import OpTraceModel

/// Where processor time went, or where time was spent waiting: samples with whole stacks, each function, frame and
/// stack stored once.
///
/// Self-contained: code that draws, lists or exports a profile does not need the trace.
public struct Profile: Sendable, Equatable {
  /// Code that has a name.
  public struct Function: Sendable, Hashable {
    /// The displayed name: `closure #1 in loadUsers(_:)`. Without symbols `photos+0x4420`; for the system's code only
    /// its file, such as `libz.so.1`, because the address of a sample is just one of many in a function.
    public var name: String
    /// The Swift module, else the file that the code is in, such as `libz.so.1`.
    public var module: String?
    /// The path of its source file; nil: not known.
    public var file: String?
    /// The lowest line of it that was seen, from 1; nil: not known.
    public var line: Int?
    /// Whether it is the program's own code, not the system's, Swift's or that of a library that is linked into the
    /// program.
    public var isOwn: Bool
    /// Whether it is no code, but what was waited for, such as `waits for a semaphore`: the outermost frame of time off
    /// the processor.
    public var isReason = false

    /// `main.swift:12`: the last part of the path, and the line; nil where the file is not known.
    public var lineText: String? { CodeLocation(file: file, line: line).lineText }
  }

  /// A line of a function.
  public struct Frame: Sendable, Hashable {
    /// An index in ``Profile/functions``.
    public var function: Int
    /// From 1; nil: not known.
    public var line: Int?
    /// Whether its code was inlined into the frame outside of it.
    public var isInlined: Bool
  }

  /// What was on a thread's stack.
  public struct Stack: Sendable, Hashable {
    /// Indexes in ``Profile/frames``, the outermost first.
    public var frames: [Int]
    /// How many of the outermost frames are a task's async callers. They are joined from a suspension of the task, and
    /// were not on the thread's stack.
    public var joined: Int
    /// Whether its outermost callers are not known.
    public var isCut: Bool
    /// Whether some of its frames were found without an unwind rule.
    public var isGuessed: Bool
  }

  /// A sample: an amount of processor time, or of waiting.
  public struct Sample: Sendable, Equatable {
    /// In nanoseconds since the trace's start.
    public var time: Nanoseconds
    /// The thread that used it.
    public var thread: ThreadID
    /// The operation, block or task that ran there; nil: none.
    public var work: WorkID?
    /// An index in ``Profile/stacks``.
    public var stack: Int
    /// Whether it was taken in a system call.
    public var isInKernel: Bool
    /// The nanoseconds of processor time, or of waiting, that it stands for.
    public var weight: Nanoseconds
    /// The test or named span that it is in; nil: none.
    public var span: SpanID? = nil
  }

  /// An operation, a block, a task or a thread under the name it has in lists: by class, function or name, so that
  /// similar work shares one owner.
  public struct Owner: Sendable, Hashable {
    /// `operation`, `block`, `task`, `thread`.
    public var kind: String
    /// The operation's class, the block's or task's function, the thread's name.
    public var name: String
    /// Its queue's name; nil: it has none.
    public var queue: String?

    package init(kind: String, name: String, queue: String?) {
      (self.kind, self.name, self.queue) = (kind, name, queue)
    }
  }

  /// A thread's name and number.
  public struct Thread: Sendable, Hashable {
    /// The name that the program or the system gave it.
    public var name: String
    /// The system's id of the thread.
    public var systemID: UInt32
  }

  /// What weights count.
  package enum Unit: Sendable, Equatable {
    /// Nanoseconds.
    case time
    /// Bytes that samples of allocations stand for.
    case bytes(Bytes)
  }

  /// Which bytes.
  package enum Bytes: Sendable, Equatable { case allocated, live, peak }

  /// What a sampled allocation stands for.
  package struct AllocationWeight: Sendable, Equatable {
    /// How many such allocations, and their bytes; of these, what lives.
    package var count: Int64
    package var bytes: Int64
    package var liveCount: Int64
    package var liveBytes: Int64

    package init(count: Int64, bytes: Int64, liveCount: Int64, liveBytes: Int64) {
      (self.count, self.bytes, self.liveCount, self.liveBytes) = (count, bytes, liveCount, liveBytes)
    }
  }

  /// What weights count.
  package var unit = Unit.time
  /// For each sample, of allocations; else empty.
  package var allocationWeights: [AllocationWeight] = []
  /// Of all bytes that were allocated one in so many was chosen; 0: samples are of time.
  package var interval: Int64 = 0
  /// The names of the tests and other named spans that samples are in.
  package var spans: [SpanID: String] = [:]
  /// Each function once.
  public var functions: [Function] = []
  /// Each frame once.
  public var frames: [Frame] = []
  /// Each stack once.
  public var stacks: [Stack] = []
  /// In the order of time.
  public var samples: [Sample] = []
  /// Each owner once.
  public var owners: [Owner] = []
  /// For each sample an index in ``owners``.
  public var ownerOfSamples: [Int] = []
  /// Threads that have samples.
  public var threads: [ThreadID: Thread] = [:]
  /// The program's name.
  public var processName = ""
  /// The system's id of the process.
  public var processID: UInt32 = 0
  /// The wall clock at time 0: nanoseconds since 1970, UTC.
  public var startWall: UInt64 = 0
  /// Nanoseconds that a sample stands for; 0 for time off the processor, which is not sampled.
  public var period: Nanoseconds = 0
  /// How far the profile can be trusted.
  public var facts = Facts()

  /// An empty profile.
  public init() {}

  /// All weights together, in nanoseconds. O(samples).
  public var total: Nanoseconds { samples.reduce(0) { $0 + $1.weight } }
}
