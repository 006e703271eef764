package import OpTraceModel
import OpTraceSamples

/// How much work of each queue is executing and ready, and the limit of the queue, each time that one of these changes;
/// in the order of time. Changes at the same time become one value.
///
/// A counter that changes very often is thinned out: for each of ``usualIntervals`` equal parts of the run, it keeps
/// the highest value and the last one, so that no peak is missed and the value at the end of a part is right.
package struct CounterValues {
  package enum Kind: Int {
    case executing, ready, limit
    /// Bytes of the process, which is the first group.
    case resident, anonymous, live

    package static let ofWork: [Kind] = [.executing, .ready, .limit]
    static let ofMemory: [Kind] = [.resident, .anonymous, .live]
  }

  package struct Value {
    package var time: Nanoseconds
    package var group: Int
    package var kind: Kind
    package var value: Int
  }

  /// The usual number of parts. A screen has a few thousand columns; ten times as many parts leave more to see after
  /// zooming in.
  static let usualIntervals = 20_000

  private let mostIntervals: Int
  package private(set) var values: [Value] = []
  /// The number of changes that were left out.
  private(set) var thinnedOut = 0

  /// Computes the values. O(n log n) for n executions and waits, with 16 bytes for each in the meantime.
  package init(
    _ timeline: Timeline, _ trace: Trace, _ selection: TimelineSelection = TimelineSelection(),
    intervals: Int = usualIntervals
  ) {
    mostIntervals = intervals
    var changes = Self.changes(timeline)
    for group in changes.indices where timeline.groups[group].isShown {
      for kind in Kind.ofWork {
        guard kind == .limit else {
          append(Sums(of: &changes[group][kind.rawValue]), group, kind, selection)
          continue
        }
        append(Self.limits(of: timeline.groups[group], end: trace.end), group, kind, selection)
      }
    }
    sort()
  }

  /// Adds what the process had in memory each time it was looked at, and what lived whenever that changed. O(n log n) for n allocations.
  mutating func addMemory(of trace: Trace, _ selection: TimelineSelection) {
    guard let memory = trace.memory else { return }
    append(memory.readings.map { (time: $0.time, value: Int(clamping: $0.resident)) }, 0, .resident, selection)
    append(memory.readings.map { (time: $0.time, value: Int(clamping: $0.anonymous)) }, 0, .anonymous, selection)
    append(
      LiveCurve(memory.allocations).values.map { (time: $0.time, value: Int(min($0.bytes, 1e15).rounded())) }, 0, .live,
      selection)
    sort()
  }

  private mutating func sort() {
    values.sort { ($0.time, $0.group, $0.kind.rawValue) < ($1.time, $1.group, $1.kind.rawValue) }
  }

  /// The value that a counter shows from a time on.
  private typealias Step = (time: Nanoseconds, value: Int)

  /// A time, and in the lowest bit whether there is one more (0) or one less (1).
  private typealias Change = Int64

  /// Returns the changes by group, then by kind. There are millions, so each table is allocated at its final size.
  private static func changes(_ timeline: Timeline) -> [[[Change]]] {
    func tell(_ each: (_ group: Int, Kind, _ begin: Nanoseconds, _ end: Nanoseconds?) -> Void) {
      for execution in timeline.executions where execution.kind == .run && timeline.groups[Int(execution.group)].isShown
      {
        each(Int(execution.group), .executing, execution.begin, execution.isOpen ? nil : execution.end)
      }
      for wait in timeline.waits where wait.kind == .slot && timeline.groups[Int(wait.group)].isShown {
        each(Int(wait.group), .ready, wait.begin, wait.isOpen ? nil : wait.end)
      }
    }
    var counts = [[Int]](repeating: [0, 0], count: timeline.groups.count)
    tell { group, kind, _, end in counts[group][kind.rawValue] += end == nil ? 1 : 2 }
    var changes = counts.map { kinds in
      kinds.map { count in
        var table: [Change] = []
        table.reserveCapacity(count)
        return table
      }
    }
    tell { group, kind, begin, end in
      changes[group][kind.rawValue].append(begin << 1)
      if let end { changes[group][kind.rawValue].append(end << 1 | 1) }
    }
    return changes
  }

  /// The running sums of changes in the order of time; changes at the same time count as one. They are not stored, but
  /// recomputed on each walk.
  private struct Sums: Sequence, IteratorProtocol {
    private let changes: [Change]
    private var position = 0
    private var sum = 0

    /// Takes over the changes and leaves none behind.
    init(of changes: inout [Change]) {
      changes.sort()
      self.changes = changes
      changes = []
    }

    mutating func next() -> Step? {
      guard position < changes.count else { return nil }
      let time = changes[position] >> 1
      while position < changes.count, changes[position] >> 1 == time {
        sum += changes[position] & 1 == 0 ? 1 : -1
        position += 1
      }
      return (time, sum)
    }
  }

  /// Returns the limits over time, only for queues that had a limit at some time. -1: no limit.
  private static func limits(of group: Timeline.Group, end: Nanoseconds) -> [Step] {
    let queue: QueueRecord
    switch group.owner {
    case .queue(let record): queue = record
    case .dispatchQueue(let record):
      guard let width = record.width else { return [] }
      return [(0, width), (max(end, 1), width)]
    case .process, .tasks, .nobody: return []
    }
    var own: [Step] = [(queue.created, queue.initialLimit)]
    for change in queue.changes {
      guard case .limit(let limit) = change.kind else { continue }
      if own.last?.time == change.time { own.removeLast() }
      own.append((change.time, limit))
    }
    guard own.contains(where: { $0.value >= 0 }), let last = own.last else { return [] }
    // The last value is repeated at the end, because some viewers draw no line for a single value.
    if end > last.time { own.append((end, last.value)) }
    return own
  }

  /// Calls `body` with the steps in the time that is shown, preceded by the value that applies when that time begins.
  private static func cut(_ all: some Sequence<Step>, _ selection: TimelineSelection, _ body: (Step) -> Void) {
    var found: Step?
    for step in all {
      if let from = selection.from, step.time < from {
        found = (from, step.value)
        continue
      }
      if let step = found { body(step) }
      found = nil
      guard selection.contains(step.time) else { return }
      body(step)
    }
    if let found { body(found) }
  }

  private mutating func append(_ all: some Sequence<Step>, _ group: Int, _ kind: Kind, _ selection: TimelineSelection) {
    var count = 0
    var span: (first: Nanoseconds, last: Nanoseconds)?
    Self.cut(all, selection) { step in
      count += 1
      span = (span?.first ?? step.time, step.time)
    }
    guard let span else { return }
    func value(_ step: Step) -> Value { Value(time: step.time, group: group, kind: kind, value: step.value) }
    guard count > 2 * mostIntervals else { return Self.cut(all, selection) { values.append(value($0)) } }
    let before = values.count
    let width = (span.last - span.first) / Nanoseconds(mostIntervals) + 1
    /// The part of the run that the walk is in.
    var part: (number: Nanoseconds, highest: Step, last: Step)?
    func close() {
      guard let part else { return }
      values.append(value(part.highest))
      if part.highest.time != part.last.time { values.append(value(part.last)) }
    }
    Self.cut(all, selection) { step in
      let number = (step.time - span.first) / width
      if part?.number == number {
        part?.last = step
        if step.value > (part?.highest.value ?? .min) { part?.highest = step }
      } else {
        close()
        part = (number, step, step)
      }
    }
    close()
    thinnedOut += count - (values.count - before)
  }
}
