public import OpTraceModel

/// Where processor time went, or where time was waited: samples with whole stacks, each function, frame and stack stored once.
///
/// A value by itself: what draws, lists or exports it needs no trace.
public struct Profile: Sendable, Equatable {
  /// Code that has a name.
  public struct Function: Sendable, Hashable {
    /// For people: `closure #1 in loadUsers(_:)`. Without symbols `photos+0x4420`, and of the system's code its file alone, as
    /// `libz.so.1`: a sample's address there is one of many in a function.
    public var name: String
    /// The Swift module, else the file that its code is in, as `libz.so.1`.
    public var module: String?
    /// The path of its source file; nil: not known.
    public var file: String?
    /// The lowest line that was seen of it, from 1; nil: not known.
    public var line: Int?
    /// Whether it is the program's own code, and not the system's, Swift's or a library's that is linked into the program.
    public var isOwn: Bool
    /// No code, but what was waited for, as `waits for a semaphore`: the outermost frame of time off the processor.
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
    /// Its code was compiled into the frame outside of it.
    public var isInlined: Bool
  }

  /// What was on a thread's stack.
  public struct Stack: Sendable, Hashable {
    /// Indexes in ``Profile/frames``, the outermost first.
    public var frames: [Int]
    /// How many of the outermost frames are a task's async callers, which are joined from a suspension of the task: they were not on
    /// the thread's stack.
    public var joined: Int
    /// Its outermost callers are not known.
    public var isCut: Bool
    /// Some of its frames were found without an unwind rule.
    public var isGuessed: Bool
  }

  /// A share of processor time.
  public struct Sample: Sendable, Equatable {
    /// In nanoseconds since the trace's start.
    public var time: Nanoseconds
    /// Who used it.
    public var thread: ThreadID
    /// The operation, block or task that ran there; nil: none.
    public var work: WorkID?
    /// An index in ``Profile/stacks``.
    public var stack: Int
    /// In a system call.
    public var isInKernel: Bool
    /// The nanoseconds of processor time, or of waiting, that it stands for.
    public var weight: Nanoseconds
    /// The test, or the named piece of work, in which that was; nil: none.
    public var span: SpanID? = nil
  }

  /// An operation, a block, a task or a thread, as it is called in lists: by class, function or name, so that work alike has one.
  public struct Owner: Sendable, Hashable {
    /// `operation`, `block`, `task`, `thread`.
    public var kind: String
    /// The operation's class, the block's or task's function, the thread's name.
    public var name: String
    /// Its queue's name; nil: it has none.
    public var queue: String?
  }

  /// A thread's name and number.
  public struct Thread: Sendable, Hashable {
    /// As the program or the system calls it.
    public var name: String
    /// The system's number of it.
    public var systemID: UInt32
  }

  /// The names of the tests and other named pieces of work that samples are in.
  package var spans: [SpanID: String] = [:]
  /// Each once.
  public var functions: [Function] = []
  /// Each once.
  public var frames: [Frame] = []
  /// Each once.
  public var stacks: [Stack] = []
  /// In the order of time.
  public var samples: [Sample] = []
  /// Each once.
  public var owners: [Owner] = []
  /// For each sample an index in ``owners``.
  public var ownerOfSamples: [Int] = []
  /// Threads that have samples.
  public var threads: [ThreadID: Thread] = [:]
  /// The program's name.
  public var processName = ""
  /// The system's number of the process.
  public var processID: UInt32 = 0
  /// The wall clock at time 0: nanoseconds since 1970, UTC.
  public var startWall: UInt64 = 0
  /// Nanoseconds that a sample stands for; 0 for time off the processor, which is not sampled.
  public var period: Nanoseconds = 0
  /// How far all this can be trusted.
  public var facts = Facts()

  /// Nothing is known.
  public init() {}

  /// All weights together, in nanoseconds. O(samples).
  public var total: Nanoseconds { samples.reduce(0) { $0 + $1.weight } }
}
