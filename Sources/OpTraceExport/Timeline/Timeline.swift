import OpTraceAnalysis
import OpTraceModel

/// Where everything of a trace is drawn: compact tables of places, sorted by time, that the writers of the formats
/// merge while they write. About 100 bytes per operation.
///
/// Tracks: every thread has a flat lane for the executions of operations and one below it for what went on inside
/// them. Every queue is a group of its own with its asynchronous executions, which leave the thread that they start on,
/// and the waits of its operations. Executions are never mixed with anything that nests, since an arrow binds to the
/// slice of a track that began last.
struct Timeline {
  typealias OperationIndex = UInt32
  typealias TrackIndex = Int32

  /// A row of the picture.
  struct Track {
    /// 0: the process; else the place of the queue in ``groups``.
    var group: Int
    var name: String
  }

  /// The process, or a queue.
  struct Group {
    var name: String
    /// Nil for the process and for operations without a queue.
    var queue: QueueRecord?
    var isShown = true
  }

  /// The track of what the selection leaves out; counters count it all the same.
  static let hidden: TrackIndex = -2

  struct Execution {
    var operation: OperationIndex
    var track: TrackIndex
    var begin: Nanoseconds
    var end: Nanoseconds
    /// Not over when the trace ended.
    var isOpen: Bool
  }

  struct Wait {
    enum Kind: UInt8 { case dependencies, slot }
    var operation: OperationIndex
    /// -1: found no lane; or ``Timeline/hidden``.
    var track: TrackIndex
    var begin: Nanoseconds
    var end: Nanoseconds
    var kind: Kind
    var isOpen: Bool
  }

  struct Detail {
    enum Kind {
      /// What an operation that leaves its thread does there: its code up to the return of `start()`.
      case start(OperationIndex)
      case block(OperationIndex, BlockExecution)
      case span(Int)
      case wait(Int)
      case gap(Int)
    }
    var kind: Kind
    var track: TrackIndex
    var begin: Nanoseconds
    var end: Nanoseconds
    var isOpen: Bool
  }

  /// From one execution to another, by their places in ``executions``.
  struct Arrow {
    var from: UInt32
    var to: UInt32
    /// Just inside the end of the one, where the other leaves the time for it.
    var leaves: Nanoseconds
    /// Just inside the begin of the other.
    var arrives: Nanoseconds
  }

  /// What all times are relative to: 0, or earlier when something began before the recorder.
  var origin: Nanoseconds = 0
  var groups: [Group] = []
  /// In the order of display.
  var tracks: [Track] = []
  /// The first track of the thread, by thread.
  var threadTracks: [ThreadID: TrackIndex] = [:]
  var executions: [Execution] = []
  var waits: [Wait] = []
  var details: [Detail] = []
  /// By the time when they leave.
  var arrows: [Arrow] = []
  var counts = TimelineCounts()

  /// The place of a queue in ``groups``.
  var groupOfQueue: [QueueID: Int] = [:]
  /// The group of operations without a queue, if there is any.
  var groupWithoutQueue: Int?

  func group(of queue: QueueID?) -> Int {
    queue.flatMap { groupOfQueue[$0] } ?? groupWithoutQueue ?? 0
  }

  /// Lanes first, then tracks: a track's number tells its place on the screen, so all lanes must be known before.
  private mutating func placeAll(_ trace: Trace, _ options: TimelineOptions) {
    let count = waits.count { $0.track != Self.hidden }
    counts.waitLanes = options.waitLanes(for: count)
    counts.shortestWait = options.shortestWait(for: count, span: trace.end)
    counts.leavesOutTimes = options.includesArguments && !options.includesTimes(for: executions.count)
    let running = ExecutionLanes(self, trace)
    let waiting = WaitLanes(self, trace, limit: counts.waitLanes, shortest: counts.shortestWait)
    let inside = DetailLanes(trace, options.selection)
    counts.hidden += inside.hidden
    addThreadTracks(trace, running, inside)
    var groupTracks: [TrackIndex] = []
    var waitTracks: [[TrackIndex]] = []
    for group in groups.indices {
      groupTracks.append(addTracks("running", running.ofGroup[group].count, group: group))
      let forSlot = addTracks("waiting for a slot", waiting.lanes[group][1].count, group: group)
      let forOthers = addTracks("waiting for dependencies", waiting.lanes[group][0].count, group: group)
      waitTracks.append([forOthers, forSlot])
    }
    placeExecutions(trace, running, groupTracks: groupTracks)
    placeWaits(waiting, firstTracks: waitTracks)
  }

  /// O(n log n) for n events; nearly linear when the operations are numbered in the order of their times.
  init(_ trace: Trace, options: TimelineOptions) {
    groups = [Group(name: trace.header.processName.isEmpty ? "process" : trace.header.processName, queue: nil)]
    // A queue that never had anything would be an empty row.
    let used = Set(trace.operations.lazy.compactMap(\.queue))
    for queue in trace.queues where used.contains(queue.id) {
      groupOfQueue[queue.id] = groups.count
      groups.append(Group(name: queue.title, queue: queue))
    }
    collectExecutions(trace)
    collectWaits(trace)
    select(options.selection, trace)
    placeAll(trace, options)
    drawArrows(trace)
    // Of each table that is drawn, what begins first. A queue's counters begin with its limit.
    origin = min(
      0, executions.first?.begin ?? 0, waits.first?.begin ?? 0, details.first?.begin ?? 0,
      TraceInstant.all(of: trace).map(\.time).min() ?? 0,
      trace.queues.flatMap { [$0.created] + $0.changes.map(\.time) }.min() ?? 0)
    counts.executions = executions.count { $0.track >= 0 }
    counts.waitsWithoutLane = waits.count { $0.track == -1 }
    counts.waits = waits.count { $0.track >= 0 }
    counts.details = details.count
    counts.arrows = arrows.count
  }
}

extension OperationRecord {
  /// When its own code ran, as ``OperationTimes`` counts it; of one that was cancelled before, its passing through
  /// `start()`, so that the arrows of its dependencies have their ends. Nil when it was never started.
  func execution(traceEnd: Nanoseconds) -> (begin: Nanoseconds, end: Nanoseconds, isOpen: Bool)? {
    guard let began = (executionBegan ?? started)?.time else { return nil }
    let over = leavesThread ? finished : executionEnded ?? finished
    return (began, max(began, over?.time ?? traceEnd), over == nil)
  }

  /// Whether it goes on when `start()` has returned: such an execution belongs to no thread.
  var leavesThread: Bool {
    if isAsynchronous { return true }
    guard executionEnded == nil, let startReturned else { return false }
    return finished.map { $0.time > startReturned.time } ?? true
  }
}
