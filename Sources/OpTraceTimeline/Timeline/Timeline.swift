import OpTraceAnalysis
package import OpTraceModel

/// Where everything of a trace is drawn: compact tables, sorted by time, that the writers of the formats
/// merge while they write. About 100 bytes per operation or block.
///
/// Tracks: every thread has a flat lane for the executions of operations and one below it for what went on inside
/// them and on it besides: blocks of dispatch queues, waits, spans. Every queue, of operations or a dispatch queue, is a
/// group of its own with what runs on no thread of its own: asynchronous executions, which leave the thread that they
/// start on, and runs of blocks, which take any; and the waits of its work. Swift's tasks are a group, too, in which each
/// has a row of its own. Executions are never mixed with anything that nests, since an arrow binds to the slice of a track
/// that began last.
package struct Timeline {
  package typealias OperationIndex = UInt32
  /// An index of the trace's work of all kinds (`Trace.work(at:)`); of operations it is their own.
  package typealias WorkIndex = UInt32
  package typealias TrackIndex = Int32

  /// A row of the picture.
  package struct Track {
    /// 0: the process; else the index of the queue in ``groups``.
    package var group: Int
    package var name: String
  }

  /// The process, or what schedules work.
  package struct Group {
    package enum Owner {
      case process
      case queue(QueueRecord)
      case dispatchQueue(DispatchQueueRecord)
      /// Of Swift's tasks.
      case tasks
      /// Of work without any.
      case nobody
    }
    package var name: String
    package var owner: Owner
    var isShown = true

    package var scheduler: SchedulerID? {
      switch owner {
      case .queue(let queue): .queue(queue.id)
      case .dispatchQueue(let queue): .dispatchQueue(queue.id)
      case .tasks: .swift
      case .process, .nobody: nil
      }
    }

    /// What it runs.
    package var kind: WorkKind {
      switch owner {
      case .dispatchQueue: .block
      case .tasks: .task
      case .process, .queue, .nobody: .operation
      }
    }
  }

  /// The track of what the selection leaves out; counters count it all the same.
  package static let hidden: TrackIndex = -2

  package struct Execution {
    package enum Kind: UInt8 {
      /// The work's own code ran.
      case run
      /// A thread submitted the work outside of all work: where its arrow leaves.
      case submission
    }
    // The small ones first, and no room is lost between them.
    package var work: WorkIndex
    /// Of the work, also where it is drawn on a thread.
    package var group: Int32 = 0
    package var track: TrackIndex
    /// The thread whose lane it is drawn on; nil: its group's.
    package var thread: ThreadID?
    package var kind = Kind.run
    /// Not over when the trace ended.
    package var isOpen: Bool
    package var begin: Nanoseconds
    package var end: Nanoseconds
  }

  package struct Wait {
    package enum Kind: UInt8 {
      case dependencies, slot
      /// Of a task between two runs.
      case suspended
    }
    package var work: WorkIndex
    package var group: Int32 = 0
    /// -1: found no lane; or ``Timeline/hidden``.
    package var track: TrackIndex
    /// Of a task, the index of its suspension; -1: none.
    package var suspension: Int32 = -1
    /// An actor keeps it waiting.
    package var isForActor = false
    package var begin: Nanoseconds
    package var end: Nanoseconds
    package var kind: Kind
    package var isOpen: Bool
  }

  package struct Detail {
    package enum Kind {
      /// What an operation that leaves its thread does there: its code up to the return of `start()`.
      case start(OperationIndex)
      /// A run that is drawn among its scheduler's, on its thread.
      case run(WorkIndex)
      case block(OperationIndex, BlockExecution)
      /// The completion block of an operation.
      case completion(OperationIndex)
      case span(Int)
      case wait(Int)
      case gap(Int)
    }
    package var kind: Kind
    package var track: TrackIndex
    package var begin: Nanoseconds
    package var end: Nanoseconds
    package var isOpen: Bool
  }

  /// From one execution to another, by their indexes in ``executions``.
  package struct Arrow {
    package enum Kind: UInt8, CaseIterable {
      case dependency, submission
      /// Of a task that was suspended, from who let it go on.
      case resumption
    }
    package var kind: Kind
    package var from: UInt32
    package var to: UInt32
    /// Just inside the end of the one, where the other leaves the time for it.
    package var leaves: Nanoseconds
    /// Just inside the begin of the other.
    package var arrives: Nanoseconds
  }

  /// What all times are relative to: 0, or earlier when something began before the recorder.
  package var origin: Nanoseconds = 0
  package var groups: [Group] = []
  /// In the order of display.
  package var tracks: [Track] = []
  /// The first track of the thread, by thread.
  package var threadTracks: [ThreadID: TrackIndex] = [:]
  package var executions: [Execution] = []
  package var waits: [Wait] = []
  package var details: [Detail] = []
  /// By the time when they leave.
  package var arrows: [Arrow] = []
  package var counts = TimelineCounts()

  /// The index of a queue of either sort in ``groups``.
  var groupOfScheduler: [SchedulerID: Int] = [:]
  /// The group of tasks; -1: there are none.
  package var tasksGroup: Int32 = -1
  /// The group of work without a queue, if there is any.
  var groupWithoutQueue: Int?

  package func group(of scheduler: SchedulerID?) -> Int {
    scheduler.flatMap { groupOfScheduler[$0] } ?? groupWithoutQueue ?? 0
  }

  /// Lanes first, then tracks: tracks are numbered from top to bottom, so all lanes must be known before.
  private mutating func placeAll(_ trace: Trace, _ options: TimelineOptions) {
    let count = waits.count { $0.track != Self.hidden }
    counts.waitLanes = options.waitLanes(for: count)
    counts.shortestWait = options.shortestWait(for: count, span: trace.end)
    let runs = executions.count { $0.kind == .run }
    counts.leavesOutTimes = options.includesArguments && !options.includesTimes(for: runs)
    let running = ExecutionLanes(self)
    let waiting = WaitLanes(self, limit: counts.waitLanes, shortest: counts.shortestWait)
    let inside = DetailLanes(trace, options.selection)
    let tasks = taskLanes(trace, limit: options.taskLanes(for: trace.tasks.count))
    counts.hidden += inside.hidden
    addThreadTracks(trace, running, inside)
    var groupTracks: [TrackIndex] = []
    var waitTracks: [[TrackIndex]] = []
    var taskTrack: TrackIndex = -1
    for group in groups.indices {
      if group == tasksGroup { taskTrack = addTaskTracks(tasks, trace) }
      groupTracks.append(addTracks("running", running.ofGroup[group].count, group: group))
      let others = groups[group].kind == .operation ? "waiting for dependencies" : "waiting for a time or a group"
      let forSlot = addTracks("waiting for a slot", waiting.lanes[group][1].count, group: group)
      let forOthers = addTracks(others, waiting.lanes[group][0].count, group: group)
      waitTracks.append([forOthers, forSlot])
    }
    placeExecutions(running, groupTracks: groupTracks)
    placeWaits(waiting, firstTracks: waitTracks)
    placeTasks(tasks, firstTrack: taskTrack, trace)
  }

  /// O(n log n) for n events; nearly linear when the operations are numbered in the order of their times.
  package init(_ trace: Trace, options: TimelineOptions) {
    groups = [Group(name: trace.header.processName.isEmpty ? "process" : trace.header.processName, owner: .process)]
    collectGroups(trace)
    collectExecutions(trace)
    collectWaits(trace)
    collectTasks(trace)
    executions.sort { ($0.begin, $1.end) < ($1.begin, $0.end) }
    waits.sort { ($0.begin, $1.end) < ($1.begin, $0.end) }
    select(options.selection, trace)
    placeAll(trace, options)
    if options.drawsArrows { drawArrows(trace) }
    // Of each table that is drawn, what begins first. A queue's counters begin with its limit.
    origin = min(
      0, executions.first?.begin ?? 0, waits.first?.begin ?? 0, details.first?.begin ?? 0,
      TraceInstant.all(of: trace).map(\.time).min() ?? 0,
      trace.queues.flatMap { [$0.created] + $0.changes.map(\.time) }.min() ?? 0)
    counts.executions = executions.count { $0.track >= 0 && $0.kind == .run }
    counts.submissions = executions.count { $0.track >= 0 && $0.kind == .submission }
    counts.waitsWithoutLane += waits.count { $0.track == -1 && $0.group != tasksGroup }
    counts.waits = waits.count { $0.track >= 0 }
    counts.details = details.count
    counts.arrows = arrows.count - counts.submissionArrows - counts.resumptionArrows
  }
}

extension OperationRecord {
  /// When its own code ran, as ``OperationTimes`` counts it; of one that was cancelled before, its passing through
  /// `start()`, so that the arrows of its dependencies have their ends. Nil when it was never started.
  package func execution(traceEnd: Nanoseconds) -> (begin: Nanoseconds, end: Nanoseconds, isOpen: Bool)? {
    guard let began = (executionBegan ?? started)?.time else { return nil }
    let over = leavesThread ? finished : executionEnded ?? finished
    return (began, max(began, over?.time ?? traceEnd), over == nil)
  }

  /// Whether it goes on when `start()` has returned: such an execution belongs to no thread.
  package var leavesThread: Bool {
    if isAsynchronous { return true }
    guard executionEnded == nil, let startReturned else { return false }
    return finished.map { $0.time > startReturned.time } ?? true
  }
}
