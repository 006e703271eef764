import OpTraceKernel
package import OpTraceModel

/// The positions of everything that is drawn of a trace: compact tables, sorted by time, that the writers of the
/// formats merge as they write. About 100 bytes per operation or block.
///
/// Tracks: every thread has a flat lane for the executions of operations. Below it is a lane for what went on inside
/// them and otherwise on the thread: blocks of dispatch queues, waits, spans. Every operation queue and every dispatch
/// queue is a group. It contains what runs on no thread of its own: asynchronous executions, which leave the thread
/// that they start on, and runs of blocks, which take any thread. It also contains the waits of its work. Swift tasks
/// are a group too, in which each task has a row. Executions are never mixed with anything that nests, because an arrow
/// binds to the slice of a track that began last.
package struct Timeline {
  package typealias OperationIndex = UInt32
  /// An index in the trace's work of all kinds (`Trace.work(at:)`). For operations, it is their own index.
  package typealias WorkIndex = UInt32
  package typealias TrackIndex = Int32

  /// A row of the picture.
  package struct Track {
    /// The group of the row. 0: the process; otherwise the index of the queue in ``groups``.
    package var group: Int
    package var name: String
  }

  /// The process, or what schedules work.
  package struct Group {
    package enum Owner {
      case process
      case queue(QueueRecord)
      case dispatchQueue(DispatchQueueRecord)
      /// The owner of the group of Swift tasks.
      case tasks
      /// The owner of the group of work without a queue.
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

    /// The kind of work that it runs.
    package var kind: WorkKind {
      switch owner {
      case .dispatchQueue: .block
      case .tasks: .task
      case .process, .queue, .nobody: .operation
      }
    }
  }

  /// The track of what the selection leaves out. Counters still count it.
  package static let hidden: TrackIndex = -2

  package struct Execution {
    package enum Kind: UInt8 {
      /// The work's own code ran.
      case run
      /// A thread submitted the work from outside all other work. The arrow to the work leaves here.
      case submission
    }
    // The small ones come first, so that no room is lost between them.
    package var work: WorkIndex
    /// The group of the work, even if it is drawn on a thread.
    package var group: Int32 = 0
    package var track: TrackIndex
    /// The thread on whose lane it is drawn. Nil: it is on a lane of its group.
    package var thread: ThreadID?
    package var kind = Kind.run
    /// Whether it was not over when the trace ended.
    package var isOpen: Bool
    package var begin: Nanoseconds
    package var end: Nanoseconds
  }

  package struct Wait {
    package enum Kind: UInt8 {
      case dependencies, slot
      /// A task is suspended between two runs.
      case suspended
    }
    package var work: WorkIndex
    package var group: Int32 = 0
    /// The track. -1: it found no lane; or ``Timeline/hidden``.
    package var track: TrackIndex
    /// The index of the suspension, for a task. -1: none.
    package var suspension: Int32 = -1
    /// Whether an actor keeps it waiting.
    package var isForActor = false
    package var begin: Nanoseconds
    package var end: Nanoseconds
    package var kind: Kind
    package var isOpen: Bool
  }

  package struct Detail {
    package enum Kind {
      /// What an operation that leaves its thread does on it: its code up to the return of `start()`.
      case start(OperationIndex)
      /// A run on its thread; it is also drawn among the runs of its scheduler.
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

  /// An arrow from one execution to another, by their indexes in ``executions``.
  package struct Arrow {
    package enum Kind: UInt8, CaseIterable {
      case dependency, submission
      /// An arrow to a task that was suspended, from whatever resumed it.
      case resumption
    }
    package var kind: Kind
    package var from: UInt32
    package var to: UInt32
    /// The time at which it leaves: just inside the end of the source, if the target leaves time for that.
    package var leaves: Nanoseconds
    /// The time at which it arrives: just inside the begin of the target.
    package var arrives: Nanoseconds
  }

  /// What all times are relative to: 0, or earlier if something began before the recorder.
  package var origin: Nanoseconds = 0
  package var groups: [Group] = []
  /// The tracks in the order of display.
  package var tracks: [Track] = []
  /// The first track of each thread.
  package var threadTracks: [ThreadID: TrackIndex] = [:]
  package var executions: [Execution] = []
  package var waits: [Wait] = []
  package var details: [Detail] = []
  /// The arrows, by the time at which they leave.
  package var arrows: [Arrow] = []
  package var counts = TimelineCounts()

  /// The index in ``groups`` of a queue of either sort.
  var groupOfScheduler: [SchedulerID: Int] = [:]
  /// The index of the group of tasks. -1: there are none.
  package var tasksGroup: Int32 = -1
  /// The index of the group of work without a queue, if there is any such work.
  var groupWithoutQueue: Int?

  package func group(of scheduler: SchedulerID?) -> Int {
    scheduler.flatMap { groupOfScheduler[$0] } ?? groupWithoutQueue ?? 0
  }

  /// Places everything: lanes first, then tracks. Tracks are numbered from top to bottom, so all lanes must be known
  /// first.
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

  /// Makes the timeline. O(n log n) for n events; nearly linear if the operations are numbered in the order of their
  /// times.
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
    // The origin is the earliest begin in the tables that are drawn. A queue's counters begin with its limit.
    origin = min(
      0, executions.first?.begin ?? 0, waits.first?.begin ?? 0, details.first?.begin ?? 0,
      TraceInstant.all(of: trace).map(\.time).min() ?? 0,
      trace.queues.flatMap { [$0.created] + $0.changes.map(\.time) }.min() ?? 0,
      trace.memory?.readings.first?.time ?? 0, trace.memory?.allocations.first?.time ?? 0)
    counts.executions = executions.count { $0.track >= 0 && $0.kind == .run }
    counts.submissions = executions.count { $0.track >= 0 && $0.kind == .submission }
    counts.waitsWithoutLane += waits.count { $0.track == -1 && $0.group != tasksGroup }
    counts.waits = waits.count { $0.track >= 0 }
    counts.details = details.count
    counts.arrows = arrows.count - counts.submissionArrows - counts.resumptionArrows
  }
}
