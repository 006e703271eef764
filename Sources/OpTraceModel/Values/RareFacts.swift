// What only few operations have: where it is stored, and how an operation gives it out. A new value is added to this file alone.

/// Values that only few operations have.
@usableFromInline final class RareFacts: Sendable {
  struct Values: Hashable, Sendable {
    var addingSince = CompactStamp.none
    var finishSeen = CompactStamp.none
    var cancelRequested = CompactStamp.none
    var error: String?
    var completion: CompletionRecord?
    var processorTime = ProcessorReadings()

    /// All moments that are a property of their own.
    static var stamps: [WritableKeyPath<Self, CompactStamp>] { [\.addingSince, \.finishSeen, \.cancelRequested] }

    mutating func move(_ moved: (Stamp) -> Stamp) {
      for path in Self.stamps {
        self[keyPath: path] = CompactStamp(self[keyPath: path].stamp.map(moved))
      }
      completion = completion.map {
        CompletionRecord(queued: $0.queued.map(moved), began: $0.began.map(moved), ended: $0.ended.map(moved))
      }
    }
  }

  let values: Values
  init(_ values: Values) { self.values = values }

  // Read only if the operation has any of these values.
  @usableFromInline var addingSince: Stamp? { values.addingSince.stamp }
  @usableFromInline var finishSeen: Stamp? { values.finishSeen.stamp }
  @usableFromInline var cancelRequested: Stamp? { values.cancelRequested.stamp }
  @usableFromInline var error: String? { values.error }
  @usableFromInline var completion: CompletionRecord? { values.completion }
}

extension OperationRecord {
  /// Since when, and on which thread, the call that adds it to its queue has not returned: at the end of the trace, the
  /// call had taken longer than adding takes. If one call adds several operations, the first has this. Nil: the call
  /// returned.
  public var addingSince: Stamp? {
    @inlinable get { rareFacts.flatMap { $0.addingSince } }
    set { rare.addingSince = CompactStamp(newValue) }
  }
  /// When it was first seen to be finished without having announced it.
  public var finishSeen: Stamp? {
    @inlinable get { rareFacts.flatMap { $0.finishSeen } }
    set { rare.finishSeen = CompactStamp(newValue) }
  }
  /// When cancelling was first requested.
  public var cancelRequested: Stamp? {
    @inlinable get { rareFacts.flatMap { $0.cancelRequested } }
    set { rare.cancelRequested = CompactStamp(newValue) }
  }
  /// The description of the error that it finished with.
  public var error: String? {
    @inlinable get { rareFacts.flatMap { $0.error } }
    set { rare.error = newValue }
  }

  /// Its completion block; nil: it had none, or the trace does not say (before format 1.5).
  public var completion: CompletionRecord? {
    @inlinable get { rareFacts.flatMap { $0.completion } }
    set { rare.completion = newValue }
  }
  /// Processor time that its code used on the thread where it began, in nanoseconds, as counted by the system for
  /// threads; for an asynchronous operation, until its `start()` returned. Nil: not recorded (`record --cpu`), or not
  /// over.
  public var processorTime: Nanoseconds? { rare.processorTime.used }

  /// Notes the processor time for the record before it: the begin or the end of the code.
  mutating func noteProcessorTime(_ reading: UInt64, on thread: ThreadID, isBeginning: Bool) {
    if isBeginning {
      if rare.processorTime.began == nil {
        rare.processorTime.began = reading
        rare.processorTime.thread = thread
      }
    } else if rare.processorTime.began != nil {
      rare.processorTime.ended(reading, on: thread)
    }
  }

  var rare: RareFacts.Values {
    get { rareFacts?.values ?? .init() }
    set { rareFacts = newValue == .init() ? nil : RareFacts(newValue) }
  }
}

/// The completion block of an operation: it runs after the operation is over, on a thread that the system chooses.
public struct CompletionRecord: Hashable, Sendable {
  /// When it was given to a thread, and by which one: the one that ended the operation.
  public var queued: Stamp?
  /// When it began, and on which thread; nil: not seen.
  public var began: Stamp?
  /// When it returned; nil: not seen.
  public var ended: Stamp?

  package init(queued: Stamp? = nil, began: Stamp? = nil, ended: Stamp? = nil) {
    self.queued = queued
    self.began = began
    self.ended = ended
  }
}

/// The processor time that a thread had used when an operation's code began there, and how much the operation used.
struct ProcessorReadings: Hashable, Sendable {
  var began: UInt64?
  var thread = ThreadID(0)
  var used: Nanoseconds?

  /// Takes the first reading on the same thread after the code ended or `start()` returned. Ignores a clock that goes
  /// back.
  mutating func ended(_ reading: UInt64, on thread: ThreadID) {
    guard used == nil, let began, thread == self.thread, reading >= began else { return }
    used = Nanoseconds(clamping: reading - began)
  }
}
