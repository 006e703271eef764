import OpTraceAnalysis
import OpTraceFormat
import OpTraceModel

/// The large part of a report's data, as columns. Work of any kind, a thread, a queue is named by its row, its place in
/// the list; a text by its place among ``strings``. Operations come first, then blocks of dispatch queues, then tasks; so do their queues. `model.mjs` reads them.
struct ReportTables {
  /// By place, every text once.
  private(set) var strings: [String] = []
  private var places: [String: Int] = [:]
  /// Those that the trace describes, and those that it only names.
  private(set) var threads: [ThreadRecord]
  private var threadRows: [ThreadID: Int] = [:]
  private(set) var queueRows: [SchedulerID: Int] = [:]

  private(set) var operations = TableEncoder(
    "operations", ColumnEncoder("id"), ColumnEncoder("name"), ColumnEncoder("class"), ColumnEncoder("function"),
    ColumnEncoder("queue"),
    ColumnEncoder("state"), ColumnEncoder("flags"), ColumnEncoder("priority"), ColumnEncoder("source"),
    ColumnEncoder("error"), ColumnEncoder("track"), ColumnEncoder("dependencyTrack"), ColumnEncoder("slotTrack"),
    ColumnEncoder("box"), ColumnEncoder("created"), ColumnEncoder("added"), ColumnEncoder("made"),
    ColumnEncoder("stands"), ColumnEncoder("submitter"), ColumnEncoder("way"),
    ColumnEncoder("computing"))
  private(set) var moments = TableEncoder("moments")
  /// The lives of tasks, task after task.
  private(set) var pieces = TableEncoder(
    "pieces", ColumnEncoder("row"), ColumnEncoder("kind"), ColumnEncoder("begin"), ColumnEncoder("end", base: "begin"),
    ColumnEncoder("isOpen"), ColumnEncoder("thread"), ColumnEncoder("awaited"), ColumnEncoder("resumer"),
    ColumnEncoder("stack"))
  private(set) var dependencies = TableEncoder(
    "dependencies", ColumnEncoder("operation"), ColumnEncoder("on", base: "operation"), ColumnEncoder("removed"))
  private(set) var details = TableEncoder(
    "details", ColumnEncoder("track"), ColumnEncoder("begin"), ColumnEncoder("end", base: "begin"),
    ColumnEncoder("kind"),
    ColumnEncoder("isOpen"), ColumnEncoder("name"), ColumnEncoder("operation"), ColumnEncoder("thread"),
    ColumnEncoder("signal"), ColumnEncoder("stack"))
  private(set) var counters = TableEncoder(
    "counters", ColumnEncoder("group"), ColumnEncoder("kind"), ColumnEncoder("time"), ColumnEncoder("value"))
  private(set) var instants = TableEncoder(
    "instants", ColumnEncoder("time"), ColumnEncoder("name"), ColumnEncoder("operation"), ColumnEncoder("queue"))
  private(set) var tracks = TableEncoder("tracks", ColumnEncoder("group"), ColumnEncoder("name"))
  private(set) var steps = TableEncoder(
    "steps", ColumnEncoder("row"), ColumnEncoder("cause"), ColumnEncoder("causeRow"), ColumnEncoder("began"),
    ColumnEncoder("ended", base: "began"), ColumnEncoder("dependencies"), ColumnEncoder("slot"),
    ColumnEncoder("running"))
  private(set) var remaining = TableEncoder("remaining", ColumnEncoder("row"))
  /// Functions on stacks; a stack is named by the row of its innermost one.
  private(set) var frames = TableEncoder(
    "frames", ColumnEncoder("caller"), ColumnEncoder("title"), ColumnEncoder("place"), ColumnEncoder("image"),
    ColumnEncoder("flags"))
  private var frameRows: [FrameID: Int] = [:]

  init(
    _ trace: Trace, _ timeline: Timeline, _ counterValues: CounterValues, _ path: CriticalPath, _ stuck: StuckPart,
    boxes: [OperationID: Int]
  ) {
    threads = trace.threads
    for (row, thread) in threads.enumerated() { threadRows[thread.id] = row }
    for (row, queue) in trace.queues.enumerated() { queueRows[.queue(queue.id)] = row }
    for (row, queue) in trace.usedDispatchQueues.enumerated() {
      queueRows[.dispatchQueue(queue.id)] = trace.queues.count + row
    }
    addOperations(trace, Places(trace, timeline), stuck, path, boxes)
    addMoments(trace)
    addPieces(trace)
    addDependencies(trace)
    addDetails(trace, timeline)
    for value in counterValues.values {
      counters.append(value.group, value.kind.rawValue, Int(value.time), value.value)
    }
    for track in timeline.tracks { tracks.append(track.group, place(of: track.name)) }
    addInstants(trace)
    addPath(path, trace)
  }

