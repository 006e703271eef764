import OpTraceFormat

/// A trace that grows: gives its values at any moment, and forgets what is over.
extension TraceBuilder {
  /// Makes an empty trace; `add` takes what ``LiveReader`` reads.
  ///
  /// - Parameter forgets: finished work will be forgotten, so tables must not grow with all that ever happened.
  package init(growing header: TraceHeader, forgets: Bool = false) {
    let table = forgets ? 1_048_576 : 0
    self.init(TraceEvents(header: header), expectedOperations: 0, expectedEvents: table / 2)
    self.forgets = forgets
  }

  /// Adds events of a growing trace. Their facts about the whole trace (losses, heartbeat) describe the present moment.
  package mutating func add(newest events: TraceEvents) {
    // The number of ids could not be known in advance.
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

  /// The values at this moment; more events can be added afterwards. O(size of the trace).
  /// - Parameters:
  ///   - complete: for a ring that has wrapped around, since when nothing is missing.
  ///   - carried: work whose records that ring has carried on.
  package func snapshot(completeSince complete: Nanoseconds? = nil, carried: [WorkID] = []) -> Trace {
    var copy = self
    if let complete { copy.ring = (complete, Set(carried.lazy.map(\.rawValue))) }
    return copy.finish()
  }

  /// From now on keeps samples of processor time until ``takeSamples(before:completeSince:carried:)`` takes them,
  /// whatever else is forgotten.
  /// - Parameters:
  ///   - since: samples from before this time are left out.
  ///   - recorded: those that were recorded at this time or before it, too.
  package mutating func keepSamples(since: Nanoseconds, recordedAfter recorded: Nanoseconds = .min) {
    samples.keep(since: since, recordedAfter: recorded)
  }

  /// Whether there are samples of processor time from before `time`. O(samples).
  package func hasSamples(before time: Nanoseconds) -> Bool { samples.has(before: time) }

  /// The values at this moment, of which the samples are those from before `time`. These are then gone, so that each is
  /// handed out once. O(size of the trace).
  package mutating func takeSamples(
    before time: Nanoseconds, completeSince complete: Nanoseconds? = nil, carried: [WorkID] = []
  ) -> Trace {
    var copy = self
    copy.samples = samples.take(before: time)
    return copy.snapshot(completeSince: complete, carried: carried)
  }

  /// When the last sample was recorded, which is later than it was taken; nil: none was.
  package var lastSampleRecorded: Nanoseconds? { samples.lastRecorded }
  /// How processor time is sampled; nil: it is not, as far as is known.
  package var profile: ProfileRecord? { definitions.profile }

  /// Until when records may be missing, by the `lost` records; nil: there are none.
  package var lostUntil: Nanoseconds? { trace.loss.gaps.lazy.map(\.to).max() }

  /// The number of operations, blocks and tasks that are kept.
  package var workCount: Int { trace.operations.count + blocks.all.count + tasks.all.count }

  /// Forgets what was over before `time`, so that a program may run for weeks. O(size of the trace).
  ///
  /// Forgotten are operations, unless an unfinished one depends on them; blocks, tasks, waits and spans; the runs and
  /// suspensions of tasks that go on, except for the last `pieces`; marks; and queues that are gone. The submitters of
  /// work that stays are kept. Later records about forgotten work are ignored.
  ///
  /// - Parameters:
  ///   - time: `.max` forgets everything that is over.
  ///   - pieces: how many runs and suspensions of a task from before `time` stay.
  ///   - visit: called with each operation that is forgotten.
  ///   - queue: called, after that, with each queue that is forgotten.
  package mutating func forget(
    finishedBefore time: Nanoseconds, keeping pieces: Int = 8, _ visit: (borrowing OperationRecord) -> Void = { _ in },
    queue: (QueueRecord) -> Void = { _ in }
  ) {
    let needed = neededByUnfinished().union(submittersOfWork(since: time))
    let operations = trace.operations.forget { operation in
      guard let finished = operation.finished, finished.time < time, !needed.contains(operation.id) else {
        return false
      }
      visit(operation)
      return true
    }
    let blocks = self.blocks.forget(before: time, except: needed)
    let tasks = self.tasks.forget(before: time, except: needed, keeping: pieces)
    keepRows(operations)
    threads.move { work in
      switch work {
      case .operation(let row): operations.rows[row].map { .operation($0) }
      case .block(let row): blocks.rows[row].map { .block($0) }
      case .task(let row): tasks.rows[row].map { .task($0) }
      }
    }
    let gone = operations.gone + blocks.gone + tasks.gone
    forgotten.insert(gone)
    if !trace.within.isEmpty { for id in gone { trace.within[WorkID(id)] = nil } }
    forgetWaits(before: time)
    samples.forget(before: time)
    memory.forget(before: time)
    loops.forget(before: time)
    definitions.forgetFrames(except: Array(samples.frames) + memory.frames)
    forgetSpans(before: time)
    forgetQueues(queue)
    trace.forgetMoments()
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

  /// Submitters to keep, because they decide whether work is part of other work. Nobody asks that about work that goes
  /// on after everything else has been forgotten.
  private func submittersOfWork(since time: Nanoseconds) -> Set<WorkID> {
    guard time < .max else { return [] }
    var submitters: Set<WorkID> = []
    for row in trace.operations.indices where trace.operations[row].finished?.time ?? .max >= time {
      if let submitter = trace.operations[row].enqueuedBy { submitters.insert(submitter) }
    }
    for row in blocks.all.indices where blocks.all[row].over ?? .max >= time {
      if let submitter = blocks.all[row].submitter { submitters.insert(submitter) }
    }
    for row in tasks.all.indices where tasks.all[row].over ?? .max >= time {
      if let submitter = tasks.all[row].submitter { submitters.insert(submitter) }
    }
    return submitters
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
    for (row, wait) in trace.waits.enumerated() where wait.ended ?? .max >= time {
      moved[row] = kept.count
      kept.append(wait)
    }
    trace.waits = kept
    openWaits = openWaits.mapValues { $0.compactMap { moved[$0] } }.filter { !$0.value.isEmpty }
    lastWaits = lastWaits.compactMapValues { moved[$0] }
    blocking.forget(before: time)
    adding.forget(before: time)
  }

  private mutating func forgetSpans(before time: Nanoseconds) {
    var kept: [SpanRecord] = []
    for (row, span) in trace.spans.enumerated() {
      let isOpen = openSpans[span.id.rawValue] == row
      guard isOpen || span.ended?.time ?? .min >= time else { continue }
      if isOpen { openSpans[span.id.rawValue] = kept.count }
      kept.append(span)
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
  /// Keeps only the last change of each sort, and the state that the earlier ones led to.
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
  /// Removes the elements that are over. Returns the new rows of the others by their old ones, and the numbers of the
  /// removed ones.
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

extension TraceEvents {
  /// Whether any event is about sampled allocations, or the process's memory. O(events).
  package var tellOfMemory: Bool {
    entries.contains { entry in
      let kind = RecordHead(UInt64(littleEndian: words[Int(entry.wordIndex)])).kind
      return [EventKind.memory, .allocated, .allocationLives, .memoryUse].contains { $0.rawValue == kind }
    }
  }

  /// Whether any event is about a block, a task, a span of the program's tracer or an event loop, which services
  /// consist of. O(events).
  package var tellOfServices: Bool {
    entries.contains { entry in
      let kind = RecordHead(UInt64(littleEndian: words[Int(entry.wordIndex)])).kind
      return switch KindTables.subjects[Int(kind)] {
      case .block, .task, .span: true
      default: kind == EventKind.loopTurn.rawValue || kind == EventKind.loopTurns.rawValue
      }
    }
  }
}
