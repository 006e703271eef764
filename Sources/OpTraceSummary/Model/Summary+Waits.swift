import OpTraceKernel
public import OpTraceModel

extension Summary {
  /// Threads that waited for operations, queues, semaphores and so on. Waits may be nested, and overlap on several
  /// threads, so their sum is not a share of the wall time.
  public struct Waits: Sendable, Equatable {
    /// How many waits there were.
    public var count = 0
    /// Waits that were unfinished when the trace ended; they count until then.
    public var unfinished = 0
    /// Their total time, in nanoseconds.
    public var total: Nanoseconds = 0
    /// By waiter and target, the longest total first; as many as the summary lists operations.
    public var longest: [Wait] = []
  }

  /// The waits of one operation (or of a thread outside operations) for one target.
  public struct Wait: Sendable, Equatable {
    /// What was waited for.
    public var target: WaitRecord.Target
    /// The thread of the last of them.
    public var thread: ThreadID
    /// The operation that waited; nil: a thread outside of operations.
    public var operation: OperationID?
    /// The displayed name: `load`, `fetch`, `semaphore 1`.
    public var operationName: String?
    /// The displayed name of the target: a name, or a number.
    public var targetName: String
    /// The object that was waited on, if it is one.
    public var object: ObjectRecord?
    /// How many waits of this kind there were.
    public var count = 0
    /// Waits that were unfinished when the trace ended; they count until then.
    public var unfinished = 0
    /// Their total time, in nanoseconds.
    public var total: Nanoseconds = 0
    /// The longest of them, in nanoseconds.
    public var max: Nanoseconds = 0
    /// The signal that ended the last of them, or the last one before.
    public var lastSignal: WaitRecord.Signal?
    /// The displayed name of the operation that signalled; nil: none did.
    public var lastSignalName: String?
    /// Where their time ends, the most first; empty: not known.
    package var ends: [WaitEnd] = []
  }

  static func waits(_ trace: Trace, most: Int) -> Waits {
    struct Key: Hashable {
      var operation: OperationID?
      /// The thread, for waits outside of operations.
      var thread: ThreadID?
      var target: WaitRecord.Target
    }
    var result = Waits()
    var indexes: [Key: Int] = [:]
    var groups: [Wait] = []
    var members: [[Int]] = []
    for (number, wait) in trace.waits.enumerated() {
      let time = Swift.max(0, (wait.ended ?? trace.end) - wait.began)
      let key = Key(operation: wait.inside, thread: wait.inside == nil ? wait.thread : nil, target: wait.target)
      let index = indexes[key] ?? groups.count
      if index == groups.count {
        indexes[key] = index
        groups.append(Wait(target: wait.target, thread: wait.thread, operation: wait.inside, targetName: ""))
        members.append([])
      }
      members[index].append(number)
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
    let shown = order.prefix(Swift.max(0, most))
    for (row, ends) in zip(shown, ends(of: shown.map { members[$0] }, trace)) {
      groups[row].ends = ends
      result.longest.append(named(groups[row], trace))
    }
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
  /// A source location where threads waited. Waits without a recorded stack (short ones) have none.
  public struct WaitLocation: Sendable, Equatable {
    /// The innermost frame of the program's own code on the stacks of these waits.
    public var code: CodeLocation
    /// How many waits there were.
    public var count = 0
    /// Waits that were unfinished when the trace ended; they count until then.
    public var unfinished = 0
    /// Their total time, in nanoseconds.
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