  var all: [TableEncoder] {
    [operations, moments, pieces, dependencies, details, counters, instants, tracks, steps, remaining, frames]
  }

  mutating func place(of text: String) -> Int {
    if let known = places[text] { return known }
    places[text] = strings.count
    strings.append(text)
    return strings.count - 1
  }

  mutating func row(of thread: ThreadID) -> Int {
    if let known = threadRows[thread] { return known }
    threadRows[thread] = threads.count
    threads.append(ThreadRecord(id: thread, systemID: 0, name: "", isMain: false))
    return threads.count - 1
  }

  /// The row of a stack's innermost function; nil: it is not known. O(new frames).
  private mutating func row(of innermost: FrameID?, _ stacks: StackTable) -> Int? {
    guard let innermost else { return nil }
    if let known = frameRows[innermost] { return known }
    let inside = stacks.stack(innermost).prefix { frameRows[$0] == nil }
    var met = Set<FrameID>()
    // A circle of a damaged trace is cut where it closes.
    let new = inside.prefix { met.insert($0).inserted }
    var caller = new.last.flatMap { stacks[$0]?.caller }.flatMap { frameRows[$0] }
    for id in new.reversed() {
      for function in stacks.functions(of: id).reversed() {
        let flags = (function.isGuessed ? 1 : 0) + (function.isInlined ? 2 : 0) + (function.isOwn ? 4 : 0)
        frames.append(
          caller, place(of: function.title), function.lineText.map { place(of: $0) },
          function.image.map { place(of: $0) }, flags)
        caller = frames.count - 1
      }
      frameRows[id] = caller
    }
    return frameRows[innermost]
  }

  /// The tracks of each operation's execution and waits; nil: none.
  private struct Places {
    var execution: [Timeline.TrackIndex]
    var dependencies: [Timeline.TrackIndex]
    var slot: [Timeline.TrackIndex]

    init(_ trace: Trace, _ timeline: Timeline) {
      execution = .init(repeating: -1, count: trace.workCount)
      dependencies = execution
      slot = execution
      for one in timeline.executions where one.kind == .run { execution[Int(one.work)] = one.track }
      // Tasks have one row, the track of their runs and of all that lies between them.
      for wait in timeline.waits {
        if wait.group == timeline.tasksGroup {
          execution[Int(wait.work)] = max(execution[Int(wait.work)], wait.track)
          continue
        }
        switch wait.kind {
        case .dependencies: dependencies[Int(wait.work)] = wait.track
        case .slot: slot[Int(wait.work)] = wait.track
        case .suspended: break
        }
      }
    }
  }

  private mutating func addOperations(
    _ trace: Trace, _ tracks: Places, _ stuck: StuckPart, _ path: CriticalPath, _ boxes: [OperationID: Int]
  ) {
    let critical = Set(path.works)
    let barriers = BarrierWaits(in: trace)
    var stands: [OperationID: FrameID] = [:]
    for thread in ThreadStatuses(of: trace).threads {
      if let operation = thread.operation, let stack = thread.stack { stands[operation] = stack }
    }
    func track(_ index: Timeline.TrackIndex) -> Int? { index < 0 ? nil : Int(index) }
    trace.operations.withUnsafeBufferPointer { records in
      for row in records.indices {
        let id = records[row].id
        let state = ReportState(of: records[row], at: row, stuck)
        let flags = ReportFlags(of: records[row], isCritical: critical.contains(id), barriers.parts(of: records[row]))
        operations.append(
          Int(id.rawValue), (records[row].name ?? records[row].function?.shortName).map { place(of: $0) },
          place(of: records[row].className), records[row].function.map { place(of: $0.shortName) },
          records[row].scheduler.flatMap { queueRows[$0] }, state.rawValue, flags.rawValue, Int(records[row].priority),
          records[row].placeText.map { place(of: $0) }, records[row].error.map { place(of: $0) },
          track(tracks.execution[row]), track(tracks.dependencies[row]), track(tracks.slot[row]), boxes[id],
          records[row].created.map { Int($0) }, self.row(of: records[row].addedAt, trace.stacks),
          self.row(of: trace.stacks.makerPlace(of: records[row]) == nil ? nil : records[row].madeAt, trace.stacks),
          self.row(of: stands[id], trace.stacks), nil, nil, records[row].processorTime.map { Int($0) })
      }
    }
    addWork(trace.blocks, .block, trace, tracks, stands, critical, boxes)
    addWork(trace.tasks, .task, trace, tracks, stands, critical, boxes)
  }

