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
    case continuation
    case child
    case sleeping
    case outside
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
  /// Those that tasks waited for, most waited for first.
  package internal(set) var actors: [ActorUse.One] = []

  /// Nothing.
  init() {}

  /// The parts of a unit, no cause twice. O(1).
  package func parts(ofUnitAt index: Int) -> ArraySlice<Part> {
    parts[Int(partStarts[index])..<Int(partStarts[index + 1])]
  }

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
  /// Whether these are rounds of tasks.
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
