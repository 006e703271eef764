import OpTraceKernel
public import OpTraceModel

extension Profile {
  /// A part of a trace. All conditions have to hold at once.
  public struct Selection: Sendable {
    /// Nanoseconds since the recorder's start; nil: from the beginning.
    public var from: Nanoseconds?
    /// Nanoseconds since the recorder's start; nil: to the end.
    public var to: Nanoseconds?
    /// Only in work of these queues, and in what it called.
    public var queues: Set<SchedulerID>?
    /// Only in work of these classes or functions, and in what it called.
    public var classes: Set<String>?
    /// Only in work of which a run took at least this many nanoseconds; for waiting, only waits that took this long.
    public var minimumDuration: Nanoseconds = 0
    /// Only in this work, and in what it called.
    public var works: Set<WorkID>?
    /// Only in these tests and named spans. If ``works`` is set too, a sample has to be in one of either.
    public var spans: Set<SpanID>?
    /// Work that is always selected, whatever the other conditions are.
    public var always: Set<WorkID> = []

    /// Everything.
    public init() {}

    /// Whether it leaves out some work, whenever that ran.
    var choosesWork: Bool {
      queues != nil || classes != nil || works != nil || spans != nil || minimumDuration > 0
    }

    func contains(_ time: Nanoseconds) -> Bool { time >= from ?? .min && time <= to ?? .max }
  }
}

extension Profile.Selection {
  /// Work, and all that it submitted, directly or through other work. O(n log n).
  public static func trees(of roots: [WorkID], in trace: Trace) -> Set<WorkID> {
    var children: [WorkID: [WorkID]] = [:]
    for block in trace.blocks {
      if let submitter = block.submitter { children[submitter, default: []].append(block.id) }
    }
    for task in trace.tasks { if let submitter = task.submitter { children[submitter, default: []].append(task.id) } }
    for (index, adder) in Adders(trace).ofOperations.enumerated() where adder >= 0 {
      children[trace.workID(at: Int(adder)), default: []].append(trace.workID(at: index))
    }
    var found = Set(roots)
    var open = roots
    while let work = open.popLast() {
      for child in children[work] ?? [] where found.insert(child).inserted { open.append(child) }
    }
    return found
  }
}