  /// What is no operation: its three times, its place and who submitted it are told the same way.
  private mutating func addWork(
    _ works: [some Work], _ kind: WorkKind, _ trace: Trace, _ tracks: Places, _ stands: [WorkID: FrameID],
    _ critical: Set<WorkID>, _ boxes: [WorkID: Int]
  ) {
    func track(_ index: Timeline.TrackIndex) -> Int? { index < 0 ? nil : Int(index) }
    let first = kind.first(in: trace)
    for (place, work) in works.enumerated() {
      let row = first + place
      var flags: ReportFlags = work.isOutcomeKnown ? [.leavesThread] : [.leavesThread, .unknown]
      let function = work.function
      let task = work as? TaskRecord
      if task?.parent != nil { flags.insert(.child) }
      if critical.contains(work.id) { flags.insert(.critical) }
      let way = (work as? BlockRecord).flatMap { $0.way.words(isInGroup: $0.isInGroup) } ?? task?.way.words
      operations.append(
        Int(work.id.rawValue), self.place(of: work.title), self.place(of: work.kind),
        function.map { self.place(of: $0.shortName) }, work.scheduler.flatMap { queueRows[$0] },
        ShownState(work.standing).ordinal, flags.rawValue, Int(task?.priority ?? 0),
        function?.lineText.map { self.place(of: $0) }, nil,
        track(tracks.execution[row]), track(tracks.dependencies[row]), track(tracks.slot[row]), boxes[work.id], nil,
        self.row(of: work.submittedAt, trace.stacks), nil, self.row(of: stands[work.id], trace.stacks),
        work.submitter.flatMap(trace.workIndex(of:)), way.map { self.place(of: $0) }, nil)
    }
  }

  /// Every moment with its thread; each relative to the one before it in an operation's life, which is mostly near.
  private mutating func addMoments(_ trace: Trace) {
    let kinds: [(name: String, base: Int?, stamp: (borrowing OperationRecord) -> Stamp?)] = [
      ("enqueued", nil, { $0.enqueued }), ("ready", 0, { $0.ready }), ("started", 1, { $0.started }),
      ("executing", 2, { $0.executionBegan }), ("executionEnded", 3, { $0.executionEnded }),
      ("startReturned", 4, { $0.startReturned }), ("finished", 4, { $0.finished }),
      ("cancelRequested", nil, { $0.cancelRequested }), ("released", 6, { $0.released }),
      ("completionBegan", 6, { $0.completion?.began }), ("completionEnded", 9, { $0.completion?.ended }),
    ]
    for kind in kinds {
      moments.columns.append(ColumnEncoder(kind.name, base: kind.base.map { kinds[$0].name }))
      moments.columns.append(ColumnEncoder(kind.name + "Thread"))
    }
    trace.operations.withUnsafeBufferPointer { records in
      for row in records.indices {
        for (place, kind) in kinds.enumerated() {
          let stamp = kind.stamp(records[row])
          let base = kind.base.flatMap { kinds[$0].stamp(records[row])?.time }
          moments.columns[2 * place].append(stamp?.time, relative: base)
          moments.columns[2 * place + 1].append(stamp.map { self.row(of: $0.thread) })
        }
      }
    }
    addMoments(of: trace.blocks, kinds.map { (name: $0.name, base: $0.base) })
    addMoments(of: trace.tasks, kinds.map { (name: $0.name, base: $0.base) })
  }

  private mutating func addMoments(of works: [some Work], _ kinds: [(name: String, base: Int?)]) {
    for work in works {
      // Where it ended is where it ran last; that it was passed over has no thread.
      let last = work.runs.last?.thread
      let stamps: [String: (time: Nanoseconds, thread: ThreadID?)] = [
        "enqueued": work.submitted.map { ($0.time, $0.thread) }, "ready": work.runnable.map { ($0, nil) },
        "executing": work.began.map { ($0.time, $0.thread) }, "finished": work.over.map { ($0, last) },
        "cancelRequested":
          ((work as? BlockRecord)?.cancelRequested ?? (work as? TaskRecord)?.cancelRequested).map { ($0, nil) },
      ].compactMapValues { $0 }
      for (place, kind) in kinds.enumerated() {
        let stamp = stamps[kind.name]
        moments.columns[2 * place].append(stamp?.time, relative: kind.base.flatMap { stamps[kinds[$0].name]?.time })
        moments.columns[2 * place + 1].append(stamp?.thread.map { self.row(of: $0) })
      }
    }
  }

