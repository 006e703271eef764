public import OpTraceModel

extension Summary {
  /// Threads that waited for operations, queues, semaphores and the like. Waits may lie inside one another, and
  /// at the same time on several threads: their sum is no part of the wall time.
  public struct Waits: Sendable, Equatable {
    /// How many waits there were.
    public var count = 0
    /// Those that were not over when the trace ended; they count until then.
    public var unfinished = 0
    /// Their times added up, in nanoseconds.
    public var total: Nanoseconds = 0
    /// By who waited on what, the longest total first; as many as the summary lists of operations.
    public var longest: [Wait] = []
  }

  /// The waits of one operation (or of a thread outside of operations) on one thing.
  public struct Wait: Sendable, Equatable {
    /// What was waited for.
    public var target: WaitRecord.Target
    /// Of the last of them.
    public var thread: ThreadID
    /// The operation that waited; nil: a thread outside of operations.
    public var operation: OperationID?
    /// What people read: `load`, `fetch`, `semaphore 1`.
    public var operationName: String?
    /// What people read of the target: a name, or a number.
    public var targetName: String
    /// Of the object that was waited on, where it is one.
    public var object: ObjectRecord?
    /// How many waits of this kind there were.
    public var count = 0
    /// Those that were not over when the trace ended; they count until then.
    public var unfinished = 0
    /// Their times added up, in nanoseconds.
    public var total: Nanoseconds = 0
    /// The longest of them, in nanoseconds.
    public var max: Nanoseconds = 0
    /// What ended the last of them, or signalled last before.
    public var lastSignal: WaitRecord.Signal?
    /// What people read of the operation that gave this signal; nil: none did.
    public var lastSignalName: String?
  }

  static func waits(_ trace: Trace, most: Int) -> Waits {
    struct Key: Hashable {
      var operation: OperationID?
      /// Of those outside of operations.
      var thread: ThreadID?
      var target: WaitRecord.Target
    }
    var result = Waits()
    var indexes: [Key: Int] = [:]
    var groups: [Wait] = []
    for wait in trace.waits {
      let time = Swift.max(0, (wait.ended ?? trace.end) - wait.began)
      let key = Key(operation: wait.inside, thread: wait.inside == nil ? wait.thread : nil, target: wait.target)
      let index = indexes[key] ?? groups.count
      if index == groups.count {
        indexes[key] = index
        groups.append(Wait(target: wait.target, thread: wait.thread, operation: wait.inside, targetName: ""))
      }
      groups[index].thread = wait.thread
      groups[index].count += 1
      groups[index].total = groups[index].total.saturating(time)
      groups[index].max = Swift.max(groups[index].max, time)
      groups[index].lastSignal = wait.endSignal ?? wait.lastSignal ?? groups[index].lastSignal
      if wait.ended == nil { groups[index].unfinished += 1 }
      result.count += 1
      result.total = result.total.saturating(time)
      if wait.ended == nil { result.unfinished += 1 }
    }
    let order = groups.indices.sorted { (groups[$1].total, $0) < (groups[$0].total, $1) }
    result.longest = order.prefix(Swift.max(0, most)).map { named(groups[$0], trace) }
    return result
  }

  private static func named(_ wait: Wait, _ trace: Trace) -> Wait {
    func name(_ id: WorkID) -> String { trace.work(id)?.title ?? id.description }
    var wait = wait
    wait.operationName = wait.operation.map(name)
    wait.lastSignalName = wait.lastSignal?.operation.map(name)
    switch wait.target {
    case .operation(let id): wait.targetName = name(id)
    case .queue(let id): wait.targetName = trace.queue(id)?.title ?? id.description
    case .object(let id):
      wait.object = trace.object(id)
      wait.targetName = wait.object?.title ?? id.description
    }
    return wait
  }
}

extension Summary {
  /// Where in the source threads waited. Waits whose stack was not recorded (short ones) are in none.
  public struct WaitLocation: Sendable, Equatable {
    /// The innermost code of the program's own on the stacks of these waits.
    public var code: CodeLocation
    /// How many waits stood there.
    public var count = 0
    /// Those that were not over when the trace ended; they count until then.
    public var unfinished = 0
    /// Their times added up, in nanoseconds.
    public var total: Nanoseconds = 0
    /// The longest of them, in nanoseconds.
    public var longest: Nanoseconds = 0
  }

  /// O(waits · depth of a stack).
  static func locations(_ trace: Trace, most: Int) -> (shown: [WaitLocation], more: Int) {
    var numbers: [CodeLocation: Int] = [:]
    var known: [FrameID: CodeLocation?] = [:]
    var locations: [WaitLocation] = []
    for wait in trace.waits {
      guard let frame = wait.at else { continue }
      let code = known[frame] ?? trace.stacks.codeLocation(frame)
      known[frame] = .some(code)
      guard let code else { continue }
      let time = Swift.max(0, (wait.ended ?? trace.end) - wait.began)
      let number = numbers[code] ?? locations.count
      if number == locations.count {
        numbers[code] = number
        locations.append(WaitLocation(code: code))
      }
      locations[number].count += 1
      locations[number].total = locations[number].total.saturating(time)
      locations[number].longest = Swift.max(locations[number].longest, time)
      if wait.ended == nil { locations[number].unfinished += 1 }
    }
    let order = locations.indices.sorted { (locations[$1].total, $0) < (locations[$0].total, $1) }
    let shown = order.prefix(Swift.max(0, most)).map { locations[$0] }
    return (shown, locations.count - shown.count)
  }
}
