package import OpTraceKernel
package import OpTraceModel

/// Units of work, such as requests, by kind, each split into where its time went. They are found without help from the
/// program.
///
/// A unit is a round of a task that works in rounds (``TaskLoops``), else a task, block or operation that is part of no
/// other unit. If the program has spans of its own, these are the units. What a unit submits and waits for is part of
/// it.
package struct Requests: Sendable {
  /// One unit.
  package struct Unit: Sendable {
    /// An index in ``Requests/kinds``.
    package var kind: Int32
    /// The work that is the unit, or of which the unit is a round.
    package var work: WorkID
    /// In nanoseconds since the trace's start.
    package var began: Nanoseconds
    /// In nanoseconds since the trace's start.
    package var ended: Nanoseconds
    /// Whether it was cancelled, or its span ended with an error.
    package var isFailed: Bool
    package var length: Nanoseconds { max(0, ended - began) }
  }

  /// A stretch of time of a unit, or of the work that it waited for.
  package struct Part: Sendable, Hashable {
    /// An index in ``Requests/causes``.
    package var cause: Int32
    package var length: Nanoseconds
  }

  /// Where time went.
  package struct Cause: Sendable, Hashable {
    /// What the unit did or waited for.
    package var what: What
    /// The actor, the queue, the lock; empty: none in particular.
    package var who: String
    /// The function that ran or waited, or that held what was waited for, as an index in ``Requests/locations``; -1:
    /// not known.
    package var location: Int32
  }

  /// What a unit does at a moment. The raw value is the word in JSON and tables.
  package enum What: String, Sendable, CaseIterable {
    case running
    case thread
    case actor
    case dispatchQueue = "dispatch-queue"
    case operationQueue = "operation-queue"
    case dependency
    case loop
    case lock
    /// It blocked its thread in a system call that waits, such as `recv`.
    case call
    /// It blocked its thread in `usleep` and the like.
    case threadSleep = "thread-sleep"
    case disk
    case continuation
    case child
    case sleeping
    case outside
    /// Its code had a thread, and no processor: the machine had none, or it waited in a way that is not recorded.
    case offCPU = "off-cpu"
  }

  /// Sorted: the program's own code first, then kinds with many units, then those with the most time.
  package internal(set) var kinds: [RequestKind] = []
  /// By what they are found by: spans, rounds and tasks, then others; of one piece of work in the order of time.
  package internal(set) var units: [Unit] = []
  /// Each cause once.
  package internal(set) var causes: [Cause] = []
  /// The locations that causes refer to.
  package internal(set) var locations: [CodeLocation] = []
  /// For each location one for all lines of its function.
  var wholeFunctions: [Int32] = []
  /// Units that had begun and were not over when the trace ended.
  package internal(set) var open = 0
  /// The parts of all units in one array; unit `n` has those from `partStarts[n]` up to `partStarts[n + 1]`.
  package internal(set) var parts: [Part] = []
  package internal(set) var partStarts: [Int32] = [0]
  /// For the slowest units, by their index: what they and the work that they submitted did; see ``TreeLimits``.
  package internal(set) var trees: [Int: [Line]] = [:]
  /// Event loops that had turns, except libdispatch's own.
  package internal(set) var loops: [LoopUse] = []
  /// Actors that tasks waited for, those with the most waiting first.
  package internal(set) var actors: [ActorUse.One] = []

  /// Of own functions, by who calls them, the share of all samples, including those in libraries that they call.
  package internal(set) var sampled: [Sampled: Double] = [:]
  /// The number of samples of processor time.
  package internal(set) var samples = 0
  /// Things that tasks hand on to each other by continuations, such as the connections of a pool; the most waiting
  /// first.
  package internal(set) var pools: [Pool] = []
  /// Tasks that units make and that do not end.
  package internal(set) var leaks: [Leak] = []
  /// Tasks that have not had to wait for an element of their stream for a long time.
  package internal(set) var backlogs: [Backlog] = []
  /// Waits that units repeat.
  package internal(set) var repeats: [Repeat] = []
  /// Functions in which units wait several times.
  package internal(set) var calls: [Calls] = []
  /// Functions in which many units are at the same time.
  package internal(set) var crowds: [Crowd] = []
  /// Work of which ever more is open.
  package internal(set) var growing: [Growth] = []
  /// Of kinds of units to whose work others lose time: when they come, if that is periodic. By indexes in ``kinds``.
  package internal(set) var beats: [Int32: Beat] = [:]
  /// What the time of slow units is to be blamed on, by their kinds; of each the most time first.
  package internal(set) var blamed: [Blamed] = []
  /// By kinds, as indexes in ``kinds``: how that time was passed on. With ``trees`` only.
  package internal(set) var blameTrees: [Int32: BlameTree] = [:]

  /// A function of the program, and the one that called it; -1: not known. Indexes in ``locations``.
  package struct Sampled: Sendable, Hashable {
    package var function: Int32
    package var caller: Int32
  }

  /// For each task of the trace, by its index, whether it works in rounds.
  package internal(set) var shapes: [TaskShape] = []

  /// Whether a task works in rounds.
  package struct TaskShape: Sendable {
    /// The stacks of the suspensions in which it idles; empty: it does not work in rounds.
    package var idle: Set<FrameID>
    /// Whether its rounds only make tasks that do the work.
    package var handsOn: Bool
  }

  /// No units.
  package init() {}

  /// Whether there is nothing to show: no finished unit, no event loop, and no actor that anybody waited for.
  package var isEmpty: Bool { kinds.isEmpty && loops.isEmpty && actors.isEmpty }

  /// A resource that is handed on by continuations: its waiters are resumed by tasks that have waited for it
  /// themselves.
  package struct Pool: Sendable {
    /// Where tasks wait, as an index in ``Requests/locations``, like all locations here.
    package var location: Int32
    /// How long each task waited; tasks that still wait count until the trace's end.
    package var waits: [Nanoseconds] = []
    /// The distribution of ``waits``.
    package var waiting: Distribution { Distribution(waits) }
    /// How many tasks still wait, and since when the first of them does.
    package var open = 0
    package var openSince: Nanoseconds?
    /// How many were resumed by other tasks, and how many by tasks that had waited there.
    package var resumed = 0
    package var byHolders = 0
    /// The function that asked for what the first waiting task waits for; -1: not known.
    package var openCaller: Int32 = -1
    /// The longest wait that ended.
    package var longest: Nanoseconds = 0
    /// The function that asks for it most often.
    package var caller: Int32 = -1
  }

  /// Tasks that run one function.
  package struct Leak: Sendable {
    /// The function that they run.
    package var name: String
    package var code: Int32
    /// Where they wait.
    package var location: Int32
    package var reason: TaskRecord.Reason?
    package var created = 0
    package var alive = 0
    /// When the first and the last of them were made.
    package var first: Nanoseconds
    package var last: Nanoseconds
    /// How many were made per second.
    package var rate: Double { last > first ? Double(created - 1) * 1e9 / Double(last - first) : 0 }
  }

  /// A task that reads a stream, and has had the next element waiting for a long time.
  package struct Backlog: Sendable {
    package var work: WorkID
    /// Where it reads, and where it waits between two elements.
    package var reader: Int32
    package var location: Int32
    /// Since when it has not waited for an element.
    package var since: Nanoseconds
    /// The least number of elements that it has handled since; with ``requests`` how often it has waited there instead.
    package var handled: Int
    /// If nothing tells how often it waits for one element: how many requests, like the one that fed it last, came since.
    package var requests: Int?
    /// Fewer elements are no backlog.
    package static let leastHandled = 50
    /// Whether requests feed the stream.
    package var isFedByRequests: Bool
  }

  /// A wait that many units reach once, and some several times in a row.
  package struct Repeat: Sendable {
    package var location: Int32
    /// The function that repeats it.
    package var caller: Int32
    /// How many units reached it how often: the first number counts the units that reached it once.
    package var counts: [Int] = []
    /// How many of the repetitions followed an error.
    package var errors = 0
    package var units: Int { counts.reduce(0, +) }
    package var visits: Int { counts.enumerated().reduce(0) { $0 + ($1.offset + 1) * $1.element } }
  }

  /// The parts of a unit, each cause once. O(1).
  package func parts(ofUnitAt index: Int) -> ArraySlice<Part> {
    parts[Int(partStarts[index])..<Int(partStarts[index + 1])]
  }

  /// O(1).
  package func kind(ofUnitAt index: Int) -> RequestKind { kinds[Int(units[index].kind)] }

  /// Whether two locations are in one function. O(1).
  func areInOneFunction(_ one: Int32, _ other: Int32) -> Bool {
    one >= 0 && other >= 0 && wholeFunctions[Int(one)] == wholeFunctions[Int(other)]
  }

  /// Whether a location is in the function that units of a kind are named after.
  func isInFunction(of kind: RequestKind, _ location: Int32) -> Bool {
    locations[Int(location)].function == kind.location?.function
  }

  /// Its source location; nil: not known.
  package func location(of cause: Cause) -> CodeLocation? {
    cause.location < 0 ? nil : locations[Int(cause.location)]
  }
}