  /// Runs, waits for a turn and suspensions, by `kind`: see ``pieceKinds``.
  private mutating func addPieces(_ trace: Trace) {
    let first = WorkKind.task.first(in: trace)
    for (place, task) in trace.tasks.enumerated() {
      for piece in task.pieces(traceEnd: trace.end) {
        let suspension = piece.kind == .run || piece.place < 0 ? nil : task.suspensions[piece.place]
        let thread = piece.kind == .run ? task.runs[piece.place].thread : nil
        let isTurn = piece.kind == .turn
        let kind: Int
        switch piece.kind {
        case .run: kind = 0
        case .turn: kind = 1
        case .suspended: kind = suspension.map { 3 + Int($0.reason.rawValue) } ?? 2
        }
        let values: [Int?] = [
          first + place, kind, Int(piece.begin), nil, piece.isOpen ? 1 : 0,
          (thread ?? (isTurn ? suspension?.enqueued?.thread : nil)).map { row(of: $0) },
          isTurn ? nil : suspension?.awaited.flatMap(trace.workIndex(of:)),
          isTurn ? suspension?.resumer.flatMap(trace.workIndex(of:)) : nil,
          isTurn ? nil : row(of: suspension?.at, trace.stacks),
        ]
        for (column, value) in values.enumerated() {
          if column == 3 {
            pieces.columns[column].append(piece.end, relative: piece.begin)
          } else {
            pieces.columns[column].append(value)
          }
        }
      }
    }
  }

  /// What the kinds of pieces are called, by their numbers: the three of ``TaskPiece``, then the reasons.
  static let pieceKinds = ["run", "turn", "suspended"] + TaskRecord.Reason.allCases.map { "\($0)" }

  /// In the order of the operations that have them; mostly on a near one. What is not in the trace has no row.
  private mutating func addDependencies(_ trace: Trace) {
    for row in trace.operations.indices where !trace.operations[row].dependencies.isEmpty {
      for dependency in trace.operations[row].dependencies {
        dependencies.columns[0].append(row)
        dependencies.columns[1].append(trace.index(of: dependency.on), relative: row)
        dependencies.columns[2].append(dependency.removed)
      }
    }
  }

  private mutating func addInstants(_ trace: Trace) {
    let queueRows = Dictionary(trace.queues.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    for one in TraceInstant.all(of: trace).sorted(by: { $0.time < $1.time }) {
      let facts = one.instant.facts(in: trace)
      instants.append(
        Int(one.time), place(of: facts.name), facts.operation.flatMap { trace.workIndex(of: $0) },
        facts.queue.flatMap { queueRows[$0] })
    }
  }

  private mutating func addPath(_ path: CriticalPath, _ trace: Trace) {
    for step in path.steps {
      let cause =
        switch step.cause {
        case .start: 0
        case .dependency: 1
        case .slot: 2
        case .submission: 3
        case .signal: 4
        }
      let values: [(Nanoseconds?, Nanoseconds?)] = [
        (step.began, nil), (step.ended, step.began), (step.waitingForDependencies, nil), (step.waitingForSlot, nil),
        (step.running, nil),
      ]
      steps.columns[0].append(trace.workIndex(of: step.work))
      steps.columns[1].append(cause)
      steps.columns[2].append(step.cause.work.flatMap { trace.workIndex(of: $0) })
      for (place, value) in values.enumerated() { steps.columns[3 + place].append(value.0, relative: value.1) }
    }
    for id in path.remaining { remaining.append(trace.index(of: id)) }
  }

  private mutating func addDetails(_ trace: Trace, _ timeline: Timeline) {
    for detail in timeline.details.sorted(by: { ($0.track, $0.begin, $1.end) < ($1.track, $1.begin, $0.end) }) {
      let facts = DetailFacts(detail, timeline, trace)
      details.columns[0].append(Int(detail.track))
      details.columns[1].append(detail.begin)
      details.columns[2].append(detail.end, relative: detail.begin)
      details.columns[3].append(facts.kind)
      details.columns[4].append(detail.isOpen ? 1 : 0)
      details.columns[5].append(place(of: facts.name))
      details.columns[6].append(facts.operation)
      details.columns[7].append(row(of: facts.thread))
      details.columns[8].append(facts.signal)
      details.columns[9].append(self.row(of: facts.stack, trace.stacks))
    }
  }
}

/// What an operation is shown as, by its place in the page's list of states: ``ShownState``, or unknown.
struct ReportState {
  static let words = ShownState.allCases.map(\.rawValue) + ["unknown"]
  let rawValue: Int

