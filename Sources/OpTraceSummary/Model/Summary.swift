public import OpTraceKernel
public import OpTraceModel

/// The figures of a run: who was busy, who waited, how long.
///
/// Times of operations are those of `OperationTimes`; shares are of ``wall``. O(n log n) for n operations.
public struct Summary: Sendable, Equatable {
  /// Number of operations in the trace, including those that were only named as a dependency.
  public var operationCount = 0
  /// From the first enqueueing or start of an operation to the last finish (`Trace.activity`).
  public var wall: Nanoseconds = 0
  /// How many operations are in each state when the trace ends; every state has an entry. With ``unknown`` they add up to
  /// ``operationCount``.
  public var states: [OperationState: Int] = [:]
  /// Number of operations that were recorded in part: their outcome is not in the trace, and they are in no other sum.
  public var unknown = 0
  /// The queues, in the order of the trace.
  public var queues: [Queue] = []
  /// The classes, the one with the most running time first.
  public var classes: [Class] = []
  /// The operations that ran longest, the longest first.
  public var slowest: [Operation] = []
  /// What decided when the run ended.
  public var criticalPath: CriticalPath
  /// The names of the operations on the critical path.
  public var pathNames: [WorkID: String] = [:]
  /// Dispatch queues with blocks, in the order of the trace.
  public var dispatchQueues: [DispatchQueue] = []
  /// Blocks of dispatch queues, by function; longest running time first.
  public var blocks: [Class] = []
  /// Tasks, by function; longest running time first.
  public var tasks: [TaskKind] = []
  /// Waits of tasks for actors, by class; empty if they are not recorded.
  public var actors: [ActorClass] = []
  /// Where tasks waited, by line.
  package var taskWaits: [TaskWait] = []
  /// How long tasks ran, by the line after which they ran.
  package var taskRuns: [TaskRun] = []
  /// Threads that ran operations, busiest first.
  public var threads: [Thread] = []
  /// Threads that waited for something.
  public var waits = Waits()
  /// Where in the source threads waited, the longest total first; as many as ``Waits/longest``.
  public var locations: [WaitLocation] = []
  /// How many more locations there are.
  public var moreLocations = 0
  /// Where processor time went; nil: it was not sampled (`record --profile`), or none was used.
  public var processorTime: ProcessorTime?
  /// How long threads waited for a processor; nil: seldom.
  public var machine: MachineLoad?
  /// What is missing from the trace.
  public var loss: LossReport
  /// When and why the trace was kept while its program ran on; nil: it is no such copy.
  public var kept: TraceHeader.Kept?

  /// What one queue did.
  public struct Queue: Sendable, Equatable {
    /// The queue's number in the trace.
    public var id: QueueID
    /// The name that the queue had last.
    public var name: String
    /// The displayed name: its name, else its number and creation site.
    public var title: String
    /// Its creation site; nil: not known.
    public var code: CodeLocation?
    /// The limit at the trace's end; -1: as many as the system allows.
    public var limit: Int
    /// Whether it was suspended at the trace's end.
    public var isSuspended: Bool
    /// Number of operations that were added to it.
    public var operations = 0
    /// The largest number of operations that executed at one time.
    public var peak = 0
    /// The sum of the running times of its operations.
    public var busy: Nanoseconds = 0
    /// Available slot time: the limit, as it changed, over the wall time. Without a limit, the peak is used instead.
    public var capacity: Double = 0
    /// The sum over its operations, in nanoseconds.
    public var waitingForDependencies: Nanoseconds = 0
    /// The sum over its operations, in nanoseconds.
    public var waitingForSlot: Nanoseconds = 0
    /// The sum over its operations, in nanoseconds: waits while it had a free slot (`ThreadWaits`).
    public var waitingForThread: Nanoseconds = 0

    /// `busy` as a share of `capacity`. Above 1 if the limit was lowered while operations ran.
    public var utilisation: Double { capacity > 0 ? Double(busy) / capacity : 0 }
  }

  /// The times of the operations of one class.
  public struct Class: Sendable, Equatable {
    /// The class name in the trace.
    public var name: String
    /// Operations of this class.
    public var count = 0
    /// Waits of the operations that were enqueued and not merely seen in part.
    public var waitingForDependencies = Distribution()
    /// Waits of the operations that were enqueued and not merely seen in part.
    public var waitingForSlot = Distribution()
    /// The same for waits for a thread; nil: waits of this kind of work are not told apart.
    public var waitingForThread: Distribution?
    /// Times of the operations that executed.
    public var running = Distribution()
    /// Processor time of the finished operations for which it was recorded (`record --cpu`): the part of running in
    /// which they did not sleep, on the thread where they began.
    public var computing = Distribution()
  }

