package import OpTraceModel

/// Units of work, such as requests: found in the trace by themselves, by kind, each split into where its time went.
///
/// A unit is a round of a task that works in rounds (``TaskLoops``), else a task, block or operation that nobody's unit contains; where the
/// program has spans of its own, these are the units. What a unit submits and waits for is part of it.
package struct Requests: Sendable {
  /// One unit.
  package struct Unit: Sendable {
    /// An index in ``Requests/kinds``.
    package var kind: Int32
    /// The work that it is, or that it is a round of.
    package var work: WorkID
    /// In nanoseconds since the trace's start.
    package var began: Nanoseconds
    /// In nanoseconds since the trace's start.
    package var ended: Nanoseconds
    /// It was cancelled, or its span ended with an error.
    package var isFailed: Bool
    package var length: Nanoseconds { max(0, ended - began) }
  }

  /// A stretch of a unit, as part of it or of the work that it waited for.
  package struct Part: Sendable, Hashable {
    /// An index in ``Requests/causes``.
    package var cause: Int32
    package var length: Nanoseconds
  }

  /// Where time went.
  package struct Cause: Sendable, Hashable {
    /// What the unit did or waited for.
    package var what: What
    /// The actor, the queue, the lock; empty: nobody in particular.
    package var who: String
    /// The function that ran or waited, or that held what was waited for; -1: not known. An index in ``Requests/locations``.
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
    /// With a thread, in `usleep` and the like.
    case threadSleep = "thread-sleep"
    case disk
    case continuation
    case child
    case sleeping
    case outside

    /// Whether its time is spent with a thread that does nothing else.
    var holdsThread: Bool { self == .lock || self == .threadSleep || self == .disk }
  }

  /// In the order in which they are told: own code first, then those of which there are many, then the most time.
  package internal(set) var kinds: [RequestKind] = []
  /// In the order of their ends.
  package internal(set) var units: [Unit] = []
  /// Each once.
  package internal(set) var causes: [Cause] = []
  /// What causes refer to.
  package internal(set) var locations: [CodeLocation] = []
  /// Units that had begun and were not over when the trace ended.
  package internal(set) var open = 0
  /// Parts of units, one after another; unit `n` has those from `partStarts[n]` up to `partStarts[n + 1]`.
  package internal(set) var parts: [Part] = []
  package internal(set) var partStarts: [Int32] = [0]
  /// Of the slowest units, by their index, what they and the work that they submitted did; see ``TreeLimits``.
  package internal(set) var trees: [Int: [Line]] = [:]
  /// Event loops with turns, but for libdispatch's own.
  package internal(set) var loops: [LoopUse] = []
  /// Those that tasks waited for, most waited for first.
  package internal(set) var actors: [ActorUse.One] = []

  /// The own function with the most samples, its libraries' included, and its share of all.
  package internal(set) var hottest: (location: Int32, share: Double)?
  /// How many samples of processor time there are.
  package internal(set) var samples = 0
  /// What tasks hand on to each other by continuations, as the connections of a pool; most waited for first.
  package internal(set) var pools: [Pool] = []
  /// Tasks that units make, and that do not end.
  package internal(set) var leaks: [Leak] = []
  /// Units that are not over, at waits that were short before.
  package internal(set) var stuck: [Stuck] = []
  /// Tasks that have not waited for an element of their stream for long.
  package internal(set) var backlogs: [Backlog] = []
  /// Waits that units come to again and again.
  package internal(set) var repeats: [Repeat] = []

  /// Nothing.
  init() {}

  /// Whether there is nothing to show: no unit that is over, no event loop, and no actor that anybody waited for.
  package var isEmpty: Bool { kinds.isEmpty && loops.isEmpty && actors.isEmpty }

  /// A resource that is made of continuations: who waits for it is resumed by those that have waited for it themselves.
  package struct Pool: Sendable {
    /// Where tasks wait. An index in ``Requests/locations``, as all here.
    package var location: Int32
    /// How long they waited, until the trace's end where they still do.
    package var waits: [Nanoseconds] = []
    /// Of ``waits``.
    package var waiting: Distribution { Distribution(waits) }
    /// How many still wait, and since when the first of them does.
    package var open = 0
    package var openSince: Nanoseconds?
    /// How many were resumed by other tasks, and by such as had waited there.
    package var resumed = 0
    package var byHolders = 0
    /// The function that asked for what the first of them waits for; -1: not known.
    package var openCaller: Int32 = -1
    /// The longest wait that ended.
    package var longest: Nanoseconds = 0
    /// How long those had it that had waited for it.
    package var holds: [Nanoseconds] = []
    /// While those waited that waited longest, what those did who gave it to them: nanoseconds by cause.
    package var holding: [Int32: Nanoseconds] = [:]
    /// The function that asked for it, mostly.
    package var caller: Int32 = -1
  }

  /// Tasks of one function.
  package struct Leak: Sendable {
    /// What they run.
    package var name: String
    package var code: Int32
    /// Where they wait.
    package var location: Int32
    package var reason: TaskRecord.Reason?
    package var created = 0
    package var alive = 0
    /// When the first was made, and when the last.
    package var first: Nanoseconds
    package var last: Nanoseconds
    /// How many a second were made.
    package var rate: Double { last > first ? Double(created - 1) * 1e9 / Double(last - first) : 0 }
  }

  /// A task that reads a stream, and has had its next element waiting for long.
  package struct Backlog: Sendable {
    package var work: WorkID
    /// Where it reads, and where it waits between two elements.
    package var reader: Int32
    package var location: Int32
    /// Since when it has not waited for an element.
    package var since: Nanoseconds
    /// How many elements it has handled since, at least.
    package var handled: Int
    /// Whether requests fed it.
    package var isFedByRequests: Bool
  }

  /// Units at a wait that does not end.
  package struct Stuck: Sendable {
    package var location: Int32
    package var count = 0
    package var since: Nanoseconds
    /// How many waits there ended, how many of them began after the first of these, and the longest of them.
    package var ended = 0
    package var endedSince = 0
    package var longest: Nanoseconds = 0
    package var work: WorkID
  }

  /// A wait that many units come to once and some several times in a row.
  package struct Repeat: Sendable {
    package var location: Int32
    /// The function that repeats it.
    package var caller: Int32
    /// How many units came so often: the first number is of those that came once.
    package var counts: [Int] = []
    /// How many of the repeated ones followed on an error.
    package var errors = 0
    package var units: Int { counts.reduce(0, +) }
    package var visits: Int { counts.enumerated().reduce(0) { $0 + ($1.offset + 1) * $1.element } }
  }

  /// The parts of a unit, no cause twice. O(1).
  package func parts(ofUnitAt index: Int) -> ArraySlice<Part> {
    parts[Int(partStarts[index])..<Int(partStarts[index + 1])]
  }

  /// O(1).
  package func kind(ofUnitAt index: Int) -> RequestKind { kinds[Int(units[index].kind)] }

  /// Its source location; nil: not known.
  package func location(of cause: Cause) -> CodeLocation? {
    cause.location < 0 ? nil : locations[Int(cause.location)]
  }
}

