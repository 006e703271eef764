import OpTraceGraph
import OpTraceTimeline
import OpTraceKernel
import OpTraceModel

/// The large part of a report's data, as columns. Work of any kind, a thread or a queue is identified by its row, which
/// is its index in the list; a text by its index among the texts of ``names``. Operations come first, then blocks of
/// dispatch queues, then tasks. `model.mjs` reads them.
///
/// If they are made after earlier tables of the same trace, they contain only what has changed: rows that the page has
/// are not written again.
package struct ReportTables {
  var names: ReportNames
  var operations = TableEncoder(
    "operations", ColumnEncoder("id"), ColumnEncoder("name"), ColumnEncoder("class"), ColumnEncoder("function"),
    ColumnEncoder("queue"),
    ColumnEncoder("state"), ColumnEncoder("flags"), ColumnEncoder("priority"), ColumnEncoder("source"),
    ColumnEncoder("error"), ColumnEncoder("track", .track), ColumnEncoder("dependencyTrack", .track),
    ColumnEncoder("slotTrack", .track),
    ColumnEncoder("created", .time), ColumnEncoder("added"), ColumnEncoder("made"),
    ColumnEncoder("stands"), ColumnEncoder("submitter", .work), ColumnEncoder("way"),
    ColumnEncoder("computing", .time), ColumnEncoder("within"), ColumnEncoder("threadWait", .time))
  var moments = TableEncoder("moments", Self.momentColumns)
  /// How long each task was suspended, waited for its turn, and ran.
  var taskTimes = TableEncoder(
    "taskTimes", ColumnEncoder("suspended", .time), ColumnEncoder("turn", .time), ColumnEncoder("running", .time))
  /// The folded box of the graph that each piece of work is in.
  private(set) var boxes = TableEncoder("boxes", ColumnEncoder("box"))
  /// The pieces of the lives of tasks, task after task.
  var pieces = TableEncoder(
    "pieces", ColumnEncoder("row", .work), ColumnEncoder("kind"), ColumnEncoder("begin", .time),
    ColumnEncoder("end", base: "begin", .time),
    ColumnEncoder("isOpen"), ColumnEncoder("thread"), ColumnEncoder("awaited", .work), ColumnEncoder("resumer", .work),
    ColumnEncoder("stack"), ColumnEncoder("actor"))
  var dependencies = TableEncoder(
    "dependencies", ColumnEncoder("operation", .work), ColumnEncoder("on", base: "operation", .work),
    ColumnEncoder("removed", .time))
  var details = TableEncoder(
    "details", ColumnEncoder("track", .track), ColumnEncoder("begin", .time),
    ColumnEncoder("end", base: "begin", .time),
    ColumnEncoder("kind"),
    ColumnEncoder("isOpen"), ColumnEncoder("name"), ColumnEncoder("operation", .work), ColumnEncoder("thread"),
    ColumnEncoder("signal", .work), ColumnEncoder("stack"))
  private(set) var counters = TableEncoder(
    "counters", ColumnEncoder("group", .group), ColumnEncoder("kind"), ColumnEncoder("time", .time),
    ColumnEncoder("value"))
  var instants = TableEncoder(
    "instants", ColumnEncoder("time", .time), ColumnEncoder("name"), ColumnEncoder("operation", .work),
    ColumnEncoder("queue"))
  private(set) var tracks = TableEncoder("tracks", ColumnEncoder("group", .group), ColumnEncoder("name"))
  var steps = TableEncoder(
    "steps", ColumnEncoder("row", .work), ColumnEncoder("cause"), ColumnEncoder("causeRow", .work),
    ColumnEncoder("began", .time),
    ColumnEncoder("ended", base: "began", .time), ColumnEncoder("dependencies", .time), ColumnEncoder("slot", .time),
    ColumnEncoder("running", .time), ColumnEncoder("thread", .time))
  var remaining = TableEncoder("remaining", ColumnEncoder("row", .work))
  /// The functions on stacks.
  private(set) var frames = TableEncoder(
    "frames", ColumnEncoder("caller"), ColumnEncoder("title"), ColumnEncoder("place"), ColumnEncoder("image"),
    ColumnEncoder("flags"))
  /// The functions that samples were taken in, and which of them called which: see ``ReportCallFlags``.
  var sampledFunctions = TableEncoder(
    "sampledFunctions", ColumnEncoder("name"), ColumnEncoder("place"), ColumnEncoder("module"), ColumnEncoder("flags"))
  var calls = TableEncoder(
    "calls", ColumnEncoder("caller"), ColumnEncoder("function"), ColumnEncoder("flags"))
  /// The samples, with `time` in microseconds.
  var samples = TableEncoder(
    "samples", ColumnEncoder("time", .time), ColumnEncoder("track", .track), ColumnEncoder("work", .work),
    ColumnEncoder("call"), ColumnEncoder("times"))
  /// What later tables of a live page need. Nil: there are no later ones.
  private(set) var living: LivingTables?

  /// Makes the tables. `lives`: these are the first tables of a page that follows a trace. `last`: the tables are what
  /// has changed since these; `known` are their names, which nothing else may hold, or they would be copied.
  ///
  /// This makes everything except the boxes, which need the drawing: see ``addBoxes(of:_:)``.
  init(
    _ trace: Trace, _ drawn: ReportTimeline, _ path: CriticalPath, _ stuck: StuckPart, lives: Bool = false,
    after last: ReportTables? = nil, names known: consuming ReportNames = ReportNames()
  ) {
    names = known
    names.meet(trace)
    if lives || last != nil {
      grow(LivingTables(trace, drawn.timeline, drawn.workTracks, after: last?.living), from: last)
      addOperations(trace, drawn.workTracks, stuck)
      addTimes(trace)
    } else {
      addSideBySide(trace, drawn.workTracks, stuck)
    }
    addPieces(trace)
    addDetails(trace, drawn.timeline)
    for value in drawn.counters.values {
      counters.append(
        [value.group, value.kind.rawValue, Int(value.time), value.value], key: RowKey(Int(value.time)))
    }
    for track in drawn.timeline.tracks { tracks.append([track.group, names.index(of: track.name)]) }
    addInstants(trace)
    addPath(path, trace)
    addSamples(trace, drawn.timeline)
  }

  /// Adds the largest tables in two halves. One half numbers texts, functions and queues, and the other threads.
  /// Neither depends on the numbers of the other, so all numbers are the same as if the halves ran one after the other.
  private mutating func addSideBySide(_ trace: Trace, _ workTracks: WorkTracks, _ stuck: StuckPart) {
    let start = self
    let (described, timed) = SideBySide.both(
      {
        var part = start
        part.addOperations(trace, workTracks, stuck)
        return part
      },
      {
        var part = start
        part.addTimes(trace)
        return part
      })
    self = described
    (moments, dependencies) = (timed.moments, timed.dependencies)
    names.takeThreads(of: timed.names)
  }

  private mutating func addTimes(_ trace: Trace) {
    addMoments(trace)
    addDependencies(trace)
  }

  /// Adds, for each piece of work, the folded box of the drawing that it is in. Nil: it has a box of its own, if any.
  mutating func addBoxes(of folds: [GraphPicture.Fold], _ trace: Trace) {
    var numbers = [Int32](repeating: -1, count: folds.isEmpty ? 0 : trace.workCount)
    for fold in folds {
      for index in fold.members.lazy.compactMap(trace.workIndex(of:)) { numbers[index] = Int32(fold.number) }
    }
    var values: [Int?] = [nil]
    for index in 0..<trace.workCount {
      values[0] = numbers.isEmpty || numbers[index] < 0 ? nil : Int(numbers[index])
      boxes.append(values, key: key(ofWork: index))
    }
  }

  /// Takes the names out of the tables, and returns them.
  mutating func takeNames() -> ReportNames {
    let taken = names
    names = ReportNames()
    return taken
  }

  var all: [TableEncoder] {
    [
      operations, moments, taskTimes, boxes, pieces, dependencies, details, counters, instants, tracks, steps,
      remaining, frames,
      sampledFunctions, calls, samples,
    ]
  }

  private mutating func grow(_ now: LivingTables, from last: ReportTables?) {
    living = now
    let numbers = now.numbers
    operations.grow(from: last?.operations.growth, numbers)
    moments.grow(from: last?.moments.growth, numbers)
    taskTimes.grow(from: last?.taskTimes.growth, numbers)
    boxes.grow(from: last?.boxes.growth, numbers)
    pieces.grow(from: last?.pieces.growth, numbers)
    dependencies.grow(from: last?.dependencies.growth, numbers)
    // The details are in the order of their tracks.
    details.grow(from: last?.details.growth?.withKeys { RowKey(now.track(after: $0.first), $0.second) }, numbers)
    counters.grow(from: last?.counters.growth, numbers)
    instants.grow(from: last?.instants.growth, numbers)
    tracks.grow(from: last?.tracks.growth, numbers)
    steps.grow(from: last?.steps.growth, numbers)
    remaining.grow(from: last?.remaining.growth, numbers)
    frames.grow(from: last?.frames.growth, numbers)
    frames.keepAll()
    sampledFunctions.grow(from: last?.sampledFunctions.growth, numbers)
    sampledFunctions.keepAll()
    calls.grow(from: last?.calls.growth, numbers)
    calls.keepAll()
    samples.grow(from: last?.samples.growth, numbers)
  }

  /// Returns the key of work: operations come first, then blocks, then tasks.
  func key(ofWork row: Int) -> RowKey { RowKey(living?.numbers.work(row) ?? row) }

  /// Returns the row of the innermost function of a stack. Nil: it is not known. O(new frames).
  mutating func row(of innermost: FrameID?, _ stacks: StackTable) -> Int? {
    guard let innermost else { return nil }
    if let known = names.frameRows[innermost] { return known }
    let inside = stacks.stack(innermost).prefix { names.frameRows[$0] == nil }
    var met = Set<FrameID>()
    // A cycle in a damaged trace is cut where it closes.
    let new = inside.prefix { met.insert($0).inserted }
    var caller = new.last.flatMap { stacks[$0]?.caller }.flatMap { names.frameRows[$0] }
    for id in new.reversed() {
      for function in stacks.functions(of: id).reversed() {
        let flags = ReportFrameFlags(of: function)
        frames.append([
          caller, names.index(of: function.title), function.lineText.map { names.index(of: $0) },
          function.image.map { names.index(of: $0) }, flags.rawValue,
        ])
        caller = frames.count - 1
      }
      names.frameRows[id] = caller
    }
    return names.frameRows[innermost]
  }

  /// The tracks of each operation's execution and waits. Nil: none.
  struct WorkTracks: Sendable {
    var execution: [Timeline.TrackIndex]
    var dependencies: [Timeline.TrackIndex]
    var slot: [Timeline.TrackIndex]

    init(_ trace: Trace, _ timeline: Timeline) {
      execution = .init(repeating: -1, count: trace.workCount)
      dependencies = execution
      slot = execution
      for one in timeline.executions where one.kind == .run { execution[Int(one.work)] = one.track }
      // A task has one row: the track of its runs and of everything between them.
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
}
