import OpTraceFormat

/// Handles events of operations, and the same events of blocks and tasks.
extension TraceBuilder {
  mutating func operationEvent(_ kind: EventKind, _ id: UInt32, _ at: Stamp, _ word: UInt64, _ index: Int) {
    switch kind {
    case .mark:
      trace.marks.append(MarkRecord(name: text(index), operation: named(id), at: at))
      return
    case .spanBegan:
      let number = EventFields.SpanBegan(word).id
      openSpans[number] = trace.spans.count
      trace.spans.append(SpanRecord(id: SpanID(number), name: text(index), operation: named(id), began: at))
      return
    case .submittedWithin:
      trace.within[WorkID(id)] = SpanID(EventFields.SubmittedWithin(word).span)
      return
    case .waitBegan:
      guard id != 0 else { return }
      if !isForgotten(id) { _ = operation(id) }
      beginWait(.operation(OperationID(id)), at)
      return
    case .waitEnded:
      endWait(.operation(OperationID(id)), at)
      return
    case .blocked:
      if id != 0, !isOther(id), !isForgotten(id) { hasEvents[operation(id)] = true }
      let record = BlockingRecord(events[index])
      if AddingCalls.isOne(record) { adding.began(record, at) } else { blocking.blocked(record, at) }
      return
    case .unblocked:
      let record = BlockingRecord(events[index])
      if AddingCalls.isOne(record) { adding.ended(record, at) } else { blocking.unblocked(record, at) }
      return
    case .signalled:
      blocking.signalled(BlockingRecord(events[index]), at)
      return
    case .ordered:
      orders.add(EventFields.Ordered(events[index]), by: id == 0 ? nil : WorkID(id), at)
      return
    case .handover:
      orders.add(EventFields.Handover(events[index]), by: id == 0 ? nil : WorkID(id), at)
      return
    default: break
    }
    // Id 0: the recorder's table of operations was full, so nothing is known.
    guard id != 0 else { return }
    if let block = blocks.row(of: id) {
      if kind == .cancelRequested { blocks.cancelled(block, at) }
      return
    }
    if let task = tasks.row(of: id) {
      if kind == .cancelRequested { tasks.cancelled(task, at) }
      if kind == .operationNamed { tasks.named(task, text(index)) }
      return
    }
    guard !isForgotten(id) else { return }
    let row = operation(id)
    hasEvents[row] = true
    switch kind {
    case .operationCreated:
      let fields = EventFields.OperationCreated(word)
      isCreated[row] = true
      trace.operations[row].share(
        class: definitions.sharedClass(fields.class, events.strings) ?? unknownClass)
      trace.operations[row].coverage = Coverage(rawValue: fields.coverage) ?? .partial
      trace.operations[row].isAsynchronous = fields.async
      trace.operations[row].overridesReady = fields.ownReady
      trace.operations[row].created = at.time &- Age.nanoseconds(word, of: kind)
    case .operationNamed:
      trace.operations[row].name = text(index)
      trace.operations[row].share(source: shared(EventFields.OperationNamed(word).source))
    case .dependencyAdded:
      addDependency(row, on: EventFields.DependencyAdded(word).on, at)
    case .dependencyRemoved:
      let other = OperationID(EventFields.DependencyRemoved(word).on)
      if let edge = trace.operations[row].dependencies.lastIndex(where: { $0.on == other && $0.removed == nil }) {
        trace.operations[row].dependencies[edge].removed = at.time
        edges.remove(row, other.rawValue)
      }
    case .enqueued: enqueue(row, at, EventFields.Enqueued(word))
    case .priorityChanged: trace.operations[row].priority = Int8(clamping: EventFields.PriorityChanged(word).value)
    case .qualityChanged:
      let quality = UInt8(clamping: EventFields.QualityChanged(word).value)
      trace.operations[row].quality = Quality(rawValue: quality) ?? .default
    default: lifeEvent(kind, row, at, word, index)
    }
  }

  mutating func enqueue(_ row: Int, _ at: Stamp, _ fields: EventFields.Enqueued) {
    trace.operations[row].enqueueCount += 1
    guard trace.operations[row].enqueued == nil else { return }
    _ = queue(fields.queue)
    let enqueuer = executing(on: at.thread).map { id(of: $0) }
    trace.operations[row].enqueuedBy = enqueuer
    submitted(trace.operations[row].id, by: enqueuer)
    trace.operations[row].enqueued = at
    trace.operations[row].queue = QueueID(fields.queue)
    trace.operations[row].priority = fields.priority
    trace.operations[row].quality = Quality(rawValue: fields.qos) ?? .default
    trace.operations[row].isBarrier = fields.barrier
  }

  /// Work that is submitted by work of a span belongs to that span, too, unless a record says otherwise.
  mutating func submitted(_ work: WorkID, by submitter: WorkID?) {
    guard !trace.within.isEmpty, let submitter, let span = trace.within[submitter] else { return }
    trace.within[work] = span
  }

