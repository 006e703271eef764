import OpTraceFormat

/// Handles events of queues, waits and threads.
extension TraceBuilder {
  mutating func queueEvent(_ kind: EventKind, _ id: UInt32, _ at: Stamp, _ word: UInt64, _ index: Int) {
    let row = queue(id)
    func change(_ kind: QueueRecord.ChangeKind) {
      trace.queues[row].changes.append(.init(time: at.time, thread: at.thread, kind: kind))
    }
    switch kind {
    case .queueCreated:
      let fields = EventFields.QueueCreated(events[index])
      trace.queues[row].name = text(index)
      trace.queues[row].initialLimit = Int(fields.limit)
      trace.queues[row].quality = Quality(rawValue: fields.qos) ?? .default
      trace.queues[row].isMain = fields.main
      trace.queues[row].initiallySuspended = fields.suspended
      trace.queues[row].created = at.time
    case .queueRenamed: trace.queues[row].name = text(index)
    case .queueSuspended: change(.suspended)
    case .queueResumed: change(.resumed)
    case .limitChanged: change(.limit(Int(clamping: EventFields.LimitChanged(word).value)))
    case .queueQualityChanged:
      let quality = UInt8(clamping: EventFields.QueueQualityChanged(word).value)
      trace.queues[row].quality = Quality(rawValue: quality) ?? .default
    case .queueMainChanged: trace.queues[row].isMain = EventFields.QueueMainChanged(word).value != 0
    case .queueCancelledAll: change(.cancelledAll)
    case .queueReleased: trace.queues[row].released = at.time
    case .queueWaitBegan: beginWait(.queue(QueueID(id)), at)
    case .queueWaitEnded: endWait(.queue(QueueID(id)), at)
    default: break
    }
  }

  mutating func queue(_ id: UInt32) -> Int {
    if let row = queueIndexes[id] { return row }
    queueIndexes[id] = trace.queues.count
    trace.queues.append(QueueRecord(id: QueueID(id), name: Self.unknownName, initialLimit: -1))
    return trace.queues.count - 1
  }

  mutating func beginWait(_ target: WaitRecord.Target, _ at: Stamp) {
    let key = OpenWait(thread: at.thread.rawValue, target: target)
    // A thread does not wait twice for the same thing, so the end of the wait before is missing (a ring may overwrite
    // it).
    for index in openWaits[key] ?? [] { trace.waits[index].ended = at.time }
    openWaits[key] = [trace.waits.count]
    let inside = executing(on: at.thread).map { id(of: $0) }
    trace.waits.append(WaitRecord(target: target, thread: at.thread, inside: inside, began: at.time))
  }

  mutating func endWait(_ target: WaitRecord.Target, _ at: Stamp) {
    guard let index = openWaits[OpenWait(thread: at.thread.rawValue, target: target)]?.popLast() else { return }
    trace.waits[index].ended = at.time
    lastWaits[at.thread.rawValue] = index
  }

  /// The wait that a record of another thread refers to.
  func openWait(_ fields: EventFields.WaitLasts) -> Int? {
    let target = fields.isQueue ? WaitRecord.Target.queue(QueueID(fields.on)) : .operation(OperationID(fields.on))
    return openWaits[OpenWait(thread: fields.thread, target: target)]?.last
  }

