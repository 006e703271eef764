public import OpTraceModel

/// The figures of a run: who was busy, who waited, how long.
///
/// Times of operations are those of ``OperationTimes``; shares are of ``wall``. O(n log n) for n operations.
public struct Summary: Sendable, Equatable {
  public var operationCount = 0
  /// From the first enqueueing or start of an operation to the last finish (``OpTraceModel/Trace/activity``).
  public var wall: Nanoseconds = 0
  /// How many operations are in each state when the trace ends; every state has an entry. With ``unknown`` they add up to
  /// ``operationCount``.
  public var states: [OperationState: Int] = [:]
  /// Operations that were seen in part: what became of them is not in the trace, and they are in no other sum.
  public var unknown = 0
  /// In the order of the trace.
  public var queues: [Queue] = []
  /// The one with the most running time first.
  public var classes: [Class] = []
  /// Those that ran longest, longest first.
  public var slowest: [Operation] = []
  public var criticalPath: CriticalPath
  /// The names of the operations on the critical path.
  public var pathNames: [OperationID: String] = [:]
  /// Threads that ran operations, busiest first.
  public var threads: [Thread] = []
  public var waits = Waits()
  public var loss: LossReport

  public struct Queue: Sendable, Equatable {
    public var id: QueueID
    public var name: String
    /// At the trace's end; -1: as many as the system allows.
    public var limit: Int
    public var isSuspended: Bool
    public var operations = 0
    /// The most operations that executed at one time.
    public var peak = 0
    /// The sum of the running times of its operations.
    public var busy: Nanoseconds = 0
    /// The slots that there were, times how long: the limit, as it changed, over the wall time. Where there was no limit,
    /// the peak stands for it.
    public var capacity: Double = 0
    public var waitingForDependencies: Nanoseconds = 0
    public var waitingForSlot: Nanoseconds = 0

    /// `busy` as a part of `capacity`. Above 1 when operations went on while the limit was lowered under them.
    public var utilisation: Double { capacity > 0 ? Double(busy) / capacity : 0 }
  }

  public struct Class: Sendable, Equatable {
    public var name: String
    public var count = 0
    /// Of the operations that were enqueued and not merely seen in part.
    public var waitingForDependencies = Distribution()
    public var waitingForSlot = Distribution()
    /// Of the operations that executed.
    public var running = Distribution()
  }

  public struct Operation: Sendable, Equatable {
    public var id: OperationID
    public var name: String
    public var className: String
    public var state: OperationState
    public var queue: QueueID?
    public var times: OperationTimes
  }

  public struct Thread: Sendable, Equatable {
    public var id: ThreadID
    public var systemID: UInt32
    public var name: String
    /// Executions (or blocks) that began on it.
    public var operations = 0
    /// The time in which at least one execution was on it; an asynchronous one until its `start()` returned.
    public var busy: Nanoseconds = 0
  }

  /// `slowestCount`: how many operations ``slowest`` names, and how many waits ``Waits/longest``.
  public init(of trace: Trace, slowestCount: Int = 10) {
    criticalPath = CriticalPath(of: trace)
    for id in criticalPath.operations { pathNames[id] = trace.operation(id)?.title }
    loss = trace.loss
    operationCount = trace.operations.count
    let activity = trace.activity
    wall = activity.map { $0.upperBound - $0.lowerBound } ?? 0
    states = Dictionary(uniqueKeysWithValues: OperationState.allCases.map { ($0, 0) })
    for operation in trace.operations {
      if operation.isOutcomeKnown { states[operation.state, default: 0] += 1 } else { unknown += 1 }
    }
    let times = trace.operations.map { OperationTimes(of: $0, traceEnd: trace.end) }
    queues = Self.queues(trace, times, activity)
    classes = Self.classes(trace, times)
    slowest = Self.slowest(trace, times, slowestCount)
    threads = Self.threads(trace)
    waits = Self.waits(trace, most: slowestCount)
  }

  private static func slowest(_ trace: Trace, _ times: [OperationTimes], _ count: Int) -> [Operation] {
    let ran = times.indices.filter { times[$0].running > 0 }
    return ran.sorted { (times[$1].running, $0) < (times[$0].running, $1) }.prefix(max(0, count)).map { index in
      let operation = trace.operations[index]
      return Operation(
        id: operation.id, name: operation.title, className: operation.className, state: operation.state,
        queue: operation.queue, times: times[index])
    }
  }
}

/// What a set of durations looks like.
public struct Distribution: Sendable, Equatable {
  public var count = 0
  public var total: Nanoseconds = 0
  public var median: Nanoseconds = 0
  public var p95: Nanoseconds = 0
  public var max: Nanoseconds = 0

  public init() {}

  /// Percentiles by the nearest rank: each is one of the values.
  public init(_ values: [Nanoseconds]) {
    let sorted = values.sorted()
    guard let last = sorted.last else { return }
    count = sorted.count
    total = sorted.reduce(0) { $0.saturating($1) }
    max = last
    median = Self.percentile(50, of: sorted)
    p95 = Self.percentile(95, of: sorted)
  }

  private static func percentile(_ percent: Int, of sorted: [Nanoseconds]) -> Nanoseconds {
    sorted[Swift.max(1, (sorted.count * percent + 99) / 100) - 1]
  }
}

extension Nanoseconds {
  /// The sum, or the largest number: the times of a trace may be anything up to a year, and their sum more than fits.
  func saturating(_ other: Nanoseconds) -> Nanoseconds {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