  /// One operation and its times.
  public struct Operation: Sendable, Equatable {
    /// The operation's number in the trace.
    public var id: OperationID
    /// Its name, else its class.
    public var name: String
    /// Its class name in the trace.
    public var className: String
    /// Its state at the trace's end.
    public var state: OperationState
    /// The queue that it was added to; nil: none.
    public var queue: QueueID?
    /// Its times.
    public var times: OperationTimes
    /// Its source location.
    public var code: CodeLocation
    /// Where it was added to a queue; nil: not known.
    public var added: CodeLocation?
    /// Where the object was created; nil: not known, or where it was added to a queue.
    public var made: CodeLocation?
  }

  /// What one thread did.
  public struct Thread: Sendable, Equatable {
    /// The thread's number in the trace.
    public var id: ThreadID
    /// The system's id of the thread.
    public var systemID: UInt32
    /// Its name; empty if it has none.
    public var name: String
    /// Number of executions (or of blocks) that began on it.
    public var operations = 0
    /// The time in which it ran at least one execution; an asynchronous one counts until its `start()` returned.
    public var busy: Nanoseconds = 0
  }

  /// - Parameter slowestCount: how many operations ``slowest`` has at most, and how many waits ``Waits/longest``.
  public init(of trace: Trace, slowestCount: Int = 10) {
    let threadWaits = ThreadWaits(trace)
    // The path takes about as long as everything else together.
    let (path, figures) = SideBySide.both(
      { CriticalPath(of: trace, threadWaits) }, { Figures(trace, threadWaits, most: slowestCount) })
    criticalPath = path
    for id in path.works { pathNames[id] = trace.work(id)?.title }
    loss = trace.loss
    kept = trace.header.kept
    machine = MachineLoad(of: trace)
    operationCount = trace.operations.count
    let activity = trace.activity
    wall = activity.map { $0.upperBound - $0.lowerBound } ?? 0
    states = Dictionary(uniqueKeysWithValues: OperationState.allCases.map { ($0, 0) })
    for index in trace.operations.indices {
      if trace.operations[index].isOutcomeKnown {
        states[trace.operations[index].state, default: 0] += 1
      } else {
        unknown += 1
      }
    }
    (queues, classes, slowest) = (figures.queues, figures.classes, figures.slowest)
    dispatchQueues = Self.dispatchQueues(trace)
    blocks = Self.classes(trace.blocks, traceEnd: trace.end)
    tasks = Self.tasks(trace)
    actors = Self.actors(trace)
    (taskWaits, taskRuns) = Self.taskLines(trace)
    threads = figures.threads
    waits = Self.waits(trace, most: slowestCount)
    (locations, moreLocations) = Self.locations(trace, most: slowestCount)
    processorTime = Self.processorTime(trace, most: slowestCount, running: runningTimes)
  }

  /// What is computed over all operations.
  private struct Figures: Sendable {
    let queues: [Queue]
    let classes: [Class]
    let slowest: [Operation]
    let threads: [Thread]

    /// One after the other, because each has its own tables: for a large trace these are most of the memory besides the
    /// trace.
    init(_ trace: Trace, _ threadWaits: ThreadWaits, most count: Int) {
      queues = Summary.queues(trace, trace.activity, threadWaits)
      classes = Summary.classes(trace.operations, traceEnd: trace.end, threads: threadWaits) { $0.processorTime }
      slowest = Summary.slowest(trace, count, threadWaits)
      threads = Summary.threads(trace)
    }
  }

  private static func slowest(_ trace: Trace, _ count: Int, _ threadWaits: ThreadWaits) -> [Operation] {
    var first = FirstFew<(index: Int, times: OperationTimes)>(count) {
      ($1.times.running, $0.index) < ($0.times.running, $1.index)
    }
    for index in trace.operations.indices {
      let times = threadWaits.times(ofOperationAt: index, in: trace)
      if times.running > 0 { first.offer((index, times)) }
    }
    return first.take().map { index, times in
      let operation = trace.operations[index]
      return Operation(
        id: operation.id, name: operation.title, className: operation.className, state: operation.state,
        queue: operation.queue, times: times, code: operation.codeLocation,
        added: trace.stacks.codeLocation(operation.addedAt), made: trace.stacks.creationSite(of: operation))
    }
  }
}