/// Units that do the same.
package struct RequestKind: Sendable {
  /// Where the time of some of the units went, on average.
  package struct Share: Sendable {
    /// An index in ``Requests/causes``.
    package var cause: Int32
    /// The average for units about the median, in nanoseconds.
    package var median: Nanoseconds
    /// The average for the slowest units, in nanoseconds.
    package var tail: Nanoseconds
  }

  /// The span's name, else the function.
  package var name: String
  /// The source location of that; nil: not known.
  package var location: CodeLocation?
  /// Whether it is the program's own code, and not a library's.
  package var isOwn = true
  /// Whether the units are parts of longer work: rounds of tasks, or spans.
  package var areRounds = false
  /// Whether they are done after a pause, again and again: a job, for which nobody waits.
  package var isJob = false
  package var count = 0
  package var failed = 0
  /// Finished units per second, between the first one's begin and the last one's end.
  package var perSecond: Double = 0
  package var p50: Nanoseconds = 0
  package var p95: Nanoseconds = 0
  package var p99: Nanoseconds = 0
  package var max: Nanoseconds = 0
  package var total: Nanoseconds = 0
  /// Sorted by how much more time the slowest units spend than those about the median.
  package var breakdown: [Share] = []
  /// Indexes of units, the slowest first.
  package var slowest: [Int] = []
  /// How many slowest units ``breakdown`` is computed from.
  package var tailCount = 0

  /// What differs most between the slow ones and the median.
  package var main: Share? { breakdown.first }
}
