import OpTraceFormat

/// Interprets events: what each says about which operation, queue and thread. One pass, and one more over the
/// operations; O(events + operations). They may come in pieces (`add(_:)`), so that not all have to be in memory.
///
/// Works when events are missing (a ring, a loss, damage): what was not seen stays nil, and an operation whose first
/// record is missing has partial coverage. Moments that contradict each other by less than the error of the clock's
/// calibration (``tolerance``) are brought into order.
public struct TraceBuilder {
  /// Threads' clocks may differ by so much, in nanoseconds.
  public static let tolerance: Nanoseconds = 2000

  // Not private where other files of this folder need it.
  var trace: Trace
  /// The piece that is being added.
  private var events: TraceEvents
  var heartbeat: Nanoseconds?
  var operationIndexes: IndexTable
  var queueIndexes: [UInt32: Int] = [:]
  var threads = ThreadTable()
  var edges = EdgeSet()
  var openWaits: [OpenWait: [Int]] = [:]
  var blocking = BlockingWaits()
  var adding = AddingCalls()
  private var snapshots = ThreadSnapshots()
  var blocks = Blocks()
  var tasks: Tasks
  var openSpans: [UInt32: Int] = [:]
  /// Operations of which some event was seen, by row: the others are only named as a dependency.
  var isCreated: [Bool] = []
  var hasEvents: [Bool] = []
  private var sharedTexts: [UInt32: SharedText] = [:]
  private var definitions = Definitions()
  private let unknownClass = SharedClass(TraceBuilder.unknownName)
  /// The wait that a thread came out of last.
  var lastWaits: [UInt32: Int] = [:]
  /// Numbers of work that was forgotten: see `forget`.
  var forgotten = NumberRanges()
  var forgets = false

  struct OpenWait: Hashable {
    var thread: UInt32
    var target: WaitRecord.Target
  }

  /// The values that the events describe.
  public static func build(_ events: TraceEvents) -> Trace {
    let created = events.entries.reduce(0) { count, entry in
      let kind = RecordHead(UInt64(littleEndian: events.words[Int(entry.wordIndex)])).kind
      return kind == EventKind.operationCreated.rawValue ? count + 1 : count
    }
    var builder = TraceBuilder(events, expectedOperations: created, expectedEvents: events.count)
    builder.add(events)
    return builder.finish()
  }

  /// - Parameter whole: header, losses and counts of the whole trace; its events are not read.
  init(_ whole: TraceEvents, expectedOperations: Int, expectedEvents: Int) {
    events = TraceEvents(header: whole.header)
    heartbeat = whole.heartbeat
    trace = Trace(header: whole.header)
    trace.loss = whole.loss
    operationIndexes = IndexTable(denseLimit: expectedEvents * 2 + 1024)
    tasks = Tasks(expectedEvents: expectedEvents)
    trace.operations.reserveCapacity(expectedOperations)
    isCreated.reserveCapacity(expectedOperations)
    hasEvents.reserveCapacity(expectedOperations)
  }

  /// Events that come after all those which were added before.
  package mutating func add(_ piece: TraceEvents) {
    events = piece
    defer { events = TraceEvents(header: trace.header) }
    if let last = events.entries.last?.time {
      trace.lastEvent = trace.eventCount == 0 ? last : max(last, trace.lastEvent)
    }
    trace.eventCount += events.count
    for index in events.entries.indices {
      let entry = events.entries[index]
      let start = Int(entry.wordIndex)
      let head = RecordHead(UInt64(littleEndian: events.words[start]))
      let (raw, subject) = (head.kind, head.subject)
      let at = Stamp(entry.time, ThreadID(entry.thread))
      guard KindTables.parts[Int(raw)] != .definition else {
        definitions.add(events[index], events.strings)
        continue
      }
      guard raw != EventKind.stoodAt.rawValue else {
        noteStack(at: FrameID(subject), on: at.thread)
        continue
      }
      guard raw != EventKind.processorTime.rawValue else {
        let fields = EventFields.ProcessorTime(UInt64(littleEndian: events.words[start + 1]))
        noteProcessorTime(fields.used, of: subject, on: at.thread)
        continue
      }
      // The thread's last event before this one is where a gap begins.
      let before = threads.note(at, raw, subject)
      guard let kind = EventKind(rawValue: raw) else { continue }
      let word = raw < 0x40 ? 0 : UInt64(littleEndian: events.words[start + 1])
      let age = KindTables.ages[Int(raw)]
      let since =
        age.word == 0
        ? at.time : at.time &- Age.nanoseconds(UInt64(littleEndian: events.words[start + Int(age.word)]), of: kind)
      let operation = operation(of: KindTables.subjects[Int(raw)], subject)
      switch KindTables.subjects[Int(raw)] {
      case .operation: operationEvent(kind, subject, at, word, index)
      case .queue: queueEvent(kind, subject, at, word, index)
      case .block: blockEvent(kind, at, index)
      case .task: taskEvent(kind, at, index)
      default: otherEvent(kind, subject, at, word, index, before: before)
      }
      noteSign(of: raw, operation: operation, queue: subject, Stamp(since, at.thread))
    }
  }

