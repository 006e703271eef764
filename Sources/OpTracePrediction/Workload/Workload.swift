package import OpTraceModel

/// A recorded run as programs: what every thread, every operation's body and every callback does, in order. The machine
/// (``Machine``) runs it anew; a change is a change of these values.
///
/// Times are nanoseconds on the trace's clock; numbers of jobs, queues and strands are 32-bit indexes into the arrays here, so that millions fit.
package struct Workload: Sendable {
  /// An operation.
  package struct Job: Sendable {
    package var id: OperationID
    /// The queue it is given to; nil: none, it is started by a thread's program.
    package var queue: Int32?
    package var priority: Int8 = 0
    package var isBarrier = false
    /// What its body does; nil: it was never seen to run.
    package var body: Int32?
    /// Callbacks that its finish submits: its completion block.
    package var completions: [Int32] = []
    /// How long it took from having all that it needs to its `start()`, and how its thread came to it; nil: not
    /// known, as it cannot be separated from other waiting.
    package var latency: Nanoseconds?
    package var start = ThreadStart.handover
    /// When it became ready in the recorded run: the order among the dependents of one operation.
    package var becameReady = Nanoseconds.max

    package init(id: OperationID, queue: Int32? = nil, priority: Int8 = 0, isBarrier: Bool = false) {
      (self.id, self.queue, self.priority, self.isBarrier) = (id, queue, priority, isBarrier)
    }
  }

  /// An operation queue.
  package struct Queue: Sendable {
    package var id: QueueID
    /// Nil: as many as the system allows.
    package var limit: Int?
    package var isSuspended = false
    package var pool: Pool

    package init(id: QueueID, limit: Int? = nil, pool: Pool = .quality(0)) {
      (self.id, self.limit, self.pool) = (id, limit, pool)
    }
  }

  /// Where threads come from.
  package enum Pool: Hashable, Sendable {
    /// The main thread alone.
    case main
    /// The system's threads for one quality of service.
    case quality(UInt8)
    /// The one thread that a serial dispatch queue has at a time.
    case serial(UInt8)

    /// Its index among the machine's pools.
    var index: Int {
      switch self {
      case .main: 0
      case .quality(let raw): 1 + Int(min(raw, 4))
      case .serial(let number): Self.systems + Int(number)
      }
    }
    /// The main thread's and those of the qualities of service.
    static let systems = 6
    /// Serial queues that are followed, at most: the machine numbers its pools with 7 bits.
    static let mostSerial = 100
  }

  /// Steps that one thread does in order.
  package struct Strand: Sendable {
    /// What it needs to begin.
    package enum Executor: Sendable, Equatable {
      /// A thread of its own, from this moment on.
      case ownThread(from: Nanoseconds)
      /// The main thread from this moment on: the main queue has it only when these steps are over.
      case mainThread(from: Nanoseconds)
      /// A thread of a pool, when it is submitted.
      case pooled(Pool)
      /// None that others could use: it begins when it is due.
      case anywhere
    }
    package var executor: Executor
    /// The operation whose work this is; nil: nobody's.
    package var job: Int32?
    /// In ``Workload/steps``.
    package var steps: Range<Int32>

    package init(executor: Executor, job: Int32? = nil, steps: Range<Int32> = 0..<0) {
      (self.executor, self.job, self.steps) = (executor, job, steps)
    }
  }

  /// One thing that a thread does.
  package enum Step: Sendable, Equatable {
    /// The operation's own work, in nanoseconds: a change of its class scales it.
    case run(Nanoseconds)
    /// The operation's own computing, in nanoseconds of a processor, which it may have to share; scaled as well.
    case compute(Nanoseconds)
    /// Time that passes whatever changes: the system's, and waits that end by a timeout.
    case pause(Nanoseconds)
    /// Gives operations to their queue in one call: a range of ``Workload/batches``.
    case enqueue(Range<Int32>)
    /// Its body begins.
    case begin(Int32)
    /// The operation is finished, and all that depend on it are released.
    case finish(Int32)
    case cancel(Int32)
    case awaitJob(Int32)
    case awaitQueue(Int32)
    /// Takes one signal of an object; waits where there is none.
    case awaitSignal(Int32)
    case signal(Int32)
    case suspend(Int32)
    case resume(Int32)
    /// -1: as many as the system allows.
    case limit(Int32, Int32)
    /// Submits a callback, which is due after some time.
    case submit(Int32, after: Nanoseconds)
    /// Nothing after it is known, and it does not come there: the thread blocks for ever.
    case hang
  }

  /// One operation waits for another.
  package struct Edge: Sendable, Hashable {
    /// The job that has to finish first.
    package var from: Int32
    package var to: Int32
    package init(from: Int32, to: Int32) { (self.from, self.to) = (from, to) }
  }

  package var jobs: [Job] = []
  package var queues: [Queue] = []
  package var strands: [Strand] = []
  package var steps: [Step] = []
  package var batches: [Int32] = []
  package var edges: [Edge] = []
  /// How many objects threads wait on.
  package var objectCount = 0
  /// How many serial dispatch queues have a pool of their own.
  package var serialQueues = 0
  package var latencies = Latencies()
  /// What had to be guessed.
  package var assumptions: Set<Assumption> = []

  package init() {}

  /// Adds a strand with these steps. O(steps).
  @discardableResult
  package mutating func add(_ new: [Step], executor: Strand.Executor, job: Int32? = nil) -> Int32 {
    let first = Int32(clamping: steps.count)
    steps += new
    strands.append(Strand(executor: executor, job: job, steps: first..<Int32(clamping: steps.count)))
    return Int32(clamping: strands.count - 1)
  }
}
