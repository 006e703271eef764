/// A Swift task: what `Task { }`, a task group or `async let` creates. It runs in pieces, and is suspended in between.
public struct TaskRecord: Sendable, Equatable, Identifiable, Work, TraceOwned {
  /// How it was created.
  public enum Way: UInt8, Sendable, CaseIterable {
    /// `Task { }`: it inherits from its creator, and is no child task.
    case unstructured = 0
    /// `Task.detached { }`: it inherits nothing.
    case detached = 1
    /// A child in a task group.
    case groupChild = 2
    /// `async let`: a child, too.
    case asyncLet = 3

    /// Whether its creator has to wait for it.
    public var isChild: Bool { self == .groupChild || self == .asyncLet }
  }

  /// Why a task stopped running.
  public enum Reason: UInt8, Sendable, CaseIterable {
    /// Not known, because the layout of the program's runtime is not known.
    case unknown = 0
    /// Until another task is over.
    case task = 1
    /// Until somebody resumes a continuation.
    case continuation = 2
    /// Until a child of its group is over.
    case group = 3
    /// To continue on another actor or executor.
    case executor = 4
    /// Until some time has passed.
    case sleep = 5
  }

  /// An actor on which a task was enqueued.
  public struct WaitedActor: Sendable, Hashable {
    /// The actor's number; 0: not known. After an actor was freed, another one may get the same number.
    public var number: UInt32
    /// The class of the actor; empty: not known.
    public var className: String
  }

  /// A stretch in which it waited for an actor.
  public struct ActorWait: Sendable, Equatable {
    /// Which actor.
    public var actor: WaitedActor
    /// When the task was enqueued on the actor, and by which thread.
    public var queued: Stamp
    /// The operation, block or task that enqueued it; nil: none, for example if the task switches to the actor by
    /// itself.
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
    /// With a value, though it could have been an error. A checked continuation that gets a value always has this.
    case throwing = 1
    /// With an error.
    case error = 2
  }

  /// A stretch of time in which a task that had begun did not run.
  public struct Suspension: Sendable, Equatable {
    /// What it waited for.
    public var reason: Reason
    /// When it stopped, and on which thread.
    public var from: Stamp
    /// Since when it waited only for its turn, or for that of an actor, and the thread that made it runnable; nil: not
    /// recorded.
    public var enqueued: Stamp?
    /// When its continuation was resumed, and by which thread; may be before the suspension. Nil: not recorded.
    public var resumed: Stamp?
    /// How it was resumed; nil: not recorded.
    public var resumption: Resumption?
    /// The actor whose turn it waited for last; nil: none, or not recorded.
    public var actor: WaitedActor?
    /// The operation, block or task that let it continue; nil: none, or not recorded.
    public var resumer: WorkID?
    /// When its resumer let it continue, as exactly as recorded, and on which thread; nil: nobody has.
    package var letGoOn: Stamp? { resumed ?? enqueued }
    /// Whether it waited for a turn on the main thread. (False before version 1.7, which does not record it.)
    public var isForMain = false
    /// When it ran again; nil: it did not.
    public var to: Nanoseconds?
    /// The task that it waited for; nil: none, or not a task of the program.
    public var awaited: WorkID?
    /// The functions that will continue, as a stack; nil: not known.
    public var at: FrameID?
  }

  public var id: WorkID
  /// When it was created, and by which thread; nil: before recording began.
  public var submitted: Stamp?
  /// The operation, block or task whose code created it; nil: none.
  public var submitter: WorkID?
  /// Where the program created it.
  public var submittedAt: FrameID?
  /// How it was created.
  public var way = Way.unstructured
  /// Its priority in Swift's runtime: 25 high, 21 medium, 17 low, 9 background.
  public var priority: UInt8 = 0
  /// The name that the program gave it; nil: none.
  public var name: String?
  /// The function that it runs.
  public var code: FrameID?
  /// That function's name and source location; nil: the trace has no symbols of it.
  public internal(set) var function: SymbolRecord?
  /// A substitute for the function's name, if that is missing or says nothing.
  var codeText: String?
  /// Since when it waited for its first turn; nil: not recorded.
  public var enqueued: Stamp?
  /// The actor whose turn it first waited for; nil: none, or not recorded.
  public var actor: WaitedActor?
  /// Whether its first turn is on the main thread. (False before version 1.7, which does not record it.)
  public var isForMain = false
  public internal(set) var runs: [WorkRun] = []
  /// In the order of time; each begins when a run ends.
  public internal(set) var suspensions: [Suspension] = []
  /// When it was cancelled, or was first seen to be.
  public var cancelRequested: Nanoseconds?
  /// When it was over.
  public var completed: Nanoseconds?
  /// In a growing trace: whether its first runs and suspensions were forgotten.
  package internal(set) var isCut = false
  /// When it was last seen, if a flight recorder has overwritten its end; nil: its end is not missing.
  var endLost: Nanoseconds?
  /// A continuation that was resumed while the task still ran; nil: none since it was suspended.
  var resumedEarly: EarlyResumption?

  init(id: WorkID) { self.id = id }

  package var owner: TraceOwner { Self.owner(submitter) }
  /// The parent of a child task; nil: it is no child.
  public var parent: WorkID? { way.isChild ? submitter : nil }
  public var title: String {
    guard let name, !name.allSatisfy(\.isWhitespace) else { return kind }
    return name
  }
  public var kind: String { codeText ?? function?.shortName ?? "task" }
  public var scheduler: SchedulerID? { .swift }
  public var runnable: Nanoseconds? { enqueued?.time }
  public var began: Stamp? { runs.first.map { Stamp($0.began, $0.thread) } }
  /// When it was over; if its end was overwritten, when it was last seen.
  public var over: Nanoseconds? { completed ?? endLost }
  /// False if a flight recorder has overwritten its end.
  public var isOutcomeKnown: Bool { endLost == nil }
  /// Whether it waits for a turn on the main thread when the trace ends.
  public var waitsForMain: Bool {
    guard over == nil else { return false }
    guard let last = suspensions.last else { return runs.isEmpty && enqueued != nil && isForMain }
    return last.to == nil && last.enqueued != nil && last.isForMain
  }

  /// What it waits for when the trace ends; nil: it runs, waits for its turn, or is over. If it waits for an actor, the
  /// reason is `executor`, whatever it waited for before.
  public var suspension: Suspension? {
    guard over == nil, var last = suspensions.last, last.to == nil, last.enqueued == nil || last.actor != nil else {
      return nil
    }
    if last.enqueued != nil { last.reason = .executor }
    return last
  }
  /// Whether, when the trace ends, it waits for a continuation that nobody has resumed.
  public var awaitsResumption: Bool {
    guard let suspension else { return false }
    return suspension.reason == .continuation && suspension.resumed == nil
  }
  /// Its waits for actors, in the order of time; empty if these are not recorded. O(suspensions).
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
  /// The wait for an actor that lasts when the trace ends; nil: there is none. O(suspensions).
  package var openActorWait: ActorWait? { over == nil ? actorWaits.last.flatMap { $0.began == nil ? $0 : nil } : nil }

  /// When it was last seen to make progress; nil: never.
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
  /// When it was last seen to make progress, other than by being submitted and enqueued; nil: never.
  package var lastProgress: Nanoseconds? {
    let last = suspensions.last
    return [runs.last?.began, last?.from.time, last?.resumed?.time, resumedEarly?.at.time, completed].compactMap { $0 }
      .max()
  }
}

/// A resumption of a continuation before its task waited for it.
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
