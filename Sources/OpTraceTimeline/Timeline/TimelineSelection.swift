import OpTraceKernel
public import OpTraceModel
import OpTraceText

/// The part of a trace that a timeline shows. Counters of queues that are shown always count everything.
///
/// Whatever reaches into the selected time is shown in full, so that no duration is wrong. What was not over when the
/// trace ended counts as long enough.
public struct TimelineSelection: Sendable {
  /// The start of the time that is shown, in nanoseconds since the recorder's start. Nil: from the beginning.
  public var from: Nanoseconds?
  /// Its end, in the same unit. Nil: to the end.
  public var to: Nanoseconds?
  /// If set, only work of these queues is shown, and what went on inside it.
  public var queues: Set<SchedulerID>?
  /// If set, only work of these classes or functions is shown, and what went on inside it.
  public var classes: Set<String>?
  /// Leaves out anything shorter: executions, waits, blocks, spans.
  public var minimumDuration: Nanoseconds = 0
  /// Work that is shown whatever else is selected.
  public var always: Set<WorkID> = []

  /// The title of the group of Swift tasks, whose scheduler is `SchedulerID.swift`.
  public static let tasks = TaskRecord.groupTitle

  /// Selects everything.
  public init() {}

  /// Whether everything is shown.
  public var isAll: Bool {
    from == nil && to == nil && queues == nil && classes == nil && minimumDuration <= 0
  }

  /// Selects the time around this work: from the adding of the first to the end of the last, plus a tenth of that
  /// before and after. What it depended on and what depended on it is shown wherever it lies, as is what it submitted
  /// and what submitted it. O(n + e).
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

  /// Selects the time around a part of a piece of work, with a margin of a tenth of its length on both sides. O(1).
  package mutating func select(around work: WorkID, from began: Nanoseconds, to ended: Nanoseconds) {
    always.insert(work)
    let margin = max(0, ended - began) / 10 + 1
    from = began - margin
    to = ended + margin
  }

  func contains(_ time: Nanoseconds) -> Bool { time >= from ?? .min && time <= to ?? .max }

  func contains(_ begin: Nanoseconds, _ end: Nanoseconds, isOpen: Bool) -> Bool {
    begin <= to ?? .max && end >= from ?? .min && (isOpen || end - begin >= minimumDuration)
  }

  /// Whether the selection asks for this work. When it ran is checked elsewhere.
  func contains(workAt index: Int, in trace: Trace) -> Bool {
    guard queues != nil || classes != nil else { return true }
    guard case .operation(let row) = trace.row(ofWorkAt: index) else {
      return contains(trace.work(at: index), class: nil)
    }
    return trace.operations.withUnsafeBufferPointer { contains($0[row], class: $0[row].className) }
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
  /// When it was first seen.
  fileprivate var firstTime: Nanoseconds? {
    [enqueued, ready, started, executionBegan, finished].compactMap { $0?.time }.min()
  }
}

extension Timeline {
  /// Marks what is left out. Queues that are not selected are left out as a whole; the process itself never is.
  mutating func select(_ selection: TimelineSelection, _ trace: Trace) {
    guard !selection.isAll else { return }
    func isChosen(_ work: WorkIndex, _ begin: Nanoseconds, _ end: Nanoseconds, isOpen: Bool) -> Bool {
      selection.contains(begin, end, isOpen: isOpen) && selection.contains(workAt: Int(work), in: trace)
        || selection.isAlwaysShown(workAt: Int(work), in: trace)
    }
    /// The work with a run that is drawn; the submissions of such work are drawn too.
    var drawn: Set<WorkIndex> = []
    for index in executions.indices where executions[index].kind == .run {
      let one = executions[index]
      if isChosen(one.work, one.begin, one.end, isOpen: one.isOpen) {
        if trace.kind(ofWorkAt: Int(one.work)) != .operation { drawn.insert(one.work) }
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
    // The queues of work that is shown anyway.
    for id in selection.always {
      guard let index = trace.workIndex(of: id) else { continue }
      groups[group(of: trace.work(at: index).scheduler)].isShown = true
    }
  }
}
