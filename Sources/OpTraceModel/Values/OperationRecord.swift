/// How much of an operation was recorded. The absence of an event proves something only with full coverage.
public enum Coverage: UInt8, Sendable, CaseIterable {
  /// Met before it began, and everything since then was recorded.
  case full = 0
  /// A part of its life is missing: it was under way when the recorder met it, or records of it were lost.
  case partial = 1
  /// Only named as a dependency.
  case external = 2
}

/// The state of an operation, in the words that every output shares.
public enum OperationState: String, Sendable, CaseIterable {
  /// Waits for dependencies (or was never added to a queue).
  case pending
  /// Waits for a slot.
  case ready
  /// Its own code runs.
  case executing
  /// Ran to its end.
  case finished
  /// Was cancelled before it ran, and is over; one that ran to its end is finished.
  case cancelled
  /// Finished with an error.
  case failed
}

/// The quality of service. Not Foundation's type, because a reader needs no Foundation.
public enum Quality: UInt8, Sendable, CaseIterable {
  /// Nothing was asked for.
  case `default` = 0
  /// Work that nobody waits for.
  case background = 1
  /// Long work with a progress that people see.
  case utility = 2
  /// Work that somebody waits for.
  case userInitiated = 3
  /// Work for what is on the screen.
  case userInteractive = 4
}

/// An edge of the dependency graph: the operation that holds it waits for `on`.
public struct Dependency: Hashable, Sendable {
  /// The operation that has to finish first.
  public var on: OperationID
  @usableFromInline var compactAdded: CompactTime
  @usableFromInline var compactRemoved: CompactTime

  package init(on: OperationID, added: Nanoseconds, removed: Nanoseconds? = nil) {
    self.on = on
    compactAdded = CompactTime(added)
    compactRemoved = CompactTime(removed)
  }

  /// When the edge was recorded: edges made before the operation was enqueued carry the time of the enqueueing.
  public var added: Nanoseconds {
    @inlinable get { compactAdded.time ?? 0 }
    set { compactAdded = CompactTime(newValue) }
  }
  /// When the dependency was removed, in nanoseconds since the trace's start; nil: it was not.
  public var removed: Nanoseconds? {
    @inlinable get { compactRemoved.time }
    set { compactRemoved = CompactTime(newValue) }
  }
}

/// One block of a block operation.
public struct BlockExecution: Hashable, Sendable {
  /// Which block of the operation, from 0.
  public var index: UInt32
  /// The thread that ran it.
  public var thread: ThreadID
  /// When it began, in nanoseconds since the trace's start.
  public var began: Nanoseconds
  /// When it returned; nil: not seen.
  public var ended: Nanoseconds?

  package init(index: UInt32, thread: ThreadID, began: Nanoseconds, ended: Nanoseconds? = nil) {
    self.index = index
    self.thread = thread
    self.began = began
    self.ended = ended
  }
}

/// Everything that a trace says about one operation. What is nil did not happen, or was not seen (see ``coverage``).
public struct OperationRecord: Sendable, Identifiable, TraceOwned {
  /// Its number in the trace.
  public var id: OperationID
  @usableFromInline var queueNumber: UInt32 = 0
  @usableFromInline var sharedClass: SharedClass
  private(set) var sharedSource: SharedText?
  /// The name it had last; nil: it has none.
  public var name: String?
  /// In the order in which they were added, including those that were removed again.
  public var dependencies: [Dependency] = []
  /// For a block operation its blocks, in the order of their begins; else empty.
  public var blocks: [BlockExecution] = []
  @usableFromInline var rareFacts: RareFacts?
  private var addedFrame: UInt32 = 0
  /// The work that enqueued it; 0: none.
  private var enqueuer: UInt32 = 0
  private var madeFrame: UInt32 = 0
  /// Whether a flight recorder has overwritten its end, if it had one.
  @usableFromInline var isEndLost = false

  @usableFromInline var compactCreated = CompactTime(nil)
  @usableFromInline var compactEnqueued = CompactStamp.none
  @usableFromInline var compactReady = CompactStamp.none
  @usableFromInline var compactStarted = CompactStamp.none
  @usableFromInline var compactExecutionBegan = CompactStamp.none
  @usableFromInline var compactExecutionEnded = CompactStamp.none
  @usableFromInline var compactStartReturned = CompactStamp.none
  @usableFromInline var compactFinished = CompactStamp.none
  @usableFromInline var compactReleased = CompactStamp.none
  @usableFromInline var compactLastSign = CompactTime(nil)

  /// How often it was started; more than once is misuse.
  public var startCount: UInt32 = 0
  /// How often it was added to a queue; more than once is misuse.
  public var enqueueCount: UInt32 = 0
  /// How often it was reported as finished; more than once is misuse.
  public var finishCount: UInt32 = 0

