import OpTraceAnalysis
import OpTraceModel

/// The large part of a report's data, as columns. Work of any kind, a thread, a queue is named by its row, its place in
/// the list; a text by its place among the texts of ``names``. Operations come first, then blocks of dispatch queues, then tasks. `model.mjs`
/// reads them.
///
/// Made after those of the same trace a while ago, they hold what has changed: rows that the page has are not written again.
struct ReportTables {
  var names: ReportNames
  private(set) var operations = TableEncoder(
    "operations", ColumnEncoder("id"), ColumnEncoder("name"), ColumnEncoder("class"), ColumnEncoder("function"),
    ColumnEncoder("queue"),
    ColumnEncoder("state"), ColumnEncoder("flags"), ColumnEncoder("priority"), ColumnEncoder("source"),
    ColumnEncoder("error"), ColumnEncoder("track", .track), ColumnEncoder("dependencyTrack", .track),
    ColumnEncoder("slotTrack", .track),
    ColumnEncoder("created"), ColumnEncoder("added"), ColumnEncoder("made"),
    ColumnEncoder("stands"), ColumnEncoder("submitter", .work), ColumnEncoder("way"),
    ColumnEncoder("computing"), ColumnEncoder("within"))
  private(set) var moments = TableEncoder("moments", Self.momentColumns)
  /// The folded box of the graph that each work is in.
  private(set) var boxes = TableEncoder("boxes", ColumnEncoder("box"))
  /// The lives of tasks, task after task.
  var pieces = TableEncoder(
    "pieces", ColumnEncoder("row", .work), ColumnEncoder("kind"), ColumnEncoder("begin"),
    ColumnEncoder("end", base: "begin"),
    ColumnEncoder("isOpen"), ColumnEncoder("thread"), ColumnEncoder("awaited", .work), ColumnEncoder("resumer", .work),
    ColumnEncoder("stack"))
  var dependencies = TableEncoder(
    "dependencies", ColumnEncoder("operation", .work), ColumnEncoder("on", base: "operation", .work),
    ColumnEncoder("removed"))
  var details = TableEncoder(
    "details", ColumnEncoder("track", .track), ColumnEncoder("begin"), ColumnEncoder("end", base: "begin"),
    ColumnEncoder("kind"),
    ColumnEncoder("isOpen"), ColumnEncoder("name"), ColumnEncoder("operation", .work), ColumnEncoder("thread"),
    ColumnEncoder("signal", .work), ColumnEncoder("stack"))
  private(set) var counters = TableEncoder(
    "counters", ColumnEncoder("group", .group), ColumnEncoder("kind"), ColumnEncoder("time"), ColumnEncoder("value"))
  var instants = TableEncoder(
    "instants", ColumnEncoder("time"), ColumnEncoder("name"), ColumnEncoder("operation", .work), ColumnEncoder("queue"))
  private(set) var tracks = TableEncoder("tracks", ColumnEncoder("group", .group), ColumnEncoder("name"))
  var steps = TableEncoder(
    "steps", ColumnEncoder("row", .work), ColumnEncoder("cause"), ColumnEncoder("causeRow", .work),
    ColumnEncoder("began"),
    ColumnEncoder("ended", base: "began"), ColumnEncoder("dependencies"), ColumnEncoder("slot"),
    ColumnEncoder("running"))
  var remaining = TableEncoder("remaining", ColumnEncoder("row", .work))
  /// Functions on stacks.
  private(set) var frames = TableEncoder(
    "frames", ColumnEncoder("caller"), ColumnEncoder("title"), ColumnEncoder("place"), ColumnEncoder("image"),
    ColumnEncoder("flags"))
  /// What goes on with a page that lives; nil: this is all.
  private(set) var living: LivingTables?

  /// `lives`: these are the first of a page that will be told how they grow. `last`: these are what has changed since, and `known` the
  /// names of then, which nobody else has: they would be copied.
  init(
    _ trace: Trace, _ timeline: Timeline, _ counterValues: CounterValues, _ path: CriticalPath, _ stuck: StuckPart,
    boxes: [OperationID: Int], lives: Bool = false, after last: ReportTables? = nil,
    names known: consuming ReportNames = ReportNames()
  ) {
    names = known
    names.meet(trace)
    let places = Places(trace, timeline)
    if lives || last != nil { grow(LivingTables(trace, timeline, places, after: last?.living), from: last) }
    addOperations(trace, places, stuck)
    addMoments(trace)
    for place in 0..<trace.workCount { self.boxes.append([boxes[trace.workID(at: place)]], key: key(ofWork: place)) }
    addPieces(trace)
    addDependencies(trace)
    addDetails(trace, timeline)
    for value in counterValues.values {
      counters.append(
        [value.group, value.kind.rawValue, Int(value.time), value.value], key: RowKey(Int(value.time)))
    }
    for track in timeline.tracks { tracks.append([track.group, names.place(of: track.name)]) }
    addInstants(trace)
    addPath(path, trace)
  }

