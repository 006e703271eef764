import OpTracePageParts
import OpTraceDoctor
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
  /// How long each task was suspended for which reason: a `kind` as in `pieces`.
  var suspensions = TableEncoder(
    "suspensions", ColumnEncoder("row", .work), ColumnEncoder("kind"), ColumnEncoder("time", .time))
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
  init(
    _ trace: Trace, _ lanes: PageLanes, _ stuck: StuckPart, lives: Bool = false,
    after last: ReportTables? = nil, names known: consuming ReportNames = ReportNames()
  ) {
    names = known
    names.meet(trace)
    if lives || last != nil {
      grow(LivingTables(trace, lanes, after: last?.living), from: last)
      addOperations(trace, lanes.workTracks, stuck)
      addTimes(trace)
    } else {
      addSideBySide(trace, lanes.workTracks, stuck)
    }
    addPieces(trace)
    addDetails(trace, lanes)
    for value in lanes.counters {
      counters.append([value.group, value.kind, Int(value.time), value.value], key: RowKey(Int(value.time)))
    }
    for track in lanes.tracks { tracks.append([track.group, names.index(of: track.name)]) }
    addInstants(trace, lanes)
    addSamples(trace, lanes)
  }

  /// Adds the largest tables in two halves. One half numbers texts, functions and queues, and the other threads.
  /// Neither depends on the numbers of the other, so all numbers are the same as if the halves ran one after the other.
  private mutating func addSideBySide(_ trace: Trace, _ workTracks: PageLanes.WorkTracks, _ stuck: StuckPart) {
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

  /// Takes the names out of the tables, and returns them.
  mutating func takeNames() -> ReportNames {
    let taken = names
    names = ReportNames()
    return taken
  }

  var all: [TableEncoder] {
    [
      operations, moments, taskTimes, suspensions, pieces, dependencies, details, counters, instants, tracks,
      frames,
      sampledFunctions, calls, samples,
    ]
  }

  private mutating func grow(_ now: LivingTables, from last: ReportTables?) {
    living = now
    let numbers = now.numbers
    operations.grow(from: last?.operations.growth, numbers)
    moments.grow(from: last?.moments.growth, numbers)
    taskTimes.grow(from: last?.taskTimes.growth, numbers)
    suspensions.grow(from: last?.suspensions.growth, numbers)
    pieces.grow(from: last?.pieces.growth, numbers)
    dependencies.grow(from: last?.dependencies.growth, numbers)
    // The details are in the order of their tracks.
    details.grow(from: last?.details.growth?.withKeys { RowKey(now.track(after: $0.first), $0.second) }, numbers)
    counters.grow(from: last?.counters.growth, numbers)
    instants.grow(from: last?.instants.growth, numbers)
    tracks.grow(from: last?.tracks.growth, numbers)
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
}