/// Units that do the same.
package struct RequestKind: Sendable {
  /// Where the time of a part of the units went, on average.
  package struct Share: Sendable {
    /// An index in ``Requests/causes``.
    package var cause: Int32
    /// Nanoseconds in a unit about the median.
    package var median: Nanoseconds
    /// Nanoseconds in one of the slowest.
    package var tail: Nanoseconds
  }

  /// The span's name, else the function.
  package var name: String
  /// Where that is; nil: not known.
  package var location: CodeLocation?
  /// Whether it is the program's own code, and not a library's.
  package var isOwn = true
  /// Whether these are parts of longer work: rounds of tasks, or spans.
  package var areRounds = false
  package var count = 0
  package var failed = 0
  /// Units that were over, a second, between the first one's begin and the last one's end.
  package var perSecond: Double = 0
  package var p50: Nanoseconds = 0
  package var p95: Nanoseconds = 0
  package var p99: Nanoseconds = 0
  package var max: Nanoseconds = 0
  package var total: Nanoseconds = 0
  /// What the slowest spend most more than those about the median first.
  package var breakdown: [Share] = []
  /// Indexes of units: the slowest first.
  package var slowest: [Int] = []
  /// How many units are the slowest that ``breakdown`` is of.
  package var tailCount = 0

  /// What differs most between the slow ones and the median.
  package var main: Share? { breakdown.first }
}