  // MARK: - Signs of life

  /// The operation that an event is about: of a span, the one that it was begun in. 0: none.
  private func operation(of sort: EventSpec.Subject, _ subject: UInt32) -> UInt32 {
    switch sort {
    case .operation: isOther(subject) ? 0 : subject
    case .span: openSpans[subject].flatMap { trace.spans[$0].operation?.rawValue } ?? 0
    default: 0
    }
  }

  /// A block's number, or a task's.
  private func isOther(_ id: UInt32) -> Bool { blocks.row(of: id) != nil || tasks.row(of: id) != nil }

  private mutating func noteSign(of raw: UInt8, operation: UInt32, queue: UInt32, _ at: Stamp) {
    switch KindTables.lives[Int(raw)] {
    case .nobody: break
    case .subject:
      if KindTables.subjects[Int(raw)] == .queue {
        guard let row = queueIndexes[queue] else { return }
        trace.queues[row].lastSign = max(at.time, trace.queues[row].lastSign ?? .min)
      } else if operation != 0 {
        noteSign(ofOperation: operationIndexes[operation], at)
      }
    case .writer:
      if case .operation(let row) = executing(on: at.thread) {
        noteSign(ofOperation: row, at)
      } else {
        threads.noteSign(at)
      }
    }
  }

  /// For an operation that is not known, its thread gets the sign.
  private mutating func noteSign(ofOperation row: Int?, _ at: Stamp) {
    guard let row else { return threads.noteSign(at) }
    if at.time > trace.operations[row].lastSign ?? .min { trace.operations[row].lastSign = at.time }
  }

  /// Work that is over may still be on the stack: its last records are missing.
  private func executing(on thread: ThreadID) -> ThreadTable.Running? {
    switch threads.executing(on: thread) {
    case .operation(let row)? where trace.operations[row].finished == nil: .operation(row)
    case .block(let row)? where !blocks.isOver(row): .block(row)
    case .task(let row)? where !tasks.isOver(row): .task(row)
    default: nil
    }
  }

  private func id(of work: ThreadTable.Running) -> WorkID {
    switch work {
    case .operation(let row): trace.operations[row].id
    case .block(let row): blocks.id(at: row)
    case .task(let row): tasks.id(at: row)
    }
  }

  /// A text that many operations share.
  private mutating func shared(_ id: UInt32) -> SharedText? {
    if let known = sharedTexts[id] { return known }
    guard let text = events.strings[id] else { return nil }
    let shared = SharedText(text)
    sharedTexts[id] = shared
    return shared
  }

  // MARK: - Operations

  private mutating func operationEvent(_ kind: EventKind, _ id: UInt32, _ at: Stamp, _ word: UInt64, _ index: Int) {
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
    default: break
    }
    // Where the table of operations was full: nothing is known of it.
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

  private mutating func enqueue(_ row: Int, _ at: Stamp, _ fields: EventFields.Enqueued) {
    trace.operations[row].enqueueCount += 1
    guard trace.operations[row].enqueued == nil else { return }
    _ = queue(fields.queue)
    submitted(trace.operations[row].id, by: executing(on: at.thread).map { id(of: $0) })
    trace.operations[row].enqueued = at
    trace.operations[row].queue = QueueID(fields.queue)
    trace.operations[row].priority = fields.priority
    trace.operations[row].quality = Quality(rawValue: fields.qos) ?? .default
    trace.operations[row].isBarrier = fields.barrier
  }