  /// How much of it was recorded.
  public var coverage: Coverage = .full
  @usableFromInline var traits: OperationTraits = []
  /// `Operation.QueuePriority`'s raw value: -8 to 8.
  public var priority: Int8 = 0
  /// Its quality of service, as it was seen last.
  public var quality: Quality = .default

  package init(id: OperationID, className: String, name: String? = nil) {
    self.init(id: id, class: SharedClass(className))
    self.name = name
  }

  init(id: OperationID, class shared: SharedClass) {
    self.id = id
    sharedClass = shared
  }
}

// Getters are inlinable: if other modules called them, each call would first copy the whole record.
extension OperationRecord {
  /// The class, without its module.
  public var className: String {
    @inlinable get { sharedClass.name }
    set { sharedClass = SharedClass(newValue, module: sharedClass.module) }
  }

  /// What operations are grouped by: the function that it runs, else its class. If the function has no name: the class
  /// and the address of the code (`BlockOperation at photos+0x4420`).
  @inlinable public var kind: String { sharedClass.kind }

  /// The Swift module that the class is from; nil: not known.
  public var classModule: String? { sharedClass.module }

  /// The function that it runs, if that is not its class's own: the closure of a block operation.
  public var code: FrameID? { sharedClass.code }

  /// The name and source location of that function; nil: the class says what it runs, or the trace has no symbols.
  public var function: SymbolRecord? { sharedClass.function }

  /// The work whose code added it to its queue; nil: no work in the trace.
  public var enqueuedBy: WorkID? {
    get { enqueuer == 0 ? nil : WorkID(enqueuer) }
    set { enqueuer = newValue?.rawValue ?? 0 }
  }
  /// Where it was added to a queue.
  public var addedAt: FrameID? {
    get { addedFrame == 0 ? nil : FrameID(addedFrame) }
    set { addedFrame = newValue?.rawValue ?? 0 }
  }

  /// Where the object was created, if that was recorded.
  public var madeAt: FrameID? {
    get { madeFrame == 0 ? nil : FrameID(madeFrame) }
    set { madeFrame = newValue?.rawValue ?? 0 }
  }

  /// `file:line`, if the program gave it.
  public var source: String? {
    get { sharedSource?.text }
    set { sharedSource = newValue.map { SharedText($0) } }
  }

  /// Identifies the class and function. Equal for all operations of one class that run the same function, as long as
  /// the trace exists, so that one answer serves all of them.
  package var kindKey: ObjectIdentifier { ObjectIdentifier(sharedClass) }

  /// Shares one object among many operations, so that equal texts are in memory once.
  mutating func share(class shared: SharedClass) { sharedClass = shared }
  mutating func resolveClass(_ resolved: (SharedClass) -> SharedClass?) {
    if let other = resolved(sharedClass) { sharedClass = other }
  }
  mutating func share(source text: SharedText?) { sharedSource = text }

  /// The queue it was added to; nil: it was started by hand, or never enqueued.
  public var queue: QueueID? {
    @inlinable get { traits.contains(.hasQueue) ? QueueID(queueNumber) : nil }
    set {
      traits[.hasQueue] = newValue != nil
      queueNumber = newValue?.rawValue ?? 0
    }
  }

  /// Whether it reports that it is asynchronous.
  public var isAsynchronous: Bool {
    @inlinable get { traits.contains(.isAsynchronous) }
    set { traits[.isAsynchronous] = newValue }
  }
  /// Whether its class, or a superclass, overrides `isReady`, apart from Foundation and the recorder. Also false if
  /// that is not known.
  public var overridesReady: Bool {
    @inlinable get { traits.contains(.overridesReady) }
    set { traits[.overridesReady] = newValue }
  }
  /// Whether it is a barrier of its queue (`addBarrierBlock`).
  public var isBarrier: Bool {
    @inlinable get { traits.contains(.isBarrier) }
    set { traits[.isBarrier] = newValue }
  }

  /// When it was last seen to make progress (`EventSpec.Life`); nil: never.
  public var lastSign: Nanoseconds? {
    @inlinable get { compactLastSign.time }
    set { compactLastSign = CompactTime(newValue) }
  }

  /// When it was last seen to make progress, other than by being submitted and becoming ready; nil: never.
  package var lastProgress: Nanoseconds? {
    started != nil || executionBegan != nil
      ? lastSign : [finished?.time, cancelRequested?.time].compactMap { $0 }.max()
  }

