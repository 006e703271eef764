public import OpTraceModel

/// What a timeline shows.
public struct TimelineOptions: Sendable {
  /// Write the details of each slice (ids, class, waits, errors). Some viewers take name and details as one key.
  public var includesArguments = true
  /// The most lanes per queue for each of the two sorts of waiting. A queue that is given 10,000 operations at once
  /// would fill a screen with 10,000 lanes that say the same; the counters still count every one. Waits that never end
  /// are what matters in a program that hangs: four times as many are drawn. Nil: 50, and fewer where there are
  /// more than 100,000 waits, down to 5; and there those that are too short to be seen are left out, so that the file can
  /// still be loaded.
  public var waitLanes: Int?
  /// The most rows for tasks, of one tree of parents and children and of all; four times as many for what is not over. What finds
  /// none is drawn on its threads alone, and the counters count it. Nil: 200, and fewer where there are more than 20,000
  /// tasks, down to 40.
  public var taskLanes: Int?
  /// Write the two waiting times of each operation among its details. Nil: where there are no more than 500,000
  /// operations.
  public var includesTimes: Bool?

  /// Whether anybody draws what leads from one execution to another.
  package var drawsArrows = true

  func waitLanes(for waits: Int) -> Int {
    waitLanes ?? max(5, min(50, 5_000_000 / max(waits, 1)))
  }

  func taskLanes(for tasks: Int) -> Int { taskLanes ?? max(40, min(200, 4_000_000 / max(tasks, 1))) }

  /// Waits that are shorter are not drawn: a hundred-thousandth of the run, a part of a pixel.
  func shortestWait(for waits: Int, span: Nanoseconds) -> Nanoseconds {
    waitLanes == nil && waits > 100_000 ? span / 100_000 : 0
  }

  func includesTimes(for executions: Int) -> Bool { includesTimes ?? (executions <= 500_000) }

  /// What is shown.
  public var selection = TimelineSelection()

  /// Everything, with details.
  public init() {}
}

/// What was written, to be shown to people and checked by tests.
public struct TimelineCounts: Sendable, Equatable {
  /// Executions of operations, and runs of blocks of dispatch queues and of tasks.
  public var executions = 0
  /// Moments in which a thread submitted a block or created a task outside of all work.
  public var submissions = 0
  /// Waits of operations and blocks, and suspensions and waits of tasks, that are drawn.
  public var waits = 0
  /// Waits that found no lane or are too short to be seen, see ``TimelineOptions/waitLanes``.
  public var waitsWithoutLane = 0
  /// Tasks that found no row of their own, see ``TimelineOptions/taskLanes``.
  public var tasksWithoutLane = 0
  /// What lies inside of executions or on threads: blocks, spans, waits of threads, gaps.
  public var details = 0
  /// Dependencies as arrows, one for each whose ends were both started.
  public var arrows = 0
  /// Arrows from who submitted a block or created a task to its first run.
  public var submissionArrows = 0
  /// Arrows from who let a suspended task go on to its next run.
  public var resumptionArrows = 0
  /// Arrows from spans to those of other traces that served them; in a timeline of several traces.
  public var calls = 0
  /// Dependencies that no arrow can show, since the operation that waits was over before the other began.
  public var backwardDependencies = 0
  /// Moments: marks, changes of queues, requests to cancel and the like.
  public var instants = 0
  /// Values of counters.
  public var counterValues = 0
  /// Changes of counters that changed too often to be drawn one by one.
  public var thinnedCounterValues = 0
  /// Slices that the selection leaves out.
  public var hidden = 0
  /// Lanes per queue that each sort of waiting was given, and how long a wait had to be for one, nanoseconds.
  public var waitLanes = 0
  /// How long a wait had to be to be drawn at all, in nanoseconds; 0: any.
  public var shortestWait: Nanoseconds = 0
  /// The waiting times of the operations are not among their details.
  public var leavesOutTimes = false

  /// Nothing was written.
  public init() {}

  /// All slices.
  public var slices: Int { executions + submissions + waits + details }
}
