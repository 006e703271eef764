import OpTraceModel

/// Walks back, step by step, through what work waited for.
struct PathWalker {
  /// Work, and the time up to which the path follows it: its end, or where it started the next work of the path.
  typealias Point = (work: WorkID, until: Nanoseconds)
  typealias Found = (step: CriticalPath.Step, before: Point?)

  let trace: Trace
  /// Where the wall time begins. The tasks that created the first operation may be older; that time does not count.
  private let floor: Nanoseconds
  private let members: QueueMembers
  private var releases: [QueueID: SlotReleases] = [:]
  private let threadWaits: ThreadWaits?
  /// Of queues that the path met, where ``threadWaits`` are not there. Nil in it: nothing is claimed of the queue.
  private var freeSlots: [QueueID: FreeSlots?] = [:]
  /// Nil if there are only operations.
  let submitted: SubmittedPaths?

  init(_ trace: Trace, _ threadWaits: ThreadWaits?) {
    self.trace = trace
    self.threadWaits = threadWaits
    members = QueueMembers(trace)
    floor = trace.activity?.lowerBound ?? .min
    submitted = trace.blocks.isEmpty && trace.tasks.isEmpty ? nil : SubmittedPaths(trace)
  }

  /// Walks back from this point. The steps are in the order of time.
  mutating func walk(back last: Point) -> [CriticalPath.Step] {
    struct Visit: Hashable {
      var work: WorkID
      var until: Nanoseconds
    }
    var steps: [CriticalPath.Step] = []
    // Work without a duration may name each other as causes, so let each be on the path only once.
    var visited: Set<Visit> = [Visit(work: last.work, until: last.until)]
    var point: Point? = last
    while let here = point, let found = step(to: here) {
      var (step, before) = found
      if let next = before, !visited.insert(Visit(work: next.work, until: next.until)).inserted {
        step.cause = .start
        before = nil
      }
      if submitted != nil, step.began < floor || before?.until ?? .max <= floor {
        step.cutFront(at: floor)
        step.cause = .start
        before = nil
      }
      steps.append(step)
      point = before
    }
    // Work that is missing from the trace cannot be a cause.
    if point != nil, !steps.isEmpty { steps[steps.count - 1].cause = .start }
    // A step begins where the one before ended, even if the stamps of two threads disagree a little.
    for number in steps.indices.dropFirst() { steps[number].cut(at: steps[number - 1].began) }
    return steps.reversed()
  }

  private mutating func step(to point: Point) -> Found? {
    if let index = trace.index(of: point.work) {
      return submitted?.insideOperation(at: index, until: point.until) ?? operation(at: index, until: point.until)
    }
    return submitted?.step(to: point)
  }

  private mutating func operation(at index: Int, until: Nanoseconds) -> Found {
    let operation = trace.operations[index]
    let begin = operation.begin ?? operation.finished?.time ?? trace.end
    let end = max(until, begin)
    let ran = (operation.executionBegan ?? (operation.finished == nil ? operation.started : nil))?.time
    // When its own code began; if it never ran, when it ended.
    let over = min(max(ran ?? end, begin), end)

    var runnable = min(max(operation.runnable ?? over, begin), over)
    let dependency = lastDependency(of: operation, from: begin, to: over)
    if let dependency { runnable = max(runnable, dependency.finished) }

    var cause = CriticalPath.Cause.start
    var before: Point?
    var began = begin
    if let opening = opening(for: index, from: dependency?.finished ?? begin, runnable: runnable, upTo: over) {
      let opener = trace.operations[opening.index]
      (cause, before, began) = (.slot(opener.id), (opener.id, opener.finished?.time ?? opening.time), opening.time)
    } else if let dependency {
      (cause, before, began) = (.dependency(dependency.on), (dependency.on, dependency.finished), dependency.finished)
    } else if let enqueued = operation.enqueued, let by = submitted?.runs.innermost(at: enqueued), by != operation.id {
      (cause, before, began) = (.submission(by), (by, enqueued.time), min(enqueued.time, over))
    }
    let since = max(began, runnable)
    let forThread = operation.isOutcomeKnown ? waitForThread(of: operation, from: since, to: over) : 0
    let step = CriticalPath.Step(
      work: operation.id, cause: cause, began: began, ended: end, waitingForDependencies: max(0, runnable - began),
      waitingForSlot: over - since - forThread, waitingForThread: forThread, running: end - over)
    return (step, before)
  }

  private mutating func waitForThread(
    of operation: OperationRecord, from: Nanoseconds, to: Nanoseconds
  ) -> Nanoseconds {
    guard from < to, let queue = operation.queue, operation.enqueued != nil else { return 0 }
    if let threadWaits {
      return threadWaits.freeSlots(of: queue)?.freeTime(for: operation, from: from, to: to) ?? 0
    }
    if freeSlots[queue] == nil {
      let isKnown = FreeSlots.areKnown(in: trace)
      freeSlots[queue] = .some(isKnown ? FreeSlots(members[queue], of: trace, queue: trace.queue(queue)) : nil)
    }
    return freeSlots[queue]??.freeTime(for: operation, from: from, to: to) ?? 0
  }

  /// The dependency that finished last while the operation waited. One that finished before `from` delayed nothing.
  private func lastDependency(
    of operation: OperationRecord, from: Nanoseconds, to: Nanoseconds
  ) -> (on: WorkID, finished: Nanoseconds)? {
    var last: (index: Int, finished: Nanoseconds)?
    for dependency in operation.dependencies where dependency.isInForce(for: operation) {
      guard let index = trace.index(of: dependency.on),
        let finished = trace.operations[index].finished?.time, finished >= from, finished <= to
      else { continue }
      if let known = last, (known.finished, -known.index) >= (finished, -index) { continue }
      last = (index, finished)
    }
    return last.map { (trace.operations[$0.index].id, $0.finished) }
  }

  private mutating func opening(
    for index: Int, from: Nanoseconds, runnable: Nanoseconds, upTo: Nanoseconds
  ) -> (index: Int, time: Nanoseconds)? {
    guard let queue = trace.operations[index].queue, from < upTo else { return nil }
    if releases[queue] == nil {
      releases[queue] = SlotReleases(members[queue], of: trace, queue: trace.queue(queue))
    }
    return releases[queue]?.opening(for: index, in: trace, from: from, runnable: runnable, upTo: upTo)
  }
}

extension CriticalPath.Step {
  /// Removes what is after `time`, beginning with the last of the three times.
  fileprivate mutating func cut(at time: Nanoseconds) {
    var excess = max(0, ended - max(time, began))
    ended -= excess
    for part in [\Self.running, \.waitingForThread, \.waitingForSlot, \.waitingForDependencies] {
      let taken = min(excess, self[keyPath: part])
      self[keyPath: part] -= taken
      excess -= taken
    }
  }

  /// Removes what is before `time`, beginning with the first of the three times.
  fileprivate mutating func cutFront(at time: Nanoseconds) {
    var excess = max(0, min(time, ended) - began)
    began += excess
    for part in [\Self.waitingForDependencies, \.waitingForSlot, \.waitingForThread, \.running] {
      let taken = min(excess, self[keyPath: part])
      self[keyPath: part] -= taken
      excess -= taken
    }
  }
}