  /// The names, which are here no longer.
  mutating func takeNames() -> ReportNames {
    let taken = names
    names = ReportNames()
    return taken
  }

  var all: [TableEncoder] {
    [operations, moments, boxes, pieces, dependencies, details, counters, instants, tracks, steps, remaining, frames]
  }

  private mutating func grow(_ now: LivingTables, from last: ReportTables?) {
    living = now
    let numbers = now.numbers
    operations.grow(from: last?.operations.growth, numbers)
    moments.grow(from: last?.moments.growth, numbers)
    boxes.grow(from: last?.boxes.growth, numbers)
    pieces.grow(from: last?.pieces.growth, numbers)
    dependencies.grow(from: last?.dependencies.growth, numbers)
    // The order of the details is that of the tracks.
    details.grow(from: last?.details.growth?.withKeys { RowKey(now.track(after: $0.first), $0.second) }, numbers)
    counters.grow(from: last?.counters.growth, numbers)
    instants.grow(from: last?.instants.growth, numbers)
    tracks.grow(from: last?.tracks.growth, numbers)
    steps.grow(from: last?.steps.growth, numbers)
    remaining.grow(from: last?.remaining.growth, numbers)
    frames.grow(from: last?.frames.growth, numbers)
    frames.keepAll()
  }

  /// The order of work: operations, then blocks, then tasks.
  func key(ofWork row: Int) -> RowKey { RowKey(living?.numbers.work(row) ?? row) }

  /// The row of a stack's innermost function; nil: it is not known. O(new frames).
  mutating func row(of innermost: FrameID?, _ stacks: StackTable) -> Int? {
    guard let innermost else { return nil }
    if let known = names.frameRows[innermost] { return known }
    let inside = stacks.stack(innermost).prefix { names.frameRows[$0] == nil }
    var met = Set<FrameID>()
    // A circle of a damaged trace is cut where it closes.
    let new = inside.prefix { met.insert($0).inserted }
    var caller = new.last.flatMap { stacks[$0]?.caller }.flatMap { names.frameRows[$0] }
    for id in new.reversed() {
      for function in stacks.functions(of: id).reversed() {
        let flags = (function.isGuessed ? 1 : 0) + (function.isInlined ? 2 : 0) + (function.isOwn ? 4 : 0)
        frames.append([
          caller, names.place(of: function.title), function.lineText.map { names.place(of: $0) },
          function.image.map { names.place(of: $0) }, flags,
        ])
        caller = frames.count - 1
      }
      names.frameRows[id] = caller
    }
    return names.frameRows[innermost]
  }

  /// The tracks of each operation's execution and waits; nil: none.
  struct Places {
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

  private mutating func addOperations(_ trace: Trace, _ tracks: Places, _ stuck: StuckPart) {
    let barriers = BarrierWaits(in: trace)
    var stands: [OperationID: FrameID] = [:]
    for thread in ThreadStatuses(of: trace).threads {
      if let operation = thread.operation, let stack = thread.stack { stands[operation] = stack }
    }
    func track(_ index: Timeline.TrackIndex) -> Int? { index < 0 ? nil : Int(index) }
    trace.operations.withUnsafeBufferPointer { records in
      for row in records.indices {
        if living?.isSettled(row) == true, operations.keepsUnseen(key(ofWork: row)) { continue }
        let id = records[row].id
        let state = ReportState(of: records[row], at: row, stuck)
        let flags = ReportFlags(of: records[row], barriers.parts(of: records[row]))
        operations.append(
          [
            Int(id.rawValue), (records[row].name ?? records[row].function?.shortName).map { names.place(of: $0) },
            names.place(of: records[row].className), records[row].function.map { names.place(of: $0.shortName) },
            records[row].scheduler.flatMap { names.queueRows[$0] }, state.rawValue, flags.rawValue,
            Int(records[row].priority),
            records[row].placeText.map { names.place(of: $0) }, records[row].error.map { names.place(of: $0) },
            track(tracks.execution[row]), track(tracks.dependencies[row]), track(tracks.slot[row]),
            records[row].created.map { Int($0) }, self.row(of: records[row].addedAt, trace.stacks),
            self.row(of: trace.stacks.makerPlace(of: records[row]) == nil ? nil : records[row].madeAt, trace.stacks),
            self.row(of: stands[id], trace.stacks), nil, nil, records[row].processorTime.map { Int($0) },
            trace.span(around: id).map { names.place(of: $0.name) },
          ], key: key(ofWork: row))
      }
    }
    addWork(trace.blocks, .block, trace, tracks, stands)
    addWork(trace.tasks, .task, trace, tracks, stands)
  }

