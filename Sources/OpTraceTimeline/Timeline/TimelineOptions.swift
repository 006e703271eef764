package import OpTraceDoctor
public import OpTraceModel

/// What a timeline shows.
public struct TimelineOptions: Sendable {
  /// Whether to write the details of each slice (ids, class, waits, errors). Some viewers treat the name and the
  /// details together as one key.
  public var includesArguments = true
  /// The most lanes per queue for each of the two sorts of waits. A queue that is given 10,000 operations at once would
  /// fill a screen with 10,000 lanes that say the same; the counters still count every operation. Waits that never end
  /// matter most in a program that hangs, so four times as many of them are drawn. Nil: 50; with more than 100,000
  /// waits fewer, down to 5, and waits that are too short to be seen are left out, so that the file can still be
  /// loaded.
  public var waitLanes: Int?
  /// The most rows for tasks, for one tree of parents and children and for all together; four times as many for tasks
  /// that are not over. A task that finds no row is drawn on its threads only, and the counters count it. Nil: 200;
  /// with more than 20,000 tasks fewer, down to 40.
  public var taskLanes: Int?
  /// Whether to write the two waiting times of each operation among its details. Nil: only if there are no more than
  /// 500,000 operations.
  public var includesTimes: Bool?

  /// Whether what leads from one execution to another will be drawn.
  package var drawsArrows = true

  func waitLanes(for waits: Int) -> Int {
    waitLanes ?? max(5, min(50, 5_000_000 / max(waits, 1)))
  }

  func taskLanes(for tasks: Int) -> Int { taskLanes ?? max(40, min(200, 4_000_000 / max(tasks, 1))) }

  /// Returns the length below which waits are not drawn: a hundred-thousandth of the run, a fraction of a pixel.
  func shortestWait(for waits: Int, span: Nanoseconds) -> Nanoseconds {
    waitLanes == nil && waits > 100_000 ? span / 100_000 : 0
  }

  func includesTimes(for executions: Int) -> Bool { includesTimes ?? (executions <= 500_000) }

  /// The part of the trace that is shown.
  public var selection = TimelineSelection()

  /// The rules that find the moments to mark because something is wrong.
  package let rules: RuleSet

  /// Shows everything, with details.
  package init(rules: RuleSet) { self.rules = rules }
}

/// The numbers of what was written, to show to people and for tests to check.
public struct TimelineCounts: Sendable, Equatable {
  /// Executions of operations, and runs of dispatch-queue blocks and of tasks.
  public var executions = 0
  /// Moments at which a thread submitted a block or created a task from outside all work.
  public var submissions = 0
  /// Drawn waits of operations and blocks, and drawn suspensions and waits of tasks.
  public var waits = 0
  /// Waits that found no lane or are too short to be seen; see ``TimelineOptions/waitLanes``.
  public var waitsWithoutLane = 0
  /// Tasks that found no row of their own; see ``TimelineOptions/taskLanes``.
  public var tasksWithoutLane = 0
  /// What lies inside executions or on threads: blocks, spans, waits of threads, gaps.
  public var details = 0
  /// Dependencies drawn as arrows: those with both ends started.
  public var arrows = 0
  /// Arrows from whatever submitted a block or created a task to its first run.
  public var submissionArrows = 0
  /// Arrows from whatever resumed a suspended task to its next run.
  public var resumptionArrows = 0
  /// Arrows from spans to the spans of other traces that served them, in a timeline of several traces.
  public var calls = 0
  /// Dependencies that no arrow can show, because the operation that waits was over before the other began.
  public var backwardDependencies = 0
  /// Moments: marks, changes of queues, requests to cancel and the like.
  public var instants = 0
  /// Values of counters.
  public var counterValues = 0
  /// Changes of counters that changed too often to be drawn one by one.
  public var thinnedCounterValues = 0
  /// Slices that the selection leaves out.
  public var hidden = 0
  /// The number of lanes per queue that each sort of wait was given.
  public var waitLanes = 0
  /// How long a wait had to be in order to be drawn at all, in nanoseconds. 0: any length.
  public var shortestWait: Nanoseconds = 0
  /// Whether the waiting times of the operations are left out of their details.
  public var leavesOutTimes = false

  /// Starts at zero.
  public init() {}

  /// The number of all slices.
  public var slices: Int { executions + submissions + waits + details }
}