  /// What is submitted by work of a span belongs to that span, too, unless a record says otherwise.
  private mutating func submitted(_ work: WorkID, by submitter: WorkID?) {
    guard !trace.within.isEmpty, let submitter, let span = trace.within[submitter] else { return }
    trace.within[work] = span
  }

  private mutating func lifeEvent(_ kind: EventKind, _ row: Int, _ at: Stamp, _ word: UInt64, _ index: Int) {
    switch kind {
    case .ready:
      // What counts is the last turn to ready before the start; one just after it is the clocks' difference.
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
      threads.enter(.operation(row), .code, at.thread)
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

  /// The first of each counts: a program may call the block itself.
  private mutating func completionEvent(_ kind: EventKind, _ row: Int, _ at: Stamp) {
    var completion = trace.operations[row].completion ?? CompletionRecord()
    switch kind {
    case .completionQueued: completion.queued = completion.queued ?? at
    case .completionBegan: completion.began = completion.began ?? at
    default: completion.ended = completion.ended ?? at
    }
    trace.operations[row].completion = completion
  }

  private mutating func blockEvent(_ kind: EventKind, _ at: Stamp, _ index: Int) {
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

  private mutating func taskEvent(_ kind: EventKind, _ at: Stamp, _ index: Int) {
    let id = events[index].subject
    guard forgotten.isEmpty || tasks.row(of: id) != nil || !forgotten.contains(id) else { return }
    let row = tasks.add(kind, events[index], at)
    switch kind {
    case .taskCreated: submitted(tasks.id(at: row), by: tasks.all[row].submitter)
    case .taskRun: threads.enter(.task(row), .code, at.thread)
    case .taskSuspended, .taskCompleted:
      threads.leave(.task(row), .code, at.thread)
      blocking.returned(tasks.id(at: row), at)
    default: break
    }
  }

  private mutating func addDependency(_ row: Int, on other: UInt32, _ at: Stamp) {
    // Forgotten operations have finished, so nothing waits for them.
    guard other != 0, !isForgotten(other) else { return }
    let otherRow = operation(other)
    // A recorder may write an edge twice.
    guard edges.insert(row, other, among: trace.operations[row].dependencies) else { return }
    trace.operations[row].dependencies.append(Dependency(on: OperationID(other), added: at.time))
    // It was ready only because this obstacle was not there yet.
    if trace.operations[otherRow].finished == nil, trace.operations[row].started == nil {
      trace.operations[row].ready = nil
    }
  }

  /// The row of an operation, which is added at first sight.
  private mutating func operation(_ id: UInt32) -> Int {
    if let row = operationIndexes[id] { return row }
    let row = trace.operations.count
    operationIndexes[id] = row
    trace.operations.append(OperationRecord(id: OperationID(id), class: unknownClass))
    isCreated.append(false)
    hasEvents.append(false)
    return row
  }

  private func isForgotten(_ id: UInt32) -> Bool {
    !forgotten.isEmpty && operationIndexes[id] == nil && forgotten.contains(id)
  }

  private func named(_ id: UInt32) -> OperationID? { id == 0 ? nil : OperationID(id) }
  private func text(_ index: Int) -> String { events[index].text ?? "" }
  static let unknownName = "(unknown)"

  // MARK: - Queues, waits, threads

  private mutating func queueEvent(_ kind: EventKind, _ id: UInt32, _ at: Stamp, _ word: UInt64, _ index: Int) {
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

  private mutating func queue(_ id: UInt32) -> Int {
    if let row = queueIndexes[id] { return row }
    queueIndexes[id] = trace.queues.count
    trace.queues.append(QueueRecord(id: QueueID(id), name: Self.unknownName, initialLimit: -1))
    return trace.queues.count - 1
  }

  private mutating func beginWait(_ target: WaitRecord.Target, _ at: Stamp) {
    let key = OpenWait(thread: at.thread.rawValue, target: target)
    // A thread does not wait twice for one thing: the end of the wait before is missing (a ring forgets it).
    for index in openWaits[key] ?? [] { trace.waits[index].ended = at.time }
    openWaits[key] = [trace.waits.count]
    let inside = executing(on: at.thread).map { id(of: $0) }
    trace.waits.append(WaitRecord(target: target, thread: at.thread, inside: inside, began: at.time))
  }

  private mutating func endWait(_ target: WaitRecord.Target, _ at: Stamp) {
    guard let index = openWaits[OpenWait(thread: at.thread.rawValue, target: target)]?.popLast() else { return }
    trace.waits[index].ended = at.time
    lastWaits[at.thread.rawValue] = index
  }

  /// The wait that a record of another thread is about.
  private func openWait(_ fields: EventFields.WaitLasts) -> Int? {
    let target = fields.isQueue ? WaitRecord.Target.queue(QueueID(fields.on)) : .operation(OperationID(fields.on))
    return openWaits[OpenWait(thread: fields.thread, target: target)]?.last
  }

  private mutating func otherEvent(
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
    case .lost:
      guard let reason = LossReason(rawValue: subject) else { return }
      trace.loss.gaps.append(
        .init(
          thread: at.thread, from: before ?? at.time, to: at.time, count: EventFields.Lost(word).count, reason: reason))
    case .threadSeen:
      let fields = EventFields.ThreadSeen(events[index])
      snapshots.seen(subject, fields, owner: fields.owner, at.time)
    case .looked: snapshots.ended(EventFields.Looked(word), at.time)
    case .waitLasts:
      let fields = EventFields.WaitLasts(events[index])
      if let wait = openWait(fields) { trace.waits[wait].at = FrameID(fields.at) }
    case .objectNamed:
      let event = events[index]
      blocking.named(address: EventFields.ObjectNamed(event).object, event.text ?? "")
    default: break
    }
  }

  /// The record before it on the thread says what it is about.
  private mutating func noteStack(at frame: FrameID, on thread: ThreadID) {
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

  private mutating func noteProcessorTime(_ reading: UInt64, of operation: UInt32, on thread: ThreadID) {
    let (kind, subject) = threads.lastRecord(of: thread)
    guard subject == operation, let row = operationIndexes[operation] else { return }
    switch EventKind(rawValue: kind) {
    case .executionBegan: trace.operations[row].noteProcessorTime(reading, on: thread, isBeginning: true)
    // The end of its code may be recorded with its finish.
    case .executionEnded, .finished, .startReturned:
      trace.operations[row].noteProcessorTime(reading, on: thread, isBeginning: false)
    default: break
    }
  }

  // MARK: - The end

  mutating func finish() -> Trace {
    settleCoverage()
    trace.end = max(trace.lastEvent, heartbeat ?? trace.lastEvent)
    trace.threads = threads.records()
    trace.objects = blocking.objects
    trace.snapshot = snapshots.finish()
    definitions.finish(&trace.operations)
    trace.stacks = definitions.stacks
    trace.blocks = blocks.finish()
    trace.dispatchQueues = definitions.dispatchQueues
    trace.nameBlocks()
    trace.tasks = tasks.finish()
    trace.nameTasks()
    trace.locateQueues()
    // Waits on objects are recorded after they have begun; the sort keeps the order of equal ones.
    trace.waits = (trace.waits + blocking.waits).sorted { $0.began < $1.began }
    for call in adding.unreturned {
      if let row = operationIndexes[call.operation.rawValue] { trace.operations[row].addingSince = call.since }
    }
    trace.operations.settleOrder { operationIndexes[$0.rawValue] }
    if trace.operations.indices.dropFirst().contains(where: { trace.operations[$0 - 1].id > trace.operations[$0].id }) {
      trace.operations.sort { $0.id < $1.id }
    }
    trace.queues.sort { $0.id < $1.id }
    // The header counts all losses; records say where most of them happened.
    var located: [LossReason: UInt64] = [:]
    for gap in trace.loss.gaps {
      let (sum, overflow) = located[gap.reason, default: 0].addingReportingOverflow(gap.count)
      located[gap.reason] = overflow ? .max : sum
    }
    trace.loss.lost.merge(located) { max($0, $1) }
    return trace
  }

  private mutating func settleCoverage() {
    let isComplete = trace.loss.isComplete
    for row in trace.operations.indices {
      if !isCreated[row] {
        trace.operations[row].coverage = hasEvents[row] ? .partial : .external
      } else if !isComplete, trace.operations[row].coverage == .full, trace.operations[row].hasHole {
        trace.operations[row].coverage = .partial
      }
    }
  }
}

extension OperationRecord {
  /// A later event is there without one that must have come before it.
  fileprivate var hasHole: Bool {
    if executionBegan != nil || startReturned != nil, started == nil { return true }
    if executionEnded != nil, executionBegan == nil { return true }
    return finished != nil && started == nil && cancelRequested == nil
  }
}
