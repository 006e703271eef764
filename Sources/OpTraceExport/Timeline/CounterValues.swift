import OpTraceModel

/// How much work of each queue is executing and ready, and its limit, whenever one of these changes; in the order
/// of time. Changes at one time become one value.
///
/// A counter that changes very often is thinned out: of each of ``usualIntervals`` equal parts of the run it keeps the highest value and
/// the last one, so that no peak is missed and what it shows at the end of a part is right.
struct CounterValues {
  enum Kind: Int, CaseIterable {
    case executing, ready, limit
  }

  struct Value {
    var time: Nanoseconds
    var group: Int
    var kind: Kind
    var value: Int
  }

  /// A screen has some thousand columns; ten times as many, so that one can look closer.
  static let usualIntervals = 20_000

  private let mostIntervals: Int
  private(set) var values: [Value] = []
  /// Changes that were left out.
  private(set) var thinnedOut = 0

  /// O(n log n) for n executions and waits; meanwhile 12 bytes for each.
  init(
    _ timeline: Timeline, _ trace: Trace, _ selection: TimelineSelection = TimelineSelection(),
    intervals: Int = usualIntervals
  ) {
    mostIntervals = intervals
    var changes = Self.changes(timeline)
    for group in changes.indices where timeline.groups[group].isShown {
      for kind in Kind.allCases {
        guard kind == .limit else {
          append(Self.values(&changes[group][kind.rawValue], group, kind), selection)
          continue
        }
        let limits = Self.limits(of: timeline.groups[group], end: trace.end)
        append(limits.map { Value(time: $0.time, group: group, kind: kind, value: $0.limit) }, selection)
      }
    }
    values.sort { ($0.time, $0.group, $0.kind.rawValue) < ($1.time, $1.group, $1.kind.rawValue) }
  }

  /// The time and, in the lowest bit, whether it is one more (0) or one less (1).
  private typealias Change = Int64

  /// By group, then by kind.
  private static func changes(_ timeline: Timeline) -> [[[Change]]] {
    var changes = [[[Change]]](repeating: [[], []], count: timeline.groups.count)
    func add(_ group: Int, _ kind: Kind, _ begin: Nanoseconds, _ end: Nanoseconds, _ isOpen: Bool) {
      guard timeline.groups[group].isShown else { return }
      changes[group][kind.rawValue].append(begin << 1)
      if !isOpen { changes[group][kind.rawValue].append(end << 1 | 1) }
    }
    for execution in timeline.executions where execution.kind == .run {
      add(Int(execution.group), .executing, execution.begin, execution.end, execution.isOpen)
    }
    for wait in timeline.waits where wait.kind == .slot {
      add(Int(wait.group), .ready, wait.begin, wait.end, wait.isOpen)
    }
    return changes
  }

  private static func values(_ changes: inout [Change], _ group: Int, _ kind: Kind) -> [Value] {
    changes.sort()
    var values: [Value] = []
    var sum = 0
    var place = 0
    while place < changes.count {
      let time = changes[place] >> 1
      while place < changes.count, changes[place] >> 1 == time {
        sum += changes[place] & 1 == 0 ? 1 : -1
        place += 1
      }
      values.append(Value(time: time, group: group, kind: kind, value: sum))
    }
    changes = []
    return values
  }

  /// Only for queues that had a limit at some time; -1 says that they have none.
  private static func limits(of group: Timeline.Group, end: Nanoseconds) -> [(time: Nanoseconds, limit: Int)] {
    let queue: QueueRecord
    switch group.owner {
    case .queue(let record): queue = record
    case .dispatchQueue(let record):
      guard let width = record.width else { return [] }
      return [(0, width), (max(end, 1), width)]
    case .process, .tasks, .nobody: return []
    }
    var own = [(time: queue.created, limit: queue.initialLimit)]
    for change in queue.changes {
      guard case .limit(let limit) = change.kind else { continue }
      if own.last?.time == change.time { own.removeLast() }
      own.append((change.time, limit))
    }
    guard own.contains(where: { $0.limit >= 0 }), let last = own.last else { return [] }
    // Once more at the end: some viewers draw no line for a single value.
    if end > last.time { own.append((end, last.limit)) }
    return own
  }

  /// What lies in the time that is shown, with the value that its beginning finds.
  private static func cut(_ all: [Value], _ selection: TimelineSelection) -> [Value] {
    guard selection.from != nil || selection.to != nil else { return all }
    var inside = all.filter { selection.contains($0.time) }
    if let from = selection.from, var last = all.last(where: { $0.time < from }) {
      last.time = from
      inside.insert(last, at: 0)
    }
    return inside
  }

  private mutating func append(_ all: [Value], _ selection: TimelineSelection) {
    let all = Self.cut(all, selection)
    guard let first = all.first, let last = all.last, all.count > 2 * mostIntervals else { return values += all }
    let before = values.count
    let width = (last.time - first.time) / Nanoseconds(mostIntervals) + 1
    var place = 0
    while place < all.count {
      let part = (all[place].time - first.time) / width
      var highest = place
      while place < all.count, (all[place].time - first.time) / width == part {
        if all[place].value > all[highest].value { highest = place }
        place += 1
      }
      values.append(all[highest])
      if highest != place - 1 { values.append(all[place - 1]) }
    }
    thinnedOut += all.count - (values.count - before)
  }
}
