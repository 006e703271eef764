import OpTraceModel

/// The steps of the critical path that blocks and tasks take, and those that operations take because of them.
struct SubmittedPaths {
  private let trace: Trace
  private let ofOperations: SubmittedWork
  /// The work whose code ran on each thread.
  let runs: ThreadRuns
  private let turns: QueueTurns
  /// For each work the blocks that it called `sync` for, as indexes in `trace.blocks`, in the order of their ends.
  private let syncs: [WorkID: [Int]]

  /// O(n log n) for n pieces of work.
  init(_ trace: Trace) {
    self.trace = trace
    ofOperations = SubmittedWork(trace)
    runs = ThreadRuns(trace)
    turns = QueueTurns(trace)
    var ends: [WorkID: [(index: Int, time: Nanoseconds)]] = [:]
    for (index, block) in trace.blocks.enumerated() where block.way == .sync {
      if let submitter = block.submitter, let ended = block.ended {
        ends[submitter, default: []].append((index, ended))
      }
    }
    syncs = ends.mapValues { $0.sorted { ($0.time, $0.index) < ($1.time, $1.index) }.map(\.index) }
  }

  private func end(ofBlock index: Int) -> Nanoseconds { trace.blocks[index].ended ?? .max }

  /// The step that ends at this point of a block's or a task's life; nil: the trace has no such work.
  func step(to point: PathWalker.Point) -> PathWalker.Found? {
    if let block = trace.block(point.work) { return step(of: block, until: point.until) }
    return trace.task(point.work).map { step(of: $0, until: point.until) }
  }

  /// The last step of an operation that was finished by work it submitted, that waits for such work, or that follows a
  /// block for which it called `sync`. Nil: the operation itself decided when it ended.
  func insideOperation(at index: Int, until: Nanoseconds) -> PathWalker.Found? {
    let operation = trace.operations[index]
    guard let ran = operation.began?.time else { return nil }
    if let finished = operation.finished, finished.time <= until {
      if let by = runs.innermost(at: finished), by != operation.id, comes(by, of: operation.id) {
        return (pause(operation.id, .signal(by), from: until, to: until), (by, finished.time))
      }
    } else if operation.finished == nil, until >= trace.end, operation.isAsynchronous,
      let open = latestOpen(of: operation.id)
    {
      return (pause(operation.id, .dependency(open), from: until, to: until), (open, until))
    }
    return sync(of: operation.id, from: ran, to: until)
  }

  private func comes(_ work: WorkID, of operation: OperationID) -> Bool {
    var at: WorkID? = work
    // Submitters in a damaged trace may form a cycle.
    var hops = trace.blocks.count + trace.tasks.count + 1
    while let here = at, hops > 0 {
      if here == operation { return true }
      at = trace.block(here)?.submitter ?? trace.task(here)?.submitter
      hops -= 1
    }
    return false
  }

  /// Of the operation's unfinished submissions, the running one that began last; else the one that has waited longest.
  private func latestOpen(of operation: OperationID) -> WorkID? {
    let open = ofOperations[operation]?.open ?? []
    func began(_ id: WorkID) -> Nanoseconds? { (trace.block(id)?.began ?? trace.task(id)?.began)?.time }
    return open.max { (began($0) ?? .min, $1) < (began($1) ?? .min, $0) }
  }