  mutating func otherEvent(
    _ kind: EventKind, _ subject: UInt32, _ at: Stamp, _ word: UInt64, _ index: Int, before: Nanoseconds?
  ) {
    switch kind {
    case .threadNamed:
      let systemID = EventFields.ThreadNamed(word).tid
      threads.name(
        ThreadRecord(
          id: ThreadID(subject), systemID: systemID, name: text(index), isMain: systemID == trace.header.processID))
    case .spanEnded:
      guard let span = openSpans.removeValue(forKey: subject) else { return }
      trace.spans[span].ended = at
    case .spanContext, .spanAttribute, .spanStatus, .spanLink, .spanNamed:
      guard let span = openSpans[subject], trace.spans.indices.contains(span) else { return }
      trace.spans[span].add(kind, events[index])
    case .lost:
      guard let reason = LossReason(rawValue: subject) else { return }
      trace.loss.gaps.append(
        .init(
          thread: at.thread, from: before ?? at.time, to: at.time, count: EventFields.Lost(word).count, reason: reason))
    case .threadSeen:
      let fields = EventFields.ThreadSeen(events[index])
      snapshots.seen(subject, fields, owner: fields.owner, at.time)
    case .looked: snapshots.ended(EventFields.Looked(word), at.time)
    case .lookedAgain: snapshots.ended(EventFields.LookedAgain(word), at.time)
    case .waitLasts:
      let fields = EventFields.WaitLasts(events[index])
      if let wait = openWait(fields) { trace.waits[wait].at = FrameID(fields.at) }
    case .sampled, .sampledInKernel: samples.add(kind, subject, word, at.time)
    case .sampling: samples.add(EventFields.Sampling(events[index]), at.time)
    case .allocated: memory.add(EventFields.Allocated(events[index]), at: subject, at.time)
    case .allocationLives:
      let fields = EventFields.AllocationLives(events[index])
      memory.lives(fields, at: subject, type: events.strings[UInt32(fields.class)], at.time)
    case .freed:
      let fields = EventFields.Freed(word)
      memory.freed(subject, fields, type: events.strings[UInt32(fields.class)], at.time)
    case .resized: memory.resized(subject, EventFields.Resized(word), at.time)
    case .allocationClass: memory.typed(subject, events.strings[UInt32(EventFields.AllocationClass(word).class)])
    case .memoryUse: memory.add(EventFields.MemoryUse(events[index]), at.time)
    case .machine: trace.machine.append(MachineReading(EventFields.Machine(events[index]), at.time))
    case .outside: trace.note(EventFields.Outside(word), text(index), at: at.time)
    case .onlyBy: trace.note(EventFields.OnlyBy(events[index]))
    case .order: orders.add(EventFields.Order(events[index]))
    case .threadBegun: orders.add(EventFields.ThreadBegun(events[index]), subject, at)
    case .orders: orders.add(EventFields.Orders(events[index]))
    case .loopTurn: loops.add(subject, EventFields.LoopTurn(word), at.time)
    case .loopTurns: loops.add(subject, EventFields.LoopTurns(events[index]), at.time)
    case .objectNamed:
      let event = events[index]
      blocking.named(address: EventFields.ObjectNamed(event).object, event.text ?? "")
    default: break
    }
  }

  /// Applies a stack. The record before it on the thread says what the stack belongs to.
  mutating func noteStack(at frame: FrameID, on thread: ThreadID) {
    let (kind, subject) = threads.lastRecord(of: thread)
    switch EventKind(rawValue: kind) {
    case .threadSeen: snapshots.noteStack(at: frame, subject)
    case .operationCreated: if let row = operationIndexes[subject] { trace.operations[row].madeAt = frame }
    case .enqueued: if let row = operationIndexes[subject] { trace.operations[row].addedAt = frame }
    case .queueCreated: if let row = queueIndexes[subject] { trace.queues[row].madeAt = frame }
    case .waitEnded, .queueWaitEnded: if let wait = lastWaits[thread.rawValue] { trace.waits[wait].at = frame }
    case .blocked, .unblocked: blocking.noteStack(at: frame, reportedBy: thread)
    case .taskSuspended: tasks.noteStack(at: frame, subject)
    default: break
    }
  }

  mutating func noteProcessorTime(_ reading: UInt64, of operation: UInt32, on thread: ThreadID) {
    let (kind, subject) = threads.lastRecord(of: thread)
    guard subject == operation, let row = operationIndexes[operation] else { return }
    switch EventKind(rawValue: kind) {
    case .executionBegan: trace.operations[row].noteProcessorTime(reading, on: thread, isBeginning: true)
    // The end of its code may be recorded together with its finish.
    case .executionEnded, .finished, .startReturned:
      trace.operations[row].noteProcessorTime(reading, on: thread, isBeginning: false)
    default: break
    }
  }
}
