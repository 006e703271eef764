public import OpTraceModel

/// The part of a trace that a timeline shows. Counters of the queues that are shown always count everything.
///
/// What reaches into the time is shown whole, so that no duration is a wrong one. What was not over when the trace ended counts as long
/// enough.
public struct TimelineSelection: Sendable {
  /// Nanoseconds since the recorder's start; nil: from the beginning.
  public var from: Nanoseconds?
  /// The same; nil: to the end.
  public var to: Nanoseconds?
  /// Operations of these queues only, and what went on inside them.
  public var queues: Set<QueueID>?
  /// Operations of these classes only, and what went on inside them.
  public var classes: Set<String>?
  /// Nothing that took less: executions, waits, blocks, spans.
  public var minimumDuration: Nanoseconds = 0
  /// Shown whatever else is asked for.
  public var always: Set<OperationID> = []

  /// Everything.
  public init() {}

  /// Everything is shown.
  public var isAll: Bool {
    from == nil && to == nil && queues == nil && classes == nil && minimumDuration <= 0
  }

  /// Chooses the time around these operations: from the adding of the first to the end of the last, and a tenth of that before and
  /// after. What they depended on, and what depended on them, is shown wherever it lies. O(n + e).
  public mutating func look(around operations: [OperationID], in trace: Trace) {
    var begin = Nanoseconds.max
    var end = Nanoseconds.min
    let wanted = Set(operations)
    always.formUnion(wanted)
    trace.operations.withUnsafeBufferPointer { records in
      for index in records.indices {
        let isWanted = wanted.contains(records[index].id)
        if isWanted {
          begin = min(begin, records[index].firstTime ?? .max)
          end = max(end, records[index].finished?.time ?? trace.end)
        }
        for dependency in records[index].dependencies {
          if isWanted { always.insert(dependency.on) }
          if wanted.contains(dependency.on) { always.insert(records[index].id) }
        }
      }
    }
    guard begin <= end else { return }
    let margin = (end - begin) / 10 + 1
    from = begin - margin
    to = end + margin
  }

  func contains(_ time: Nanoseconds) -> Bool { time >= from ?? .min && time <= to ?? .max }

  func contains(_ begin: Nanoseconds, _ end: Nanoseconds, isOpen: Bool) -> Bool {
    begin <= to ?? .max && end >= from ?? .min && (isOpen || end - begin >= minimumDuration)
  }

  /// Whether an operation is one of those that are asked for; when it ran is another question.
  func contains(_ operation: borrowing OperationRecord) -> Bool {
    if let queues, operation.queue.map({ !queues.contains($0) }) ?? true { return false }
    if let classes, !classes.contains(operation.className), !classes.contains(operation.kind) { return false }
    return true
  }
}

extension OperationRecord {
  /// When it was first seen to be used.
  fileprivate var firstTime: Nanoseconds? {
    [enqueued, ready, started, executionBegan, finished].compactMap { $0?.time }.min()
  }
}
