import OpTraceKernel
package import OpTraceModel
import OpTraceText

/// The categories by which viewers filter slices and instants.
enum TimelineCategory: Int, CaseIterable {
  case operation, wait, block, span, threadWait, loss, finding, mark, start, dispatch, run, submission,
    task, suspension

  var text: StaticString {
    switch self {
    case .operation: "operation"
    case .wait: "wait"
    case .block: "block"
    case .span: "span"
    case .threadWait: "thread wait"
    case .loss: "loss"
    case .finding: "finding"
    case .mark: "mark"
    case .start: "start"
    case .dispatch: "dispatch"
    case .run: "run"
    case .submission: "submission"
    case .task: "task"
    case .suspension: "suspension"
    }
  }
}

/// The texts in the picture.
extension TimelineContent {
  func groupName(_ index: Int) -> String {
    guard let program = place.program else { return ownName(ofGroup: index) }
    guard case .process = timeline.groups[index].owner else { return "\(program) · \(ownName(ofGroup: index))" }
    return ownName(ofGroup: index) + place.mark
  }

  private func ownName(ofGroup index: Int) -> String {
    let group = timeline.groups[index]
    switch group.owner {
    case .queue(let queue): return titles.phrase(of: queue)
    case .dispatchQueue(let queue): return titles.phrase(of: queue)
    case .nobody, .tasks: return group.name
    case .process:
      return trace.header.processID > 0 ? "\(group.name) (pid \(trace.header.processID))" : group.name
    }
  }

  /// Returns the same as `shownName`, without a copy of the record.
  func name(ofWork index: Timeline.WorkIndex) -> String {
    let index = Int(index)
    guard case .operation(let row) = trace.row(ofWorkAt: index) else { return trace.work(at: index).title }
    return trace.operations.withUnsafeBufferPointer { operations in
      if let name = operations[row].name, !name.isEmpty { return name }
      return operations[row].function?.shortName ?? operations[row].className
    }
  }

  func describe(_ execution: Timeline.Execution) -> (category: TimelineCategory, name: String) {
    let name = name(ofWork: execution.work)
    let kind = trace.kind(ofWorkAt: Int(execution.work))
    if execution.kind == .submission { return (.submission, (kind == .task ? "creates " : "submits ") + name) }
    switch kind {
    case .operation: return (.operation, name)
    case .block: return (.dispatch, name)
    case .task: return (.task, name)
    }
  }

  /// Returns the texts of a wait. On lanes of waits, the name says what waits; on a task's own row, what it waits for.
  func describe(_ wait: Timeline.Wait) -> (category: TimelineCategory, name: String) {
    guard wait.group == timeline.tasksGroup else { return (.wait, name(ofWork: wait.work)) }
    if wait.kind == .slot { return (.wait, "waits for its turn") }
    if wait.isForActor, let actor = actor(of: wait) { return (.suspension, actor.words) }
    return (.suspension, suspension(of: wait).map { $0.words(in: trace) } ?? TaskRecord.wordsBeforeItsFirstRun)
  }

  /// Returns the actor that a task waits for. Nil: not known.
  private func actor(of wait: Timeline.Wait) -> TaskRecord.WaitedActor? {
    if let suspension = suspension(of: wait) { return suspension.actor }
    return trace.taskRow(ofWorkAt: Int(wait.work)).flatMap { trace.tasks[$0].actor }
  }

  /// Returns the suspension in which a task waits. Nil: it waits for its first run.
  func suspension(of wait: Timeline.Wait) -> TaskRecord.Suspension? {
    guard wait.suspension >= 0, let row = trace.taskRow(ofWorkAt: Int(wait.work)) else { return nil }
    return trace.tasks.withUnsafeBufferPointer { tasks in
      let suspensions = tasks[row].suspensions
      return suspensions.indices.contains(Int(wait.suspension)) ? suspensions[Int(wait.suspension)] : nil
    }
  }

  func describe(_ detail: Timeline.Detail) -> (category: TimelineCategory, name: String) {
    switch detail.kind {
    case .start(let operation): (.start, "\(name(ofWork: operation)) · start()")
    case .block(let operation, let block):
      (.block, "\(name(ofWork: operation)) · block \(Int(block.index) + 1)")
    case .completion(let operation): (.block, "\(name(ofWork: operation)) · completion block")
    case .run(let work): (.run, name(ofWork: work))
    case .span(let index): (.span, trace.spans[index].name)
    case .wait(let index): (.threadWait, "waits for " + timeline.name(of: trace.waits[index].target, in: trace))
    case .gap(let index): (.loss, "\(trace.loss.gaps[index].count) records lost")
    }
  }
}

extension Timeline {
  /// Returns the name of what is waited for. O(log n).
  package func name(of target: WaitRecord.Target, in trace: Trace) -> String {
    switch target {
    case .operation(let id): "operation " + (trace.operation(id)?.shownName ?? id.description)
    case .queue(let id): trace.queue(id)?.phrase ?? id.description
    case .object(let id): trace.object(id)?.title ?? id.description
    }
  }
}

extension CounterValues.Kind {
  /// The name. Viewers show it together with the unit: "executing operations".
  var name: StaticString {
    switch self {
    case .executing: "executing"
    case .ready: "ready"
    case .limit: "limit"
    case .resident: "resident"
    case .anonymous: "anonymous"
    case .live: "live"
    }
  }

  /// The category by which viewers filter it.
  var category: StaticString { isOfMemory ? "memory" : "queue" }

  var isOfMemory: Bool { Self.ofMemory.contains(self) }

  func unit(of kind: WorkKind) -> StaticString {
    switch self {
    case .executing, .ready: kind.unit
    case .limit: "slots"
    case .resident, .anonymous, .live: "bytes"
    }
  }
}

extension OperationRecord {
  /// The name, which is never empty if the class has a name: viewers would show "[No name]" instead.
  var shownName: String { title.isEmpty ? className : title }
}
