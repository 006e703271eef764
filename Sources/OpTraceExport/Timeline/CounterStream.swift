import OpTraceModel

/// The counters of all queues as they change, in the order of time: executing, ready, limit. Changes at one time become
/// one value. Needs four bytes per execution and wait.
struct CounterStream {
  enum Kind: Int, CaseIterable {
    case executing, ready, limit
  }

  struct Value {
    var group: Int
    var kind: Kind
    var value: Int
  }

  private let timeline: Timeline
  private let groupOfExecution: [Int32]
  private let groupOfWait: [Int32]
  private let endsOfExecutions: [UInt32]
  private let endsOfWaits: [UInt32]
  private let limits: [(time: Nanoseconds, group: Int, limit: Int)]
  private var places = [Int](repeating: 0, count: 5)
  private var values: [[Int]]
  private var changed: [(group: Int, kind: Kind)] = []

  init(_ timeline: Timeline, _ trace: Trace) {
    self.timeline = timeline
    let group = trace.operations.map { Int32(timeline.group(of: $0.queue)) }
    groupOfExecution = timeline.executions.map { group[Int($0.operation)] }
    groupOfWait = timeline.waits.map { group[Int($0.operation)] }
    endsOfExecutions = timeline.executions.indices.filter { !timeline.executions[$0].isOpen }
      .sorted { timeline.executions[$0].end < timeline.executions[$1].end }.map { UInt32($0) }
    endsOfWaits = timeline.waits.indices.filter { !timeline.waits[$0].isOpen }
      .sorted { timeline.waits[$0].end < timeline.waits[$1].end }.map { UInt32($0) }
    limits = Self.limits(of: timeline, end: trace.end)
    values = [[Int]](repeating: [0, 0, 0], count: timeline.groups.count)
  }

  /// Only for queues that had a limit at some time; -1 says that they have none.
  private static func limits(of timeline: Timeline, end: Nanoseconds) -> [(time: Nanoseconds, group: Int, limit: Int)] {
    var result: [(time: Nanoseconds, group: Int, limit: Int)] = []
    for (group, entry) in timeline.groups.enumerated() {
      guard let queue = entry.queue else { continue }
      var own = [(queue.created, group, queue.initialLimit)]
      for change in queue.changes {
        if case .limit(let limit) = change.kind { own.append((change.time, group, limit)) }
      }
      // Once more at the end: some viewers draw no line for a single value.
      if let last = own.last { own.append((max(end, last.0), group, last.2)) }
      if own.contains(where: { $0.2 >= 0 }) { result += own }
    }
    return result.sorted { ($0.time, $0.group) < ($1.time, $1.group) }
  }

  /// The time of the next values; the largest number when there are none.
  var next: Nanoseconds {
    var time = Nanoseconds.max
    if places[0] < timeline.executions.count { time = min(time, timeline.executions[places[0]].begin) }
    if places[1] < endsOfExecutions.count {
      time = min(time, timeline.executions[Int(endsOfExecutions[places[1]])].end)
    }
    if places[2] < timeline.waits.count { time = min(time, timeline.waits[places[2]].begin) }
    if places[3] < endsOfWaits.count { time = min(time, timeline.waits[Int(endsOfWaits[places[3]])].end) }
    if places[4] < limits.count { time = min(time, limits[places[4]].time) }
    return time
  }

  /// Applies all that happens at `time`, and gives what changed.
  mutating func take(at time: Nanoseconds, _ body: (Value) -> Void) {
    while places[0] < timeline.executions.count, timeline.executions[places[0]].begin == time {
      add(1, .executing, groupOfExecution[places[0]])
      places[0] += 1
    }
    while places[1] < endsOfExecutions.count {
      let place = Int(endsOfExecutions[places[1]])
      guard timeline.executions[place].end == time else { break }
      add(-1, .executing, groupOfExecution[place])
      places[1] += 1
    }
    while places[2] < timeline.waits.count, timeline.waits[places[2]].begin == time {
      if timeline.waits[places[2]].kind == .slot { add(1, .ready, groupOfWait[places[2]]) }
      places[2] += 1
    }
    while places[3] < endsOfWaits.count {
      let place = Int(endsOfWaits[places[3]])
      guard timeline.waits[place].end == time else { break }
      if timeline.waits[place].kind == .slot { add(-1, .ready, groupOfWait[place]) }
      places[3] += 1
    }
    while places[4] < limits.count, limits[places[4]].time == time {
      let change = limits[places[4]]
      // A limit is any number that a program sets: differences wrap around, and sums come out right.
      add(change.limit &- values[change.group][Kind.limit.rawValue], .limit, Int32(change.group))
      places[4] += 1
    }
    for (group, kind) in changed {
      body(Value(group: group, kind: kind, value: values[group][kind.rawValue]))
    }
    changed.removeAll(keepingCapacity: true)
  }

  private mutating func add(_ difference: Int, _ kind: Kind, _ group: Int32) {
    let group = Int(group)
    values[group][kind.rawValue] &+= difference
    if !changed.contains(where: { $0.group == group && $0.kind == kind }) { changed.append((group, kind)) }
  }
}
