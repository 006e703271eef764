/// A task of Swift's: what `Task { }`, a task group or `async let` creates. It runs in pieces, and is suspended in between.
public struct TaskRecord: Sendable, Equatable, Identifiable, Work, TraceOwned {
  /// How it came to be.
  public enum Way: UInt8, Sendable, CaseIterable {
    /// `Task { }`: it inherits from who creates it, and is nobody's child.
    case unstructured = 0
    /// `Task.detached { }`: it inherits nothing.
    case detached = 1
    /// A child in a task group.
    case groupChild = 2
    /// `async let`: a child, too.
    case asyncLet = 3

    /// Whether who creates it has to wait for it.
    public var isChild: Bool { self == .groupChild || self == .asyncLet }
  }

  /// Why a task stopped running.
  public enum Reason: UInt8, Sendable, CaseIterable {
    /// The program's runtime is one whose layout is not known.
    case unknown = 0
    /// Until another task is over.
    case task = 1
    /// Until somebody resumes a continuation.
    case continuation = 2
    /// Until a child of its group is over.
    case group = 3
    /// To go on on another actor or executor.
    case executor = 4
    /// Until some time has passed.
    case sleep = 5
  }

  /// An actor that a task was given to.
  public struct WaitedActor: Sendable, Hashable {
    /// Which one; 0: not known. An actor that was freed may have been followed by another one of the same number.
    public var number: UInt32
    /// Empty: not known.
    public var className: String
  }

  /// A stretch in which it waited for an actor.
  public struct ActorWait: Sendable, Equatable {
    /// Which actor.
    public var actor: WaitedActor
    /// When the task was given to the actor, and by which thread.
    public var queued: Stamp
    /// The operation, block or task that did it; nil: none, as where the task goes there by itself.
    public var by: WorkID?
    /// When it ran; nil: it did not.
    public var began: Nanoseconds?
    /// Its index among the suspensions; nil: it waited for its first run.
    public var suspension: Int?
  }

  /// How a continuation was resumed.
  public enum Resumption: UInt8, Sendable, CaseIterable {
    /// With a value.
    case value = 0
    /// With a value, where an error could have come; a checked continuation always.
    case throwing = 1
    /// With an error.
    case error = 2
  }

  /// A stretch in which it did not run, though it had begun.
  public struct Suspension: Sendable, Equatable {
    /// What it waited for.
    public var reason: Reason
    /// When it stopped, and on which thread.
    public var from: Stamp
    /// From when on it only waited for its turn, or that of an actor, and the thread that let it; nil: not heard.
    public var enqueued: Stamp?
    /// When its continuation was resumed, and by which thread: before it was suspended, if that came first. Nil: not heard.
    public var resumed: Stamp?
    /// How; nil: not heard.
    public var resumption: Resumption?
    /// The actor whose turn it waited for last; nil: none, or not heard.
    public var actor: WaitedActor?
    /// The operation, block or task that let it go on; nil: none, or not heard.
    public var resumer: WorkID?
    /// When its resumer let it go on, as near as it was heard, and on which thread; nil: nobody has.
    package var letGoOn: Stamp? { resumed ?? enqueued }
    /// Its turn is one of the main thread's. (False before version 1.7, which does not say.)
    public var isForMain = false
    /// When it ran again; nil: it did not.
    public var to: Nanoseconds?
    /// The task that it waited for; nil: none, or not one of the program's.
    public var awaited: WorkID?
    /// The functions that go on then, as a stack; nil: not known.
    public var at: FrameID?
  }

  public var id: WorkID
  /// When it was created, and by which thread; nil: before anything was recorded.
  public var submitted: Stamp?
  /// The operation, block or task whose code created it; nil: none.
  public var submitter: WorkID?
  /// Where the program created it.
  public var submittedAt: FrameID?
  /// How it came to be.
  public var way = Way.unstructured
  /// As Swift's runtime has it: 25 high, 21 medium, 17 low, 9 background.
  public var priority: UInt8 = 0
  /// As the program gave it; nil: none.
  public var name: String?
  /// What it runs.
  public var code: FrameID?
  /// That function's name and source location; nil: the trace has no symbols of it.
  public internal(set) var function: SymbolRecord?
  /// Its name where that function has no name, or one that says nothing.
  var codeText: String?
  /// From when on it waited for its first turn; nil: not heard.
  public var enqueued: Stamp?
  /// The actor whose turn its first one is; nil: none, or not heard.
  public var actor: WaitedActor?
  /// Its first turn is one of the main thread's. (False before version 1.7, which does not say.)
  public var isForMain = false
  public internal(set) var runs: [WorkRun] = []
  /// In the order of time; each begins with the end of a run.
  public internal(set) var suspensions: [Suspension] = []
  /// When it was cancelled, or was first seen to be.
  public var cancelRequested: Nanoseconds?
  /// When it was over.
  public var completed: Nanoseconds?
  /// Of a trace that grows: its first runs and suspensions were forgotten.
  package internal(set) var isCut = false
  /// When it was last seen, where a flight recorder has overwritten its end; nil: nothing is missing.
  var endLost: Nanoseconds?
  /// A continuation that was resumed while it ran; nil: none since it was suspended.
  var resumedEarly: EarlyResumption?

