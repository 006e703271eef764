import OpTraceFormat

/// Interprets events: what each says about which operation, queue and thread.
///
/// One pass over the events, and one more over the operations: O(events + operations). Events may come in pieces
/// (`add(_:)`), so that not all have to be in memory.
///
/// Works even if events are missing (a ring, a loss, damage): what was not seen stays nil, and an operation whose first
/// record is missing has partial coverage. Moments that contradict each other by less than the error of the clock's
/// calibration (``tolerance``) are put in order.
public struct TraceBuilder {
  /// How much the clocks of threads may differ, in nanoseconds.
  public static let tolerance: Nanoseconds = 2000

  var trace: Trace
  /// The piece that is being added.
  var events: TraceEvents
  var heartbeat: Nanoseconds?
  var ring: (completeSince: Nanoseconds, carried: Set<UInt32>)?
  var operationIndexes: IndexTable
  var queueIndexes: [UInt32: Int] = [:]
  var threads = ThreadTable()
  var edges = EdgeSet()
  var openWaits: [OpenWait: [Int]] = [:]
  var blocking = BlockingWaits()
  var adding = AddingCalls()
  var snapshots = ThreadSnapshots()
  var blocks = Blocks()
  var tasks: Tasks
  var samples = Samples()
  var memory = Memory()
  var loops = Loops()
  var orders = Orders()
  var openSpans: [UInt32: Int] = [:]
  /// Whether an event of each operation was seen, by row. The others are only named as a dependency.
  var isCreated: [Bool] = []
  var hasEvents: [Bool] = []
  var sharedTexts: [UInt32: SharedText] = [:]
  var definitions = Definitions()
  let unknownClass = SharedClass(TraceBuilder.unknownName)
  /// The wait that each thread finished last.
  var lastWaits: [UInt32: Int] = [:]
  /// The numbers of forgotten work: see `forget`.
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
    ring = whole.ring
    trace = Trace(header: whole.header)
    trace.loss = whole.loss
    operationIndexes = IndexTable(denseLimit: expectedEvents * 2 + 1024)
    tasks = Tasks(expectedEvents: expectedEvents)
    trace.operations.reserveCapacity(expectedOperations)
    isCreated.reserveCapacity(expectedOperations)
    hasEvents.reserveCapacity(expectedOperations)
  }

  /// Adds events that come after all those added before.
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

  /// The operation that an event is about; for a span, the operation in which it began. 0: none.
  func operation(of sort: EventSpec.Subject, _ subject: UInt32) -> UInt32 {
    switch sort {
    case .operation: isOther(subject) ? 0 : subject
    case .span: openSpans[subject].flatMap { trace.spans[$0].operation?.rawValue } ?? 0
    default: 0
    }
  }

  /// Whether this is the id of a block or a task.
  func isOther(_ id: UInt32) -> Bool { blocks.row(of: id) != nil || tasks.row(of: id) != nil }

  mutating func noteSign(of raw: UInt8, operation: UInt32, queue: UInt32, _ at: Stamp) {
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

  /// Notes a sign of life. If the operation is not known, its thread gets it.
  mutating func noteSign(ofOperation row: Int?, _ at: Stamp) {
    guard let row else { return threads.noteSign(at) }
    if at.time > trace.operations[row].lastSign ?? .min { trace.operations[row].lastSign = at.time }
  }

  /// The work that a thread executes. Work that is over may still be on the stack, if its last records are missing.
  func executing(on thread: ThreadID) -> ThreadTable.Running? {
    switch threads.executing(on: thread) {
    case .operation(let row)? where trace.operations[row].finished == nil: .operation(row)
    case .block(let row)? where !blocks.isOver(row): .block(row)
    case .task(let row)? where !tasks.isOver(row): .task(row)
    default: nil
    }
  }

  func id(of work: ThreadTable.Running) -> WorkID {
    switch work {
    case .operation(let row): trace.operations[row].id
    case .block(let row): blocks.id(at: row)
    case .task(let row): tasks.id(at: row)
    }
  }

  /// A text that many operations share, stored once.
  mutating func shared(_ id: UInt32) -> SharedText? {
    if let known = sharedTexts[id] { return known }
    guard let text = events.strings[id] else { return nil }
    let shared = SharedText(text)
    sharedTexts[id] = shared
    return shared
  }

  // MARK: - The end

  mutating func finish() -> Trace {
    settleCoverage()
    trace.end = max(trace.lastEvent, heartbeat ?? trace.lastEvent)
    // The program still ran then, though its last sign of life may be a second older.
    if let kept = trace.header.kept { trace.end = max(trace.end, kept.time) }
    trace.threads = threads.records()
    trace.snapshot = snapshots.finish()
    definitions.finish(&trace.operations)
    trace.stacks = definitions.stacks
    (trace.profile, trace.samples) = samples.finish(definitions.profile)
    trace.memory = memory.finish(definitions.memory)
    trace.loops = loops.finish()
    (trace.orders, trace.handovers, trace.threadStarts, trace.orderLoss) = orders.finish()
    trace.blocks = blocks.finish()
    trace.dispatchQueues = definitions.dispatchQueues
    trace.nameBlocks()
    trace.tasks = tasks.finish()
    trace.nameTasks()
    settleLostEnds()
    trace.locateQueues()
    // Waits on objects are recorded after they began, so sort; the sort is stable.
    let found = blocking.parts()
    trace.objects = found.objects
    trace.waits = (trace.waits + found.waits).sorted { $0.began < $1.began }
    trace.holdups = found.holdups.sorted { $0.began < $1.began }
    for call in adding.unreturned {
      if let row = operationIndexes[call.operation.rawValue] { trace.operations[row].addingSince = call.since }
    }
    trace.operations.settleOrder { operationIndexes[$0.rawValue] }
    if trace.operations.indices.dropFirst().contains(where: { trace.operations[$0 - 1].id > trace.operations[$0].id }) {
      trace.operations.sort { $0.id < $1.id }
    }
    trace.queues.sort { $0.id < $1.id }
    // The header counts all losses; records tell where most of them happened.
    var located: [LossReason: UInt64] = [:]
    for gap in trace.loss.gaps {
      let (sum, overflow) = located[gap.reason, default: 0].addingReportingOverflow(gap.count)
      located[gap.reason] = overflow ? .max : sum
    }
    trace.loss.lost.merge(located) { max($0, $1) }
    return trace
  }

  mutating func settleCoverage() {
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
  /// Whether a later event is there without an earlier one that must have happened.
  fileprivate var hasHole: Bool {
    if executionBegan != nil || startReturned != nil, started == nil { return true }
    if executionEnded != nil, executionBegan == nil { return true }
    return finished != nil && started == nil && cancelRequested == nil
  }
}