  mutating func lifeEvent(_ kind: EventKind, _ row: Int, _ at: Stamp, _ word: UInt64, _ index: Int) {
    switch kind {
    case .ready:
      // The last time it became ready before its start counts. One just after the start comes from the clocks'
      // difference.
      if let started = trace.operations[row].started {
        if trace.operations[row].ready == nil, at.time - started.time < Self.tolerance, at.thread != started.thread {
          trace.operations[row].ready = Stamp(started.time, at.thread)
        }
      } else {
        trace.operations[row].ready = at
      }
    case .started:
      trace.operations[row].startCount += 1
      if trace.operations[row].started == nil { trace.operations[row].started = at }
      threads.enter(.operation(row), .start, at.thread)
    case .executionBegan:
      if trace.operations[row].executionBegan == nil { trace.operations[row].executionBegan = at }
      threads.enterCode(.operation(row), at.thread, isSeen: trace.operations[row].coverage == .full)
    case .executionEnded:
      if trace.operations[row].executionEnded == nil { trace.operations[row].executionEnded = at }
      threads.leave(.operation(row), .code, at.thread)
      blocking.returned(trace.operations[row].id, at)
    case .blockBegan:
      trace.operations[row].blocks.append(
        BlockExecution(index: EventFields.BlockBegan(word).index, thread: at.thread, began: at.time))
      threads.enter(.operation(row), .block, at.thread)
    case .blockEnded:
      let number = EventFields.BlockEnded(word).index
      if let block = trace.operations[row].blocks.lastIndex(where: { $0.index == number && $0.ended == nil }) {
        trace.operations[row].blocks[block].ended = at.time
      }
      threads.leave(.operation(row), .block, at.thread)
      blocking.returned(trace.operations[row].id, at)
    case .finishSeen:
      if trace.operations[row].finishSeen == nil { trace.operations[row].finishSeen = at }
    case .finished, .finishedWithError:
      trace.operations[row].finishCount += 1
      guard trace.operations[row].finished == nil else { return }
      trace.operations[row].finished = at
      if kind == .finishedWithError { trace.operations[row].error = text(index) }
    case .finishedAgain: trace.operations[row].finishCount += 1
    case .startReturned:
      if trace.operations[row].startReturned == nil { trace.operations[row].startReturned = at }
      threads.leave(.operation(row), .start, at.thread)
      blocking.returned(trace.operations[row].id, at)
    case .cancelRequested:
      if trace.operations[row].cancelRequested == nil { trace.operations[row].cancelRequested = at }
    case .released:
      if trace.operations[row].released == nil { trace.operations[row].released = at }
    case .completionQueued, .completionBegan, .completionEnded: completionEvent(kind, row, at)
    default: break
    }
  }

  /// The first event of each kind counts, because a program may call the block itself.
  mutating func completionEvent(_ kind: EventKind, _ row: Int, _ at: Stamp) {
    var completion = trace.operations[row].completion ?? CompletionRecord()
    switch kind {
    case .completionQueued: completion.queued = completion.queued ?? at
    case .completionBegan: completion.began = completion.began ?? at
    default: completion.ended = completion.ended ?? at
    }
    trace.operations[row].completion = completion
  }

  mutating func blockEvent(_ kind: EventKind, _ at: Stamp, _ index: Int) {
    let id = events[index].subject
    guard forgotten.isEmpty || blocks.row(of: id) != nil || !forgotten.contains(id) else { return }
    let row = blocks.add(kind, events[index], at)
    switch kind {
    case .blockSubmitted: submitted(blocks.id(at: row), by: blocks.all[row].submitter)
    case .runBegan: threads.enter(.block(row), .code, at.thread)
    case .runEnded:
      threads.leave(.block(row), .code, at.thread)
      blocking.returned(blocks.id(at: row), at)
    default: break
    }
  }

  mutating func taskEvent(_ kind: EventKind, _ at: Stamp, _ index: Int) {
    let id = events[index].subject
    guard forgotten.isEmpty || tasks.row(of: id) != nil || !forgotten.contains(id) else { return }
    let row = tasks.add(kind, events[index], at)
    switch kind {
    case .taskCreated: submitted(tasks.id(at: row), by: tasks.all[row].submitter)
    case .taskQueued:
      let fields = EventFields.TaskQueued(events[index])
      tasks.queue(row, fields, at, class: events.strings[UInt32(fields.class)] ?? "")
    case .taskRun: threads.enter(.task(row), .code, at.thread)
    case .taskSuspended, .taskCompleted:
      threads.leave(.task(row), .code, at.thread)
      blocking.returned(tasks.id(at: row), at)
    default: break
    }
  }

  mutating func addDependency(_ row: Int, on other: UInt32, _ at: Stamp) {
    // Forgotten operations have finished, so nothing waits for them.
    guard other != 0, !isForgotten(other) else { return }
    let otherRow = operation(other)
    // A recorder may write an edge twice.
    guard edges.insert(row, other, among: trace.operations[row].dependencies) else { return }
    trace.operations[row].dependencies.append(Dependency(on: OperationID(other), added: at.time))
    // It was ready only because this dependency was not known yet.
    if trace.operations[otherRow].finished == nil, trace.operations[row].started == nil {
      trace.operations[row].ready = nil
    }
  }

  /// The row of an operation; adds the operation if it is new.
  mutating func operation(_ id: UInt32) -> Int {
    if let row = operationIndexes[id] { return row }
    let row = trace.operations.count
    operationIndexes[id] = row
    trace.operations.append(OperationRecord(id: OperationID(id), class: unknownClass))
    isCreated.append(false)
    hasEvents.append(false)
    return row
  }

  func isForgotten(_ id: UInt32) -> Bool {
    !forgotten.isEmpty && operationIndexes[id] == nil && forgotten.contains(id)
  }

  func named(_ id: UInt32) -> OperationID? { id == 0 ? nil : OperationID(id) }
  func text(_ index: Int) -> String { events[index].text ?? "" }
  static let unknownName = QueueRecord.unknownName
}