  /// What ran from `from` to `to` after the last block that the work called `sync` for in this time; nil: it called for
  /// none.
  private func sync(of work: WorkID, from: Nanoseconds, to: Nanoseconds) -> PathWalker.Found? {
    guard let blocks = syncs[work] else { return nil }
    var (low, high) = (0, blocks.count)
    while low < high {
      let middle = (low + high) / 2
      if end(ofBlock: blocks[middle]) <= to { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let block = trace.blocks[blocks[low - 1]]
    guard let ended = block.ended, ended > from else { return nil }
    var step = pause(work, .dependency(block.id), from: ended, to: to)
    step.running = step.duration
    return (step, (block.id, ended))
  }

  private func step(of block: BlockRecord, until: Nanoseconds) -> PathWalker.Found {
    let ran = block.began?.time
    if let ran, let found = sync(of: block.id, from: ran, to: until) { return found }
    let begin = block.submitted?.time ?? min(ran ?? until, until)
    let end = max(until, begin)
    let over = min(max(ran ?? end, begin), end)
    let runnable = min(max(block.runnable ?? over, begin), over)
    var step = pause(block.id, .start, from: begin, to: end)
    step.running = end - over
    var before: PathWalker.Point?
    if let index = turns.opening(for: block, after: begin, upTo: over, in: trace) {
      let opener = trace.blocks[index]
      step.began = opener.ended ?? begin
      step.cause = .slot(opener.id)
      before = (opener.id, step.began)
    } else if let submitter = block.submitter, block.submitted != nil {
      step.cause = .submission(submitter)
      before = (submitter, begin)
    }
    step.waitingForDependencies = max(0, runnable - step.began)
    step.waitingForSlot = over - max(step.began, runnable)
    return (step, before)
  }

  /// Goes back over the task's runs as long as only the task itself took time.
  private func step(of task: TaskRecord, until: Nanoseconds) -> PathWalker.Found {
    var step = pause(task.id, .start, from: until, to: until)
    var at = until
    // The task is suspended at the point itself: it is the trace's end, or other work was done for the task.
    if let last = lastPlace(task.suspensions, where: { $0.from.time < at }), task.suspensions[last].to ?? .max > at,
      let before = resume(of: task, after: last, upTo: at, &step, &at)
    {
      return (step, before)
    }
    var run = lastPlace(task.runs) { $0.began <= at }
    while let here = run {
      let began = task.runs[here].began
      if let found = sync(of: task.id, from: began, to: at) {
        step.running += at - found.step.began
        (step.began, step.cause) = (found.step.began, found.step.cause)
        return (step, found.before)
      }
      step.running += at - began
      (at, step.began) = (began, began)
      guard here > 0, let last = lastPlace(task.suspensions, where: { $0.to ?? .max <= began }) else { break }
      if let before = resume(of: task, after: last, upTo: at, &step, &at) { return (step, before) }
      run = here - 1
    }
    return first(of: task, upTo: at, step)
  }

  /// Adds a suspension to the step: all of it, or the part after the event that ended it, which is then the next point.
  private func resume(
    of task: TaskRecord, after index: Int, upTo to: Nanoseconds, _ step: inout CriticalPath.Step,
    _ at: inout Nanoseconds
  ) -> PathWalker.Point? {
    let suspension = task.suspensions[index]
    let from = min(suspension.from.time, to)
    // If waits for actors are not recorded, nothing else delays a task that switches to an actor.
    let enqueued = (suspension.enqueued ?? suspension.resumed)?.time ?? (suspension.reason == .executor ? from : to)
    let ready = min(max(enqueued, from), to)
    func isInside(_ time: Nanoseconds) -> Bool { time > from && time <= to }
    var before: PathWalker.Point?
    var began = from
    if let awaited = suspension.awaited, let over = trace.task(awaited)?.completed, isInside(over) {
      (step.cause, before, began) = (.dependency(awaited), (awaited, over), over)
    } else if let by = suspension.resumer, by != task.id,
      let enqueued = (suspension.enqueued ?? suspension.resumed)?.time,
      isInside(enqueued)
    {
      let isChild = trace.task(by)?.parent == task.id
      (step.cause, before, began) = (isChild ? .dependency(by) : .signal(by), (by, enqueued), enqueued)
    }
    step.waitingForDependencies += max(0, ready - began)
    step.waitingForSlot += to - max(began, ready)
    (step.began, at) = (began, began)
    return before
  }

  /// What came before a task's first run.
  private func first(of task: TaskRecord, upTo to: Nanoseconds, _ step: CriticalPath.Step) -> PathWalker.Found {
    var step = step
    guard let submitted = task.submitted?.time, submitted <= to else { return (step, nil) }
    let ready = min(max(task.enqueued?.time ?? submitted, submitted), to)
    step.waitingForDependencies += ready - submitted
    step.waitingForSlot += to - ready
    step.began = submitted
    guard let submitter = task.submitter else { return (step, nil) }
    step.cause = .submission(submitter)
    return (step, (submitter, submitted))
  }

  private func pause(
    _ work: WorkID, _ cause: CriticalPath.Cause, from: Nanoseconds, to: Nanoseconds
  ) -> CriticalPath.Step {
    CriticalPath.Step(
      work: work, cause: cause, began: from, ended: max(from, to), waitingForDependencies: 0, waitingForSlot: 0,
      running: 0)
  }
}

/// The index of the last element that fits, of elements in the order of time; nil: none does. O(log n).
private func lastPlace<Element>(_ all: [Element], where fits: (Element) -> Bool) -> Int? {
  var (low, high) = (0, all.count)
  while low < high {
    let middle = (low + high) / 2
    if fits(all[middle]) { low = middle + 1 } else { high = middle }
  }
  return low > 0 ? low - 1 : nil
}
