package import OpTraceAnalysis
public import OpTraceModel
import OpTraceText

/// The part of a trace that a timeline shows. Counters of the queues that are shown always count everything.
///
/// What reaches into the time is shown whole, so that no duration is a wrong one. What was not over when the trace ended counts as long
/// enough.
public struct TimelineSelection: Sendable {
  /// Nanoseconds since the recorder's start; nil: from the beginning.
  public var from: Nanoseconds?
  /// The same; nil: to the end.
  public var to: Nanoseconds?
  /// Work of these queues only, and what went on inside of it.
  public var queues: Set<SchedulerID>?
  /// Work of these classes or functions only, and what went on inside of it.
  public var classes: Set<String>?
  /// Nothing that took less: executions, waits, blocks, spans.
  public var minimumDuration: Nanoseconds = 0
  /// Shown whatever else is asked for.
  public var always: Set<WorkID> = []

  /// What the group of Swift's tasks is called, whose scheduler is `SchedulerID.swift`.
  public static let tasks = TaskRecord.groupTitle

  /// Everything.
  public init() {}

  /// Everything is shown.
  public var isAll: Bool {
    from == nil && to == nil && queues == nil && classes == nil && minimumDuration <= 0
  }

  /// Chooses the time around this work: from the adding of the first to the end of the last, and a tenth of that before and
  /// after. What it depended on, and what depended on it, is shown wherever it lies; so is what it submitted, and what
  /// submitted it. O(n + e).
  public mutating func select(around operations: [WorkID], in trace: Trace) {
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
    func include(_ works: [some Work]) {
      for work in works {
        if wanted.contains(work.id) {
          begin = min(begin, work.submitted?.time ?? work.began?.time ?? .max)
          end = max(end, work.over ?? trace.end)
          if let submitter = work.submitter { always.insert(submitter) }
        } else if let submitter = work.submitter, wanted.contains(submitter) {
          always.insert(work.id)
        }
      }
    }
    include(trace.blocks)
    include(trace.tasks)
    guard begin <= end else { return }
    let margin = (end - begin) / 10 + 1
    from = begin - margin
    to = end + margin
  }

  /// Chooses the time around a unit of work, with a margin of a tenth of it on both sides. O(1).
  package mutating func select(around unit: Requests.Unit) {
    always.insert(unit.work)
    let margin = unit.length / 10 + 1
    from = unit.began - margin
    to = unit.ended + margin
  }

  func contains(_ time: Nanoseconds) -> Bool { time >= from ?? .min && time <= to ?? .max }

  func contains(_ begin: Nanoseconds, _ end: Nanoseconds, isOpen: Bool) -> Bool {
    begin <= to ?? .max && end >= from ?? .min && (isOpen || end - begin >= minimumDuration)
  }

  /// Whether work is some of that which is asked for; when it ran is another question.
  func contains(workAt index: Int, in trace: Trace) -> Bool {
    guard queues != nil || classes != nil else { return true }
    guard index < trace.operations.count else { return contains(trace.work(at: index), class: nil) }
    return trace.operations.withUnsafeBufferPointer { contains($0[index], class: $0[index].className) }
  }

  private func contains(_ work: borrowing some Work, class name: String?) -> Bool {
    if let queues, work.scheduler.map({ !queues.contains($0) }) ?? true { return false }
    if let classes, !(name.map(classes.contains) ?? false), !classes.contains(work.kind) { return false }
    return true
  }

  func isAlwaysShown(workAt index: Int, in trace: Trace) -> Bool {
    !always.isEmpty && always.contains(trace.workID(at: index))
  }
}

extension OperationRecord {
  /// When it was first seen to be used.
  fileprivate var firstTime: Nanoseconds? {
    [enqueued, ready, started, executionBegan, finished].compactMap { $0?.time }.min()
  }
}

extension Timeline {
  /// Marks what is left out. Queues that are not asked for are left out as a whole, the process itself never is.
  mutating func select(_ selection: TimelineSelection, _ trace: Trace) {
    guard !selection.isAll else { return }
    func isChosen(_ work: WorkIndex, _ begin: Nanoseconds, _ end: Nanoseconds, isOpen: Bool) -> Bool {
      selection.contains(begin, end, isOpen: isOpen) && selection.contains(workAt: Int(work), in: trace)
        || selection.isAlwaysShown(workAt: Int(work), in: trace)
    }
    /// Work of which a run is drawn, if its submissions are.
    var drawn: Set<WorkIndex> = []
    for index in executions.indices where executions[index].kind == .run {
      let one = executions[index]
      if isChosen(one.work, one.begin, one.end, isOpen: one.isOpen) {
        if Int(one.work) >= trace.operations.count { drawn.insert(one.work) }
        continue
      }
      executions[index].track = Self.hidden
      counts.hidden += 1
    }
    for index in executions.indices where executions[index].kind == .submission {
      if !drawn.contains(executions[index].work) { executions[index].track = Self.hidden }
    }
    for index in waits.indices {
      let one = waits[index]
      guard !isChosen(one.work, one.begin, one.end, isOpen: one.isOpen) else { continue }
      waits[index].track = Self.hidden
      counts.hidden += 1
    }
    guard let queues = selection.queues else { return }
    for group in groups.indices.dropFirst() {
      groups[group].isShown = groups[group].scheduler.map(queues.contains) ?? false
    }
    // Those of work that is shown all the same.
    for id in selection.always {
      guard let index = trace.workIndex(of: id) else { continue }
      groups[group(of: trace.work(at: index).scheduler)].isShown = true
    }
  }
}