  /// When the object was created; may be before the trace's start.
  public var created: Nanoseconds? {
    @inlinable get { compactCreated.time }
    set { compactCreated = CompactTime(newValue) }
  }
  /// When it was first added to a queue, and by which thread; nil: not seen.
  public var enqueued: Stamp? {
    @inlinable get { compactEnqueued.stamp }
    set { compactEnqueued = CompactStamp(newValue) }
  }
  /// When it last became ready before its start; the thread is the one that removed the last obstacle.
  public var ready: Stamp? {
    @inlinable get { compactReady.stamp }
    set { compactReady = CompactStamp(newValue) }
  }
  /// When its `start()` was entered, and on which thread; nil: not seen.
  public var started: Stamp? {
    @inlinable get { compactStarted.stamp }
    set { compactStarted = CompactStamp(newValue) }
  }
  /// When its own code began, and on which thread; nil: it never ran, or that was not seen.
  public var executionBegan: Stamp? {
    @inlinable get { compactExecutionBegan.stamp }
    set { compactExecutionBegan = CompactStamp(newValue) }
  }
  /// When its own code was over, and on which thread; nil: not seen.
  public var executionEnded: Stamp? {
    @inlinable get { compactExecutionEnded.stamp }
    set { compactExecutionEnded = CompactStamp(newValue) }
  }
  /// When `start()` returned; an asynchronous operation may run on; nil: not seen.
  public var startReturned: Stamp? {
    @inlinable get { compactStartReturned.stamp }
    set { compactStartReturned = CompactStamp(newValue) }
  }
  /// When `isFinished` became true, and on which thread; nil: it is not over, or that was not seen.
  public var finished: Stamp? {
    @inlinable get { compactFinished.stamp }
    set { compactFinished = CompactStamp(newValue) }
  }
  /// When the object was released; nil: not seen.
  public var released: Stamp? {
    @inlinable get { compactReleased.stamp }
    set { compactReleased = CompactStamp(newValue) }
  }

  package var owner: TraceOwner { .operation(id) }

  /// The displayed name: its name, else the function that it runs, else the class.
  public var title: String { name ?? function?.shortName ?? className }

  /// The Swift module of what it runs: of its function, else of its class; nil: not known.
  public var module: String? { function?.module ?? classModule }

  /// The source location of its code.
  public var codeLocation: CodeLocation {
    var location = CodeLocation(function: function?.shortName, module: module)
    if let function, let file = function.file {
      (location.file, location.line) = (file, function.line)
    } else if let source {
      let parts = source.split(separator: ":", omittingEmptySubsequences: false)
      location.line = parts.count > 1 ? parts.last.flatMap { Int($0) } : nil
      location.file = location.line == nil ? source : parts.dropLast().joined(separator: ":")
    }
    return location
  }

  /// `main.swift:12`: the location that the program gave, else the line of its function.
  public var locationText: String? { source ?? function?.lineText }

  /// The state at the end of the trace.
  @inlinable @inline(__always) public var state: OperationState {
    if finished != nil {
      if error != nil { return .failed }
      return executionBegan == nil && cancelRequested != nil ? .cancelled : .finished
    }
    if executionBegan != nil || started != nil { return .executing }
    return ready != nil && enqueued != nil ? .ready : .pending
  }

  /// False if the trace does not tell what became of it: it was seen in part, and neither its begin nor its end was
  /// seen. It may have run. Then ``state`` tells only what was seen, and a time until the trace's end would be
  /// invented.
  @inlinable public var isOutcomeKnown: Bool {
    finished != nil || !isEndLost && (coverage == .full || started != nil || executionBegan != nil)
  }

  /// When it became able to run: the later of ready and enqueued. Nil: it never became ready, or was never enqueued.
  @inlinable public var runnable: Nanoseconds? {
    guard let enqueued, let ready else { return nil }
    return max(enqueued.time, ready.time)
  }
}

extension OperationRecord: Equatable {
  public static func == (left: OperationRecord, right: OperationRecord) -> Bool {
    left.id == right.id && left.queue == right.queue && left.className == right.className
      && left.source == right.source && left.name == right.name && left.dependencies == right.dependencies
      && left.blocks == right.blocks && left.rare == right.rare && left.moments == right.moments
      && left.counts == right.counts && left.frames == right.frames && left.classModule == right.classModule
      && left.coverage == right.coverage && left.traits == right.traits && left.lastSign == right.lastSign
      && left.priority == right.priority && left.quality == right.quality
  }

  private var counts: [UInt32] { [startCount, enqueueCount, finishCount] }
  private var frames: [FrameID?] { [code, addedAt, madeAt] }
  private var moments: [Stamp?] {
    [
      created.map { Stamp($0, ThreadID(0)) }, enqueued, ready, started, executionBegan, executionEnded, startReturned,
      finished, released,
    ]
  }
}
