import OpTraceModel

/// What threads did outside of operations, and of threads' own programs: completion blocks, timers, and whatever finishes an
/// asynchronous operation. Each needs a cause, from which on it can be simulated.
struct Callbacks {
  /// A callback as it was found on its thread.
  struct Found {
    var at: Stamp
    /// The operation that its first step finishes.
    var finishing: Int32?
    /// The operation whose completion block it is, where the trace has that.
    var completing: Int32?
    /// When the thread was through with what it did before; nil: nothing.
    var freeSince: Nanoseconds?
    var isPooled: Bool
    var isMain: Bool
    var steps: [Workload.Step] = []
    var cursor: Nanoseconds

    init(
      at: Stamp, finishing: Int32? = nil, completing: Int32? = nil, freeSince: Nanoseconds?, isPooled: Bool,
      isMain: Bool
    ) {
      (self.at, self.finishing, self.completing, self.freeSince, cursor) = (
        at, finishing, completing, freeSince, at.time
      )
      (self.isPooled, self.isMain) = (isPooled, isMain)
    }

    mutating func take(_ step: Workload.Step, at time: Nanoseconds) {
      advance(to: time)
      steps.add(step)
    }

    mutating func advance(to time: Nanoseconds) {
      steps.add(run: span(cursor, time))
      cursor = max(cursor, time)
    }
  }

  enum Cause {
    /// Some time after the operation began.
    case begin(Int32)
    /// By its finish.
    case finish(Int32)
    /// Nothing that is known: it comes when it came.
    case moment(Nanoseconds)
  }

  /// A callback with its cause.
  struct Attached {
    var cause: Cause
    /// From the cause until it is due.
    var delay: Nanoseconds
    var executor: Workload.Strand.Executor
    var owner: Int32?
    var steps: [Workload.Step]
  }

  let finishes: FinishOrder
  /// Threads that ran operations of queues.
  let pooledThreads: Set<ThreadID>
  private let trace: Trace
  private var found: [Found] = []

  init(_ trace: Trace) {
    self.trace = trace
    finishes = FinishOrder(trace)
    let mainQueues = Set(trace.queues.filter(\.isMain).map(\.id))
    var threads: Set<ThreadID> = []
    for index in trace.operations.indices {
      guard let queue = trace.operations[index].queue, !mainQueues.contains(queue),
        let thread = trace.operations[index].started?.thread
      else { continue }
      threads.insert(thread)
    }
    pooledThreads = threads
  }

  mutating func add(_ more: [Found]) { found += more }

  /// Gives each its cause. O(n log n), and for each class O(n).
  func attach() -> (callbacks: [Attached], assumptions: Set<Assumption>) {
    var assumptions: Set<Assumption> = []
    let causes = CompletionCauses(trace, finishes, found)
    let callbacks = found.indices.map { index -> Attached in
      let callback = found[index]
      if let job = callback.completing {
        return Attached(
          cause: .finish(job), delay: 0, executor: .pooled(.quality(0)), owner: nil, steps: callback.steps)
      }
      if let job = callback.finishing,
        let began = (trace.operations[Int(job)].executionBegan ?? trace.operations[Int(job)].started)?.time
      {
        assumptions.insert(.callbackDelays)
        return Attached(
          cause: .begin(job), delay: max(0, callback.at.time - began), executor: .anywhere, owner: nil,
          steps: callback.steps)
      }
      guard let cause = causes.cause(of: index) else {
        return Attached(
          cause: .moment(callback.at.time), delay: 0, executor: .anywhere, owner: nil, steps: callback.steps)
      }
      assumptions.insert(.callbackCauses)
      // It may have waited for its thread.
      let due = max(cause.time, callback.freeSince ?? .min)
      var steps: [Workload.Step] = []
      steps.add(run: span(due, callback.at.time))
      return Attached(
        cause: .finish(cause.job), delay: 0, executor: .pooled(callback.isMain ? .main : .quality(0)), owner: nil,
        steps: steps + callback.steps)
    }
    return (callbacks, assumptions)
  }
}
