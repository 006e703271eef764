import OpTraceFormat

/// A trace that grows: its values at any moment, and what of it is over and may be forgotten.
extension TraceBuilder {
  /// Nothing is known yet; `add` takes what ``LiveReader`` hands out.
  /// - Parameter forgets: what is over will be forgotten, so tables do not grow with all there has been.
  package init(growing header: TraceHeader, forgets: Bool = false) {
    let table = forgets ? 1_048_576 : 0
    self.init(TraceEvents(header: header), expectedOperations: 0, expectedEvents: table / 2)
    self.forgets = forgets
  }

  /// Events of a trace that grows. What they say of the trace as a whole is of now.
  package mutating func add(newest events: TraceEvents) {
    // How many ids there will be was not known in advance.
    if !forgets {
      operationIndexes.denseLimit = max(operationIndexes.denseLimit, (trace.eventCount + events.count) * 2 + 1024)
    }
    let gaps = trace.loss.gaps
    trace.header = events.header
    trace.loss = events.loss
    trace.loss.gaps = gaps
    heartbeat = events.heartbeat
    add(events)
  }

  /// The values of this moment; more can be added afterwards. O(what there is).
  /// - Parameters:
  ///   - complete: of a ring that has turned: since when nothing is missing.
  ///   - carried: what that ring has carried on.
  package func snapshot(completeSince complete: Nanoseconds? = nil, carried: [WorkID] = []) -> Trace {
    var copy = self
    if let complete { copy.ring = (complete, Set(carried.lazy.map(\.rawValue))) }
    return copy.finish()
  }

  /// Until when records may be missing, by the `lost` records; nil: there are none.
  package var lostUntil: Nanoseconds? { trace.loss.gaps.lazy.map(\.to).max() }

  /// Operations, blocks and tasks that are kept.
  package var workCount: Int { trace.operations.count + blocks.all.count + tasks.all.count }

  /// Forgets what is over, so that a program may run for weeks: operations that finished before `time`, unless one that has not
  /// finished depends on them; blocks and tasks that are over; waits, spans and marks that are past; queues that are gone. What
  /// comes of them later is left out. O(what there is).
  /// - Parameters:
  ///   - visit: gets each operation that is forgotten.
  ///   - queue: then gets each queue.
  package mutating func forget(
    finishedBefore time: Nanoseconds, _ visit: (borrowing OperationRecord) -> Void = { _ in },
    queue: (QueueRecord) -> Void = { _ in }
  ) {
    let needed = neededByUnfinished()
    let operations = trace.operations.forget { operation in
      guard let finished = operation.finished, finished.time < time, !needed.contains(operation.id) else {
        return false
      }
      visit(operation)
      return true
    }
    let (blocks, tasks) = (blocks.forget(), tasks.forget())
    keepRows(operations)
    threads.move { work in
      switch work {
      case .operation(let row): operations.rows[row].map { .operation($0) }
      case .block(let row): blocks.rows[row].map { .block($0) }
      case .task(let row): tasks.rows[row].map { .task($0) }
      }
    }
    forgotten.insert(operations.gone + blocks.gone + tasks.gone)
    forgetWaits(before: time)
    samples.forget(before: time)
    loops.forget(before: time)
    definitions.forgetFrames(except: samples.frames)
    forgetSpans()
    forgetQueues(queue)
    trace.marks = []
    trace.loss.gaps.removeFirst(max(0, trace.loss.gaps.count - 64))
    if threads.count > Self.manyThreads {
      let busy = Set(trace.operations.compactMap(\.started?.thread) + trace.waits.map(\.thread))
      threads.forget(silentSince: time, except: busy.contains)
    }
  }

  private static var manyThreads: Int { 1024 }

  private func neededByUnfinished() -> Set<WorkID> {
    var needed: Set<WorkID> = []
    for row in trace.operations.indices
    where trace.operations[row].finished == nil && trace.operations[row].started == nil {
      for dependency in trace.operations[row].dependencies where dependency.removed == nil {
        needed.insert(dependency.on)
      }
    }
    return needed
  }

  private mutating func keepRows(_ moved: (rows: [Int?], gone: [UInt32])) {
    for id in moved.gone { operationIndexes[id] = nil }
    for row in trace.operations.indices { operationIndexes[trace.operations[row].id.rawValue] = row }
    isCreated = zip(isCreated, moved.rows).filter { $0.1 != nil }.map(\.0)
    hasEvents = zip(hasEvents, moved.rows).filter { $0.1 != nil }.map(\.0)
    edges.move(moved.rows)
  }

  private mutating func forgetWaits(before time: Nanoseconds) {
    var kept: [WaitRecord] = []
    var moved: [Int: Int] = [:]
    for (row, wait) in trace.waits.enumerated() where wait.ended == nil {
      moved[row] = kept.count
      kept.append(wait)
    }
    trace.waits = kept
    openWaits = openWaits.mapValues { $0.compactMap { moved[$0] } }.filter { !$0.value.isEmpty }
    lastWaits = [:]
    blocking.forget(before: time)
    adding.forget(before: time)
  }

  private mutating func forgetSpans() {
    var kept: [SpanRecord] = []
    for (id, row) in openSpans.sorted(by: { $0.value < $1.value }) where trace.spans.indices.contains(row) {
      openSpans[id] = kept.count
      kept.append(trace.spans[row])
    }
    trace.spans = kept
  }

  private mutating func forgetQueues(_ visit: (QueueRecord) -> Void) {
    let used = Set(trace.operations.compactMap(\.queue))
    trace.queues.removeAll { queue in
      guard queue.released != nil, !used.contains(queue.id) else { return false }
      visit(queue)
      return true
    }
    queueIndexes = Dictionary(trace.queues.indices.map { (trace.queues[$0].id.rawValue, $0) }, uniquingKeysWith: { $1 })
    for row in trace.queues.indices where trace.queues[row].changes.count > 16 {
      trace.queues[row].forgetChanges()
    }
  }
}

extension QueueRecord {
  /// All but the last change of each sort, and what the earlier ones have left.
  fileprivate mutating func forgetChanges() {
    (initialLimit, initiallySuspended) = (limit, isSuspended)
    var (hasLimit, hasState) = (false, false)
    var kept: [Change] = []
    for change in changes.reversed() {
      switch change.kind {
      case .limit where !hasLimit: hasLimit = true
      case .suspended where !hasState, .resumed where !hasState: hasState = true
      default: continue
      }
      kept.append(change)
    }
    changes = kept.reversed()
  }
}

extension Array where Element: Identifiable, Element.ID == WorkID {
  /// Removes the elements that are over. The result: the new rows of the others by their old ones, and the numbers of those
  /// that are gone.
  mutating func forget(_ isOver: (borrowing Element) -> Bool) -> (rows: [Int?], gone: [UInt32]) {
    var rows: [Int?] = []
    rows.reserveCapacity(count)
    var gone: [UInt32] = []
    var next = 0
    for index in indices {
      if isOver(self[index]) {
        gone.append(self[index].id.rawValue)
        rows.append(nil)
      } else {
        if next != index { swapAt(next, index) }
        rows.append(next)
        next += 1
      }
    }
    removeSubrange(next...)
    return (rows, gone)
  }
}
