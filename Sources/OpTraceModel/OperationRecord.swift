/// How fully an operation was seen. The absence of an event proves something only under full coverage.
public enum Coverage: UInt8, Sendable, CaseIterable {
  case full = 0
  case partial = 1
  /// Only named as a dependency.
  case external = 2
}

/// Where an operation stands, in the words that every output shares.
public enum OperationState: String, Sendable, CaseIterable {
  /// Waits for dependencies (or was never given to a queue).
  case pending
  /// Waits for a slot.
  case ready
  case executing
  case finished
  /// Asked to cancel before it ran, and over; one that ran to its end is finished.
  case cancelled
  /// Finished with an error.
  case failed
}

/// `Operation.QueuePriority` and `QualityOfService` are not Foundation's types here: a reader needs no Foundation.
public enum Quality: UInt8, Sendable, CaseIterable {
  case `default` = 0
  case background = 1
  case utility = 2
  case userInitiated = 3
  case userInteractive = 4
}

/// An edge of the dependency graph: the operation that holds it waits for `on`.
public struct Dependency: Hashable, Sendable {
  public var on: OperationID
  @usableFromInline var packedAdded: PackedTime
  @usableFromInline var packedRemoved: PackedTime

  public init(on: OperationID, added: Nanoseconds, removed: Nanoseconds? = nil) {
    self.on = on
    packedAdded = PackedTime(added)
    packedRemoved = PackedTime(removed)
  }

  /// When the edge was recorded: edges made before the operation was enqueued carry the time of the enqueueing.
  public var added: Nanoseconds {
    @inlinable get { packedAdded.time ?? 0 }
    set { packedAdded = PackedTime(newValue) }
  }
  public var removed: Nanoseconds? {
    @inlinable get { packedRemoved.time }
    set { packedRemoved = PackedTime(newValue) }
  }
}

/// One block of a block operation.
public struct BlockExecution: Hashable, Sendable {
  public var index: UInt32
  public var thread: ThreadID
  public var began: Nanoseconds
  public var ended: Nanoseconds?

  public init(index: UInt32, thread: ThreadID, began: Nanoseconds, ended: Nanoseconds? = nil) {
    self.index = index
    self.thread = thread
    self.began = began
    self.ended = ended
  }
}

/// All that a trace tells of one operation. What is nil did not happen, or was not seen (see ``coverage``).
public struct OperationRecord: Sendable, Identifiable {
  public var id: OperationID
  @usableFromInline var queueNumber: UInt32 = 0
  private var sharedClass: SharedText
  private var sharedSource: SharedText?
  public var name: String?
  public var dependencies: [Dependency] = []
  public var blocks: [BlockExecution] = []
  private var rareFacts: RareFacts?

  @usableFromInline var packedCreated = PackedTime(nil)
  @usableFromInline var packedEnqueued = PackedStamp.none
  @usableFromInline var packedReady = PackedStamp.none
  @usableFromInline var packedStarted = PackedStamp.none
  @usableFromInline var packedExecutionBegan = PackedStamp.none
  @usableFromInline var packedExecutionEnded = PackedStamp.none
  @usableFromInline var packedStartReturned = PackedStamp.none
  @usableFromInline var packedFinished = PackedStamp.none
  @usableFromInline var packedReleased = PackedStamp.none

  /// Misuse: how often it was started, enqueued and reported as finished.
  public var startCount: UInt32 = 0
  public var enqueueCount: UInt32 = 0
  public var finishCount: UInt32 = 0

  public var coverage: Coverage = .full
  public var isAsynchronous = false
  /// Its class, or one above it, has an `isReady` of its own, which is neither Foundation's nor the recorder's. False also
  /// where that could not be told.
  public var overridesReady = false
  public var isBarrier = false
  @usableFromInline var hasQueue = false
  /// `Operation.QueuePriority`'s raw value: -8 to 8.
  public var priority: Int8 = 0
  public var quality: Quality = .default

  public init(id: OperationID, className: String, name: String? = nil) {
    self.init(id: id, class: SharedText(className))
    self.name = name
  }

  init(id: OperationID, class shared: SharedText) {
    self.id = id
    sharedClass = shared
  }
}

// Getters are inlined into other modules: called from there, each would first copy the whole record.
extension OperationRecord {
  public var className: String {
    get { sharedClass.text }
    set { sharedClass = SharedText(newValue) }
  }

  /// `file:line`, where the program told it.
  public var source: String? {
    get { sharedSource?.text }
    set { sharedSource = newValue.map { SharedText($0) } }
  }

