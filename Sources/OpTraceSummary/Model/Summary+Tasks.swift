public import OpTraceKernel
public import OpTraceModel

extension Summary {
  /// The times of the tasks that run one function.
  public struct TaskKind: Sendable, Equatable {
    /// The function; for a task without a function, its name.
    public var name: String
    /// Number of tasks that run it.
    public var count = 0
    /// Those that were unfinished when the trace ended.
    public var unfinished = 0
    /// Those that were cancelled.
    public var cancelled = 0
    /// How long each task ran in all of its runs together. Tasks that never ran are left out.
    public var running = Distribution()
    /// How long a task waited for its turn, at its begin and after each suspension, if that was recorded.
    public var waiting = Distribution()
    /// The total time in which they were suspended, by reason, until they waited only for their turn.
    public var suspended: [TaskRecord.Reason: Nanoseconds] = [:]
  }

  /// Longest running time first. O(tasks + runs + suspensions).
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
      if let enqueued = task.enqueued, task.actor == nil {
        of.waiting.append(max(0, (task.runs.first?.began ?? trace.end) - enqueued.time))
      }
      for suspension in task.suspensions {
        let end = suspension.to ?? trace.end
        let runnable = suspension.enqueued?.time ?? end
        of.kind.suspended[suspension.reason, default: 0] = of.kind.suspended[suspension.reason, default: 0]
          .saturating(max(0, runnable - suspension.from.time))
        guard let enqueued = suspension.enqueued else { continue }
        let turn = max(0, end - enqueued.time)
        if suspension.actor == nil {
          of.waiting.append(turn)
        } else {
          of.kind.suspended[.executor] = of.kind.suspended[.executor, default: 0].saturating(turn)
        }
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

extension Summary {
  /// The waits of tasks for actors of one class.
  public struct ActorClass: Sendable, Equatable {
    /// The class of the actors; empty: not known.
    public var name: String
    /// Number of actors that were waited for, as far as their addresses distinguish them.
    public var actors = 0
    /// How long tasks waited; tasks that still wait count until the trace's end.
    public var waiting = Distribution()
  }

  /// Longest waiting time first. O(tasks + suspensions).
  static func actors(_ trace: Trace) -> [ActorClass] {
    var values: [String: (actors: Set<UInt32>, waiting: [Nanoseconds])] = [:]
    for index in trace.tasks.indices {
      for wait in trace.tasks[index].actorWaits {
        let length = max(0, (wait.began ?? trace.end) - wait.queued.time)
        values[wait.actor.className, default: ([], [])].actors.insert(wait.actor.number)
        values[wait.actor.className, default: ([], [])].waiting.append(length)
      }
    }
    return values.map {
      ActorClass(name: $0.key, actors: $0.value.actors.count, waiting: Distribution($0.value.waiting))
    }
    .sorted { ($1.waiting.total, $0.name) < ($0.waiting.total, $1.name) }
  }
}
