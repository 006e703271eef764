import OpTraceFormat

/// Rules of threads, queues and waits.
extension TraceValidator {
  mutating func enter(_ frame: Frame, _ event: TraceEvent) { stacks.enter(frame, on: event.thread.rawValue) }

  mutating func leave(_ frame: Frame, _ event: TraceEvent, _ index: Int, _ life: Life) {
    let thread = event.thread.rawValue
    switch stacks.leave(frame, on: thread) {
    case .nowhere: break
    case .onOther(let other):
      // The code of an asynchronous operation may continue on another thread.
      guard isWhole, !life.isAsynchronous else { return }
      report(.nesting, event, index, "`\(name(event))` on thread t\(thread) of what began on thread t\(other)")
    case .left(let above):
      let inner = above.last { !(rows[$0.operation].map { lives[$0].isAsynchronous } ?? true) }
      guard let inner, inner.operation != frame.operation, isWhole else { return }
      report(
        .nesting, event, index, "`\(name(event))` while code of #\(inner.operation) still runs above it on the thread")
    }
  }

  func name(_ event: TraceEvent) -> String { EventSpec.of(raw: event.kind)?.name ?? "?" }

  mutating func checkQueue(_ kind: EventKind, _ event: TraceEvent, _ index: Int) {
    let id = event.subject
    guard id != 0 else { return report(.valueOutOfRange, event, index, "queue q0 does not exist") }
    if kind == .queueCreated {
      if queues[id]?.isDefined == true, isWhole { report(.definedTwice, event, index, "queue q\(id) is created twice") }
      queues[id, default: QueueState()].isDefined = true
      queues[id]?.limit = Int64(EventFields.QueueCreated(event.word1).limit)
      return
    }
    if isWhole, !facts.queues.contains(id) {
      report(.undefinedQueue, event, index, "`\(kind.spec.name)` of queue q\(id), which is not defined")
    }
    switch kind {
    case .limitChanged:
      let limit = EventFields.LimitChanged(event.word1).value
      if let known = queues[id]?.limit, known >= 0, limit < 0 || limit > known { queues[id]?.limit = limit }
    case .queueWaitBegan, .queueWaitEnded: checkWait(kind, event, index, nil)
    default: break
    }
  }

  /// - Parameter life: of the operation that is waited for; nil: the wait is for a queue.
  mutating func checkWait(_ kind: EventKind, _ event: TraceEvent, _ index: Int, _ life: Life?) {
    let wait = Wait(thread: event.thread.rawValue, target: event.subject, isQueue: life == nil)
    if kind == .waitBegan || kind == .queueWaitBegan {
      openWaits[wait, default: 0] += 1
      return
    }
    let open = openWaits[wait] ?? 0
    openWaits[wait] = open > 1 ? open - 1 : nil
    guard isWhole else { return }
    if open == 0 {
      report(.unmatchedEnd, event, index, "a wait ends on thread t\(wait.thread) that did not begin there")
    } else if let life, life.coverage == .full,
      // A waiter may continue as soon as `isFinished` is true, before the operation announces it.
      min(finishTimes[event.subject] ?? .max, finishSeenTimes[event.subject] ?? .max)
        > event.time &+ TraceBuilder.tolerance
    {
      report(.waitEndedEarly, event, index, "the wait for it ends before it is finished")
    }
  }

  mutating func checkBlocking(_ kind: EventKind, _ event: TraceEvent, _ index: Int, _ life: Life?) {
    // An operation that was seen in part may have started before.
    let isSeen = life.map(isFullySeen) ?? false
    let problem = blocking.check(kind, event, index) {
      if submissions.isKnown(event.subject) || tasks.isKnown(event.subject) { return true }
      return !isSeen || (life?.starts ?? 0) > 0
    }
    if let problem, isWhole { report(problem.rule, event, index, problem.text) }
  }
}
