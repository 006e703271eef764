// A trace may hold millions of operations: what they share is stored once, and a moment takes 12 bytes.

/// A moment on a thread, or none.
@usableFromInline struct CompactStamp: Hashable, Sendable {
  @usableFromInline var low: UInt32
  @usableFromInline var high: UInt32
  @usableFromInline var thread: UInt32

  static let none = CompactStamp(nil)

  init(_ stamp: Stamp?) {
    let time = CompactTime(stamp?.time)
    (low, high) = (time.low, time.high)
    thread = stamp?.thread.rawValue ?? 0
  }

  @inlinable var stamp: Stamp? { CompactTime(low: low, high: high).time.map { Stamp($0, ThreadID(thread)) } }
}

/// A time, or none: in two halves, so that it needs no alignment and no padding.
@usableFromInline struct CompactTime: Hashable, Sendable {
  @usableFromInline var low: UInt32
  @usableFromInline var high: UInt32

  @inlinable init(low: UInt32, high: UInt32) {
    self.low = low
    self.high = high
  }

  init(_ time: Nanoseconds?) {
    let bits = UInt64(bitPattern: time ?? Self.nothing)
    low = UInt32(truncatingIfNeeded: bits)
    high = UInt32(truncatingIfNeeded: bits >> 32)
  }

  @inlinable var time: Nanoseconds? {
    let time = Nanoseconds(bitPattern: UInt64(high) << 32 | UInt64(low))
    return time == Self.nothing ? nil : time
  }

  /// No time of a trace: they end at ``TimeBounds``.
  @usableFromInline static var nothing: Nanoseconds { Nanoseconds.min }
}

/// What an operation is or is not, in one byte.
@usableFromInline struct OperationTraits: OptionSet, Sendable {
  @usableFromInline let rawValue: UInt8
  @inlinable init(rawValue: UInt8) { self.rawValue = rawValue }

  @usableFromInline static var hasQueue: Self { Self(rawValue: 1) }
  @usableFromInline static var isAsynchronous: Self { Self(rawValue: 2) }
  @usableFromInline static var overridesReady: Self { Self(rawValue: 4) }
  @usableFromInline static var isBarrier: Self { Self(rawValue: 8) }

  subscript(trait: Self) -> Bool {
    get { contains(trait) }
    set { if newValue { insert(trait) } else { remove(trait) } }
  }
}

/// A text that many operations have: their source location.
final class SharedText: Sendable {
  let text: String
  init(_ text: String) { self.text = text }
}

/// What all operations of a class share, or all that run the same code.
@usableFromInline final class SharedClass: Sendable {
  @usableFromInline let name: String
  let module: String?
  let code: FrameID?
  let function: SymbolRecord?
  /// What several operations have in common.
  @usableFromInline let kind: String

  init(
    _ name: String, module: String? = nil, code: FrameID? = nil, function: SymbolRecord? = nil, codeText: String? = nil
  ) {
    (self.name, self.module, self.code, self.function) = (name, module, code, function)
    kind = function?.shortName ?? codeText.map { "\(name) at \($0)" } ?? name
  }
}

/// Values that few operations have.
@usableFromInline final class RareFacts: Sendable {
  struct Values: Hashable, Sendable {
    var addingSince = CompactStamp.none
    var finishSeen = CompactStamp.none
    var cancelRequested = CompactStamp.none
    var error: String?
    var completion: CompletionRecord?
    var processorTime = ProcessorReadings()
  }

  let values: Values
  init(_ values: Values) { self.values = values }

  // Only read where the operation has any of these values.
  @usableFromInline var addingSince: Stamp? { values.addingSince.stamp }
  @usableFromInline var finishSeen: Stamp? { values.finishSeen.stamp }
  @usableFromInline var cancelRequested: Stamp? { values.cancelRequested.stamp }
  @usableFromInline var error: String? { values.error }
  @usableFromInline var completion: CompletionRecord? { values.completion }
}

/// The completion block of an operation: it runs on a thread of its own choice, after the operation is over.
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

/// What a thread had used of its processor where an operation's code began, and what that came to.
struct ProcessorReadings: Hashable, Sendable {
  var began: UInt64?
  var thread = ThreadID(0)
  var used: Nanoseconds?

  /// The first reading of the same thread where the code ends, or `start()` returned. A clock that goes back says nothing.
  mutating func ended(_ reading: UInt64, on thread: ThreadID) {
    guard used == nil, let began, thread == self.thread, reading >= began else { return }
    used = Nanoseconds(clamping: reading - began)
  }
}