  init(id: WorkID) { self.id = id }

  package var owner: TraceOwner { Self.owner(submitter) }
  /// The task that it is a child of; nil: of none.
  public var parent: WorkID? { way.isChild ? submitter : nil }
  public var title: String {
    guard let name, !name.allSatisfy(\.isWhitespace) else { return kind }
    return name
  }
  public var kind: String { codeText ?? function?.shortName ?? "task" }
  public var scheduler: SchedulerID? { .swift }
  public var runnable: Nanoseconds? { enqueued?.time }
  public var began: Stamp? { runs.first.map { Stamp($0.began, $0.thread) } }
  /// Where its end was overwritten: when it was last seen.
  public var over: Nanoseconds? { completed ?? endLost }
  /// False where a flight recorder has overwritten its end.
  public var isOutcomeKnown: Bool { endLost == nil }
  /// Whether it waits for a turn on the main thread, when the trace ends.
  public var waitsForMain: Bool {
    guard over == nil else { return false }
    guard let last = suspensions.last else { return runs.isEmpty && enqueued != nil && isForMain }
    return last.to == nil && last.enqueued != nil && last.isForMain
  }

  /// What it waits for, when the trace ends; nil: it runs, waits for its turn, or is over. One that waits for an actor goes to an executor,
  /// whatever it waited for before.
  public var suspension: Suspension? {
    guard over == nil, var last = suspensions.last, last.to == nil, last.enqueued == nil || last.actor != nil else {
      return nil
    }
    if last.enqueued != nil { last.reason = .executor }
    return last
  }
  /// Whether it waits for a continuation when the trace ends, which nobody has resumed.
  public var awaitsResumption: Bool {
    guard let suspension else { return false }
    return suspension.reason == .continuation && suspension.resumed == nil
  }
  /// Its waits for actors, in the order of time; empty where they are not heard. O(suspensions).
  public var actorWaits: [ActorWait] {
    var waits: [ActorWait] = []
    if !isCut, let actor, let enqueued {
      waits.append(ActorWait(actor: actor, queued: enqueued, by: submitter, began: runs.first?.began, suspension: nil))
    }
    for (index, suspension) in suspensions.enumerated() {
      guard let actor = suspension.actor, let queued = suspension.enqueued else { continue }
      waits.append(
        ActorWait(actor: actor, queued: queued, by: suspension.resumer, began: suspension.to, suspension: index))
    }
    return waits
  }
  /// When it was last seen to go on; nil: never.
  public var lastSign: Nanoseconds? {
    let last = suspensions.last
    return [
      submitted?.time, enqueued?.time, runs.last?.began, last?.from.time, last?.enqueued?.time, last?.resumed?.time,
      resumedEarly?.at.time, completed,
    ]
    .compactMap { $0 }.max()
  }
  /// Since when it waits for its turn, if it does.
  package var lastSubmission: Nanoseconds? { (suspensions.last?.enqueued ?? enqueued ?? submitted)?.time }
  /// When it was last seen to go on, other than by being submitted and enqueued; nil: never.
  package var lastProgress: Nanoseconds? {
    let last = suspensions.last
    return [runs.last?.began, last?.from.time, last?.resumed?.time, resumedEarly?.at.time, completed].compactMap { $0 }
      .max()
  }
}

/// What is known of a continuation before its task waits for it.
struct EarlyResumption: Sendable, Equatable {
  var at: Stamp
  var by: WorkID?
  var how: TaskRecord.Resumption?
}

extension TaskRecord.WaitedActor {
  /// `actor Printer 3`.
  public var title: String {
    ["actor", className, number == 0 ? "" : String(number)].filter { !$0.isEmpty }.joined(separator: " ")
  }
}
