public import OpTraceModel

extension Summary {
  /// What the tasks took that run one function.
  public struct TaskKind: Sendable, Equatable {
    /// The function; of a task without one its name.
    public var name: String
    /// Tasks that run it.
    public var count = 0
    /// Those that were not over when the trace ended.
    public var unfinished = 0
    /// Those that were cancelled.
    public var cancelled = 0
    /// How long each ran, all its runs together; of those that ran.
    public var running = Distribution()
    /// From the moment when a task only waited for its turn until it ran, at its beginning and behind each suspension; where
    /// that was heard.
    public var waiting = Distribution()
    /// The sum of the times in which they were suspended, by the reason, until they only waited for their turn.
    public var suspended: [TaskRecord.Reason: Nanoseconds] = [:]
  }

  /// The one that ran longest first. O(tasks + runs + suspensions).
  static func tasks(_ trace: Trace) -> [TaskKind] {
    struct Values {
      var kind: TaskKind
      var running: [Nanoseconds] = []
      var waiting: [Nanoseconds] = []
    }
    var values: [String: Values] = [:]
    for index in trace.tasks.indices {
      let task = trace.tasks[index]
      let name = task.code == nil ? task.title : task.kind
      var of = values.removeValue(forKey: name) ?? Values(kind: TaskKind(name: name))
      of.kind.count += 1
      if task.over == nil { of.kind.unfinished += 1 }
      if task.cancelRequested != nil { of.kind.cancelled += 1 }
      if !task.runs.isEmpty {
        of.running.append(task.runs.reduce(0) { $0.saturating(max(0, ($1.ended ?? trace.end) - $1.began)) })
      }
      if let enqueued = task.enqueued {
        of.waiting.append(max(0, (task.runs.first?.began ?? trace.end) - enqueued.time))
      }
      for suspension in task.suspensions {
        let end = suspension.to ?? trace.end
        let runnable = suspension.enqueued?.time ?? end
        of.kind.suspended[suspension.reason, default: 0] = of.kind.suspended[suspension.reason, default: 0]
          .saturating(max(0, runnable - suspension.from.time))
        if let enqueued = suspension.enqueued { of.waiting.append(max(0, end - enqueued.time)) }
      }
      values[name] = of
    }
    return values.values.map { of in
      var kind = of.kind
      kind.running = Distribution(of.running)
      kind.waiting = Distribution(of.waiting)
      return kind
    }
    .sorted { ($1.running.total, $0.name) < ($0.running.total, $1.name) }
  }
}