  init(of operation: borrowing OperationRecord, at row: Int, _ stuck: StuckPart) {
    let state: ShownState =
      stuck.circles[row] != nil
      ? .deadlocked
      : stuck.stalled.contains(row) || stuck.culprits.contains(row) ? .stalled : ShownState(operation.state)
    let isStuck = state == .deadlocked || state == .stalled
    rawValue = isStuck || operation.isOutcomeKnown ? state.ordinal : Self.words.count - 1
  }
}

/// Yes-or-no facts of an operation, as `model.mjs` names them.
struct ReportFlags: OptionSet {
  let rawValue: Int
  static let asynchronous = Self(rawValue: 1)
  static let barrier = Self(rawValue: 2)
  static let leavesThread = Self(rawValue: 4)
  static let external = Self(rawValue: 8)
  static let partial = Self(rawValue: 16)
  static let critical = Self(rawValue: 32)
  static let unknown = Self(rawValue: 64)
  /// What the three times count as a wait for dependencies, or for a slot, was one for a barrier.
  static let barrierForDependencies = Self(rawValue: 128)
  static let barrierForSlot = Self(rawValue: 256)
  /// A task that its parent waits for.
  static let child = Self(rawValue: 512)

  init(rawValue: Int) { self.rawValue = rawValue }

  init(of operation: borrowing OperationRecord, isCritical: Bool, _ barriers: BarrierWaits.Parts) {
    self = []
    if barriers.contains(.dependencies) { insert(.barrierForDependencies) }
    if barriers.contains(.slot) { insert(.barrierForSlot) }
    if operation.isAsynchronous { insert(.asynchronous) }
    if operation.isBarrier { insert(.barrier) }
    if operation.leavesThread { insert(.leavesThread) }
    if operation.coverage == .external { insert(.external) }
    if operation.coverage == .partial { insert(.partial) }
    if isCritical { insert(.critical) }
    if !operation.isOutcomeKnown { insert(.unknown) }
  }
}

/// What the page shows of a detail of the timeline.
private struct DetailFacts {
  var kind: Int
  var name: String
  var operation: Int?
  var thread: ThreadID
  /// The operation whose signal ended the wait.
  var signal: Int?
  /// Where the thread stood.
  var stack: FrameID?

  init(_ detail: Timeline.Detail, _ timeline: Timeline, _ trace: Trace) {
    switch detail.kind {
    case .block(let row, let block):
      kind = 0
      name = "block \(block.index + 1)"
      operation = Int(row)
      thread = block.thread
    case .span(let place):
      let span = trace.spans[place]
      kind = 1
      name = span.name
      operation = span.operation.flatMap { trace.workIndex(of: $0) }
      thread = span.began.thread
    case .wait(let place):
      let wait = trace.waits[place]
      kind = 2
      name = "waits for " + timeline.name(of: wait.target, in: trace)
      operation = wait.inside.flatMap { trace.workIndex(of: $0) }
      thread = wait.thread
      signal = (wait.endSignal ?? wait.lastSignal)?.operation.flatMap { trace.workIndex(of: $0) }
      stack = wait.at
    case .gap(let place):
      let gap = trace.loss.gaps[place]
      kind = 3
      name = "\(gap.count) records lost: \(gap.reason.explanation)"
      thread = gap.thread
    case .run(let row):
      let work = trace.work(at: Int(row))
      kind = 5
      name = work.title
      operation = Int(row)
      thread = work.run(at: detail.begin)?.thread ?? ThreadID(0)
    case .start(let row):
      kind = 4
      name = "start()"
      operation = Int(row)
      thread = trace.operations[Int(row)].executionBegan?.thread ?? ThreadID(0)
    case .completion(let row):
      kind = 6
      name = "completion block"
      operation = Int(row)
      thread = trace.operations[Int(row)].completion?.began?.thread ?? ThreadID(0)
    }
  }
}
