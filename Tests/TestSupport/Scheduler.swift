public import OpTraceModel

/// Runs operations as an operation queue would, on a clock of whole milliseconds, and writes the trace of it.
///
/// It is eager: an operation starts at the instant at which its dependencies are over and its queue has a slot, lower
/// numbers first. So every moment of such a run is explained by a dependency or a slot.
public enum Scheduler {
  public struct Job: Sendable {
    public var duration: Int
    public var after: [Int]
    public var queue: Int

    public init(duration: Int, after: [Int] = [], queue: Int = 0) {
      self.duration = duration
      self.after = after
      self.queue = queue
    }
  }

  /// - Parameters:
  ///   - limits: of each queue; 0 or less: none.
  ///   - stop: when to take the trace; nil: when all is over. Jobs on a cycle never run.
  public static func run(_ jobs: [Job], limits: [Int], stop: Int? = nil) -> Trace {
    var make = HandmadeTrace("scheduled")
    let queues = limits.enumerated().map { make.queue("q\($0.offset)", limit: $0.element > 0 ? $0.element : -1) }
    var began = [Int?](repeating: nil, count: jobs.count)
    var ended = began
    var ready = began
    var now = 0
    while true {
      for job in jobs.indices {
        if ended[job] == nil, let start = began[job], start + jobs[job].duration <= now { ended[job] = now }
      }
      for job in jobs.indices where ready[job] == nil {
        if jobs[job].after.allSatisfy({ ended[$0] != nil }) { ready[job] = now }
      }
      for job in jobs.indices where ready[job] != nil && began[job] == nil {
        let limit = limits[jobs[job].queue]
        let running = jobs.indices.count { jobs[$0].queue == jobs[job].queue && began[$0] != nil && ended[$0] == nil }
        if limit <= 0 || running < limit { began[job] = now }
      }
      if let stop, now >= stop { break }
      let isRunning = jobs.indices.contains { began[$0] != nil && ended[$0] == nil }
      if !isRunning, stop == nil { break }
      now += 1
    }
    for (number, job) in jobs.enumerated() {
      make.operation(
        "job \(number)", on: queues[job.queue], after: job.after.map { OperationID(UInt32($0 + 1)) },
        ready: ready[number].map(Double.init), began: began[number].map(Double.init),
        ended: ended[number].map(Double.init))
    }
    make.trace.end = HandmadeTrace.nanoseconds(Double(now))
    return make.trace
  }
}