  /// The same text for many operations stands in memory once.
  mutating func share(class text: SharedText) { sharedClass = text }
  mutating func share(source text: SharedText?) { sharedSource = text }

  /// The queue it was given to; nil for one that was run by hand or never enqueued.
  public var queue: QueueID? {
    @inlinable get { hasQueue ? QueueID(queueNumber) : nil }
    set {
      hasQueue = newValue != nil
      queueNumber = newValue?.rawValue ?? 0
    }
  }

  /// When the object was made; may lie before the trace's start.
  public var created: Nanoseconds? {
    @inlinable get { packedCreated.time }
    set { packedCreated = PackedTime(newValue) }
  }
  public var enqueued: Stamp? {
    @inlinable get { packedEnqueued.stamp }
    set { packedEnqueued = PackedStamp(newValue) }
  }
  /// The last turn to ready before the start; the thread is the one that took away the last obstacle.
  public var ready: Stamp? {
    @inlinable get { packedReady.stamp }
    set { packedReady = PackedStamp(newValue) }
  }
  public var started: Stamp? {
    @inlinable get { packedStarted.stamp }
    set { packedStarted = PackedStamp(newValue) }
  }
  public var executionBegan: Stamp? {
    @inlinable get { packedExecutionBegan.stamp }
    set { packedExecutionBegan = PackedStamp(newValue) }
  }
  public var executionEnded: Stamp? {
    @inlinable get { packedExecutionEnded.stamp }
    set { packedExecutionEnded = PackedStamp(newValue) }
  }
  public var startReturned: Stamp? {
    @inlinable get { packedStartReturned.stamp }
    set { packedStartReturned = PackedStamp(newValue) }
  }
  public var finished: Stamp? {
    @inlinable get { packedFinished.stamp }
    set { packedFinished = PackedStamp(newValue) }
  }
  public var released: Stamp? {
    @inlinable get { packedReleased.stamp }
    set { packedReleased = PackedStamp(newValue) }
  }

  /// Since when, and on which thread, the call that adds it to its queue has not returned: at the end of the trace it was
  /// in there for longer than adding takes. Of several operations that one call adds, the first has it. Nil: it returned.
  public var addingSince: Stamp? {
    get { rare.addingSince.stamp }
    set { rare.addingSince = PackedStamp(newValue) }
  }
  /// When it was first seen to say that it is finished, without having announced it yet.
  public var finishSeen: Stamp? {
    get { rare.finishSeen.stamp }
    set { rare.finishSeen = PackedStamp(newValue) }
  }
  /// The first request.
  public var cancelRequested: Stamp? {
    get { rare.cancelRequested.stamp }
    set { rare.cancelRequested = PackedStamp(newValue) }
  }
  /// The description of the error that it finished with.
  public var error: String? {
    get { rare.error }
    set { rare.error = newValue }
  }

  private var rare: RareFacts.Values {
    get { rareFacts?.values ?? .init() }
    set { rareFacts = newValue == .init() ? nil : RareFacts(newValue) }
  }

  /// What people read: the name, else the class.
  public var title: String { name ?? className }

  /// The state at the end of the trace.
  public var state: OperationState {
    if finished != nil {
      if error != nil { return .failed }
      return executionBegan == nil && cancelRequested != nil ? .cancelled : .finished
    }
    if executionBegan != nil || started != nil { return .executing }
    return ready != nil && enqueued != nil ? .ready : .pending
  }

  /// False where the trace does not tell what became of it: it was seen in part, and neither began nor ended in sight. It
  /// may have run. Its ``state`` says no more than what was seen, and a time until the trace's end would be invented.
  @inlinable public var isOutcomeKnown: Bool {
    coverage == .full || finished != nil || started != nil || executionBegan != nil
  }

  /// When it began to be able to run: the later of ready and enqueued. Nil when it never became ready or was never enqueued.
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
      && left.counts == right.counts
      && left.coverage == right.coverage && left.isAsynchronous == right.isAsynchronous
      && left.overridesReady == right.overridesReady && left.isBarrier == right.isBarrier
      && left.priority == right.priority && left.quality == right.quality
  }

  private var counts: [UInt32] { [startCount, enqueueCount, finishCount] }
  private var moments: [Stamp?] {
    [
      created.map { Stamp($0, ThreadID(0)) }, enqueued, ready, started, executionBegan, executionEnded, startReturned,
      finished, released,
    ]
  }
}
