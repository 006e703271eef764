import OpTraceKernel
import OpTraceModel
import OpTraceText

/// The arguments of work that is submitted to a scheduler: blocks of dispatch queues, and tasks.
extension TimelineContent {
  /// Writes the number of the work that something belongs to, under the name of its kind.
  func work(_ id: WorkID?, _ sink: inout some ArgumentSink) {
    guard let id else { return }
    let kind = trace.workIndex(of: id).map(trace.kind(ofWorkAt:)) ?? .operation
    sink.number(kind.argument, Int(id.rawValue))
  }

  func workArguments(of execution: Timeline.Execution, _ sink: inout some ArgumentSink) {
    let index = Int(execution.work)
    let work = trace.work(at: index)
    self.work(work.id, &sink)
    guard execution.kind == .run else { return queue(of: work, &sink) }
    if let run = work.run(at: execution.begin) { sink.text(.ranOn, name(of: run.thread)) }
    if let task = work as? TaskRecord {
      guard execution.begin == task.runs.first?.began else {
        resumption(of: task, at: execution.begin, &sink)
        if execution.isOpen { sink.flag(.unfinished, true) }
        return
      }
    } else {
      queue(of: work, &sink)
    }
    submission(of: work, &sink)
    if let function = work.function {
      if work.title != function.shortName { sink.text(.function, function.shortName) }
      if let location = function.lineText { sink.text(.source, location) }
      if let file = function.file { sink.text(.file, file) }
      if let line = function.line { sink.number(.line, line) }
    }
    let isTask = work is TaskRecord
    let times = timeline.counts.leavesOutTimes ? OperationTimes() : work.times(traceEnd: trace.end)
    if times.waitingForDependencies > 0 {
      sink.microseconds(isTask ? .suspended : .groupWait, times.waitingForDependencies)
    }
    if isTask, times.running > 0 { sink.microseconds(.running, times.running) }
    if times.waitingForSlot > 0 { sink.microseconds(.slotWait, times.waitingForSlot) }
    if execution.isOpen { sink.flag(.unfinished, true) }
  }

  func workArguments(of wait: Timeline.Wait, _ sink: inout some ArgumentSink) {
    let work = trace.work(at: Int(wait.work))
    self.work(work.id, &sink)
    // If the work ran, its run has the rest.
    if work.began == nil { submission(of: work, &sink) }
    if let suspension = suspension(of: wait) {
      if wait.kind == .slot || wait.isForActor {
        resumer(of: suspension, work.id, &sink)
      } else {
        arguments(of: suspension, &sink)
      }
    }
    if wait.isOpen { sink.flag(.unfinished, true) }
  }

  private func queue(of work: some Work, _ sink: inout some ArgumentSink) {
    if let group = work.scheduler.flatMap({ timeline.groupOfScheduler[$0] }) {
      sink.text(.queue, timeline.groups[group].name)
    }
  }

  /// Writes what it waited for, and where.
  private func arguments(of suspension: TaskRecord.Suspension, _ sink: inout some ArgumentSink) {
    if let awaited = suspension.awaited {
      sink.text(.waitsFor, trace.workIndex(of: awaited).map { named($0, awaited) } ?? awaited.description)
    }
    stackArguments(suspension.at, &sink)
  }

  /// Writes who resumed the task, for a run that is not the first.
  private func resumption(of task: TaskRecord, at time: Nanoseconds, _ sink: inout some ArgumentSink) {
    var (low, high) = (0, task.suspensions.count)
    while low < high {
      let middle = (low + high) / 2
      if task.suspensions[middle].from.time <= time { low = middle + 1 } else { high = middle }
    }
    if low > 0 { resumer(of: task.suspensions[low - 1], task.id, &sink) }
  }

  /// Writes who resumed the task. A task that goes to an actor by itself was resumed by nobody.
  private func resumer(
    of suspension: TaskRecord.Suspension, _ task: WorkID, _ sink: inout some ArgumentSink
  ) {
    if suspension.actor != nil, suspension.reason == .executor, suspension.resumer ?? task == task { return }
    if let resumer = suspension.resumer {
      sink.text(.resumedBy, trace.workIndex(of: resumer).map { named($0, resumer) } ?? resumer.description)
    } else if let thread = suspension.letGoOn?.thread {
      sink.text(.resumedBy, name(of: thread))
    }
  }

  private func named(_ index: Int, _ id: WorkID) -> String { "\(name(ofWork: Timeline.WorkIndex(index))) \(id)" }

  private func submission(of work: some Work, _ sink: inout some ArgumentSink) {
    if let id = work.submitter {
      let submitter = trace.workIndex(of: id).map { "\(name(ofWork: Timeline.WorkIndex($0))) \(id)" }
      sink.text(.submittedBy, submitter ?? id.description)
    } else if let thread = work.submitted?.thread {
      sink.text(.submittedBy, name(of: thread))
    }
    if let location = stackWords.of(work.submittedAt, in: trace.stacks)?.text { sink.text(.submittedIn, location) }
    if let task = work as? TaskRecord {
      if let way = task.way.words { sink.text(.way, way) }
      if task.priority != 0 { sink.text(.priority, task.priorityText) }
      if let cancelled = task.cancelRequested { sink.microseconds(.cancelRequested, cancelled - place.origin) }
    }
    guard let block = work as? BlockRecord else { return }
    if let way = block.way.words(isInGroup: block.isInGroup) { sink.text(.way, way) }
    if block.isItem { sink.flag(.item, true) }
    if let cancelled = block.cancelRequested { sink.microseconds(.cancelRequested, cancelled - place.origin) }
    if let state = block.end.words { sink.text(.state, state) }
  }
}

extension WorkKind {
  /// The name of the argument that holds its number.
  var argument: ArgumentName {
    switch self {
    case .operation: .operation
    case .block: .block
    case .task: .task
    }
  }
}