  /// What is no operation: its three times, its place and who submitted it are told the same way.
  private mutating func addWork(
    _ works: [some Work], _ kind: WorkKind, _ trace: Trace, _ tracks: Places, _ stands: [WorkID: FrameID]
  ) {
    func track(_ index: Timeline.TrackIndex) -> Int? { index < 0 ? nil : Int(index) }
    let first = kind.first(in: trace)
    for (place, work) in works.enumerated() {
      let row = first + place
      var flags: ReportFlags = work.isOutcomeKnown ? [.leavesThread] : [.leavesThread, .unknown]
      let function = work.function
      let task = work as? TaskRecord
      if task?.parent != nil { flags.insert(.child) }
      let way = (work as? BlockRecord).flatMap { $0.way.words(isInGroup: $0.isInGroup) } ?? task?.way.words
      operations.append(
        [
          Int(work.id.rawValue), names.place(of: work.title), names.place(of: work.kind),
          function.map { names.place(of: $0.shortName) }, work.scheduler.flatMap { names.queueRows[$0] },
          ShownState(work.standing).ordinal, flags.rawValue, Int(task?.priority ?? 0),
          function?.lineText.map { names.place(of: $0) }, nil,
          track(tracks.execution[row]), track(tracks.dependencies[row]), track(tracks.slot[row]), nil,
          self.row(of: work.submittedAt, trace.stacks), nil, self.row(of: stands[work.id], trace.stacks),
          work.submitter.flatMap(trace.workIndex(of:)), way.map { names.place(of: $0) }, nil,
          trace.span(around: work.id).map { names.place(of: $0.name) },
        ], key: key(ofWork: row))
    }
  }

  /// Every moment with its thread; each relative to the one before it in an operation's life, which is mostly near.
  private static let momentKinds: [(name: String, base: Int?, stamp: @Sendable (borrowing OperationRecord) -> Stamp?)] =
    [
      ("enqueued", nil, { $0.enqueued }), ("ready", 0, { $0.ready }), ("started", 1, { $0.started }),
      ("executing", 2, { $0.executionBegan }), ("executionEnded", 3, { $0.executionEnded }),
      ("startReturned", 4, { $0.startReturned }), ("finished", 4, { $0.finished }),
      ("cancelRequested", nil, { $0.cancelRequested }), ("released", 6, { $0.released }),
      ("completionBegan", 6, { $0.completion?.began }), ("completionEnded", 9, { $0.completion?.ended }),
    ]

  private static let momentColumns = momentKinds.flatMap { kind in
    [ColumnEncoder(kind.name, base: kind.base.map { momentKinds[$0].name }), ColumnEncoder(kind.name + "Thread")]
  }

  private mutating func addMoments(_ trace: Trace) {
    trace.operations.withUnsafeBufferPointer { records in
      var values: [Int?] = []
      for row in records.indices {
        if living?.isSettled(row) == true, moments.keepsUnseen(key(ofWork: row)) { continue }
        values.removeAll(keepingCapacity: true)
        for kind in Self.momentKinds {
          let stamp = kind.stamp(records[row])
          values.append(stamp.map { Int($0.time) })
          values.append(stamp.map { names.row(of: $0.thread) })
        }
        moments.append(values, key: key(ofWork: row))
      }
    }
    addMoments(of: trace.blocks, .block, trace)
    addMoments(of: trace.tasks, .task, trace)
  }

  private mutating func addMoments(of works: [some Work], _ kind: WorkKind, _ trace: Trace) {
    let first = kind.first(in: trace)
    for (place, work) in works.enumerated() {
      // Where it ended is where it ran last; that it was passed over has no thread.
      let last = work.runs.last?.thread
      let stamps: [String: (time: Nanoseconds, thread: ThreadID?)] = [
        "enqueued": work.submitted.map { ($0.time, $0.thread) }, "ready": work.runnable.map { ($0, nil) },
        "executing": work.began.map { ($0.time, $0.thread) }, "finished": work.over.map { ($0, last) },
        "cancelRequested":
          ((work as? BlockRecord)?.cancelRequested ?? (work as? TaskRecord)?.cancelRequested).map { ($0, nil) },
      ].compactMapValues { $0 }
      let values = Self.momentKinds.flatMap { kind -> [Int?] in
        let stamp = stamps[kind.name]
        return [stamp.map { Int($0.time) }, stamp?.thread.map { names.row(of: $0) }]
      }
      moments.append(values, key: key(ofWork: first + place))
    }
  }
}
