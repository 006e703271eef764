public import OpTraceModel

/// The chain of work that decided when the run ended: if one of its steps gets shorter, the run ends sooner.
///
/// It goes through dependencies *and* slots: if an operation was ready but had to wait until another operation of its
/// full queue finished, that other one comes before it. Barriers count as slots. If blocks and tasks are recorded, the
/// path goes through them too: from an asynchronous operation to the block that finished it, from a block to the one
/// that held its serial queue or to its submitter, and from a task to what it awaited.
///
/// **Algorithm.** Walk back from the work that ended last. An operation waited last for the first of these that
/// applies:
///
/// 1. The operation whose slot it got, if it waited for one and its queue was full (or one of the two is a barrier).
/// 2. The dependency that finished last, if that was after the enqueueing.
/// 3. The work that enqueued it, if work other than operations is recorded.
/// 4. Nothing: the path begins there.
///
/// A block waited for the block before it in its serial queue, else for its submitter. A run of a task waited
/// for what the task awaited, else for its resumer, else for its previous run. If an operation was finished by work
/// that it submitted, the walk follows that work.
///
/// If operations are unfinished, the walk begins at one that executes or waits for a slot: the one with the longest
/// chain of waiting operations behind it (that chain is ``remaining``). If nothing moves, it begins at the operation
/// that finished last. In a trace without operations it begins at the main task or other work that still moves, else at
/// the work that ended last.
///
/// Not followed: a thread's waits for semaphores, groups and other operations; they count as running.
///
/// **Complexity.** O(n log n + e) for n pieces of work and e dependencies, dominated by sorting the ends of slots; a
/// step costs O(log n) plus its dependencies.
public struct CriticalPath: Sendable, Equatable {
  /// What work on the path waited for last.
  public enum Cause: Sendable, Hashable {
    /// Nothing in the trace: the path's first step.
    case start
    /// This had to finish first: a dependency, a task that it awaited, a block that it called `sync` for.
    case dependency(WorkID)
    /// The end of this gave it its slot, or its turn in a serial dispatch queue.
    case slot(WorkID)
    /// The code of this submitted it.
    case submission(WorkID)
    /// This work finished the operation, or resumed the task.
    case signal(WorkID)

    /// The work that it names; nil: none.
    public var work: WorkID? {
      switch self {
      case .start: nil
      case .dependency(let id), .slot(let id), .submission(let id), .signal(let id): id
      }
    }
  }

  /// A part of the path; work that waited for what it started has several steps. A step begins where the one before
  /// ended, so the steps cover the path's time without gap or overlap; its times add up to the step's duration.
  /// All times are on the trace's clock.
  public struct Step: Sendable, Hashable {
    /// The work of this step.
    public var work: WorkID
    /// What it waited for last, before it could run.
    public var cause: Cause
    /// The end of the previous step; for the first step, the enqueueing or the start. Nanoseconds on the trace's clock.
    public var began: Nanoseconds
    /// The finish, or where the next step began; the trace's end for unfinished work.
    public var ended: Nanoseconds
    /// From `began` until it only needed a slot or a turn. For a task this includes suspensions for something that the
    /// trace does not show, such as a sleep.
    public var waitingForDependencies: Nanoseconds
    /// From then until its own code ran, without ``waitingForThread``. Time in which other work of the path held the slot
    /// counts for that work.
    public var waitingForSlot: Nanoseconds
    /// The time in which an operation waited while its queue had a free slot (``ThreadWaits``).
    public var waitingForThread: Nanoseconds = 0
    /// The time in its own code, in nanoseconds.
    public var running: Nanoseconds

    /// From `began` to `ended`, in nanoseconds.
    public var duration: Nanoseconds { ended - began }
  }

  /// The steps in the order of time.
  public private(set) var steps: [Step] = []
  /// Operations that still have to run after the last step, in order: the longest such chain.
  public private(set) var remaining: [OperationID] = []
  /// The time that ``total`` is compared with: `Trace.activity`.
  public private(set) var wall: Nanoseconds = 0

  /// The steps' running time: the classic length of a critical path.
  public var total: Nanoseconds { steps.reduce(0) { $0 + $1.running } }
  /// The sum over all steps, in nanoseconds.
  public var waitingForDependencies: Nanoseconds { steps.reduce(0) { $0 + $1.waitingForDependencies } }
  /// The sum over all steps, in nanoseconds.
  public var waitingForSlot: Nanoseconds { steps.reduce(0) { $0 + $1.waitingForSlot } }
  /// The sum over all steps, in nanoseconds.
  public var waitingForThread: Nanoseconds { steps.reduce(0) { $0 + $1.waitingForThread } }
  /// From the first step's begin to the last one's end, waits included.
  public var span: Nanoseconds { (steps.last?.ended ?? 0) - (steps.first?.began ?? 0) }
  /// ``total`` as a share of ``wall``, 0 to 1. The rest is waits between the steps, and before and after them.
  public var share: Double { wall > 0 ? Double(total) / Double(wall) : 0 }
  /// The work of the path in order, including what still has to run. Work with several steps appears once for each.
  public var works: [WorkID] { steps.map(\.work) + remaining }

  /// No path.
  package init() {}

  /// Finds the path. Without work that was submitted or ran it has no steps. O(n log n + e).
  public init(of trace: Trace) { self.init(of: trace, nil) }

  /// - Parameter threadWaits: of the same trace, if they are there already.
  package init(of trace: Trace, _ threadWaits: ThreadWaits?) {
    wall = trace.activity.map { $0.upperBound - $0.lowerBound } ?? 0
    let end = PathEnd(trace)
    remaining = end.behind.map { trace.operations[$0].id }
    var walker = PathWalker(trace, threadWaits)
    if let last = end.last { steps = walker.walk(back: last) }
  }
}
