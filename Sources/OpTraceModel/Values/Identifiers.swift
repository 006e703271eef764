/// Nanoseconds since the trace's start, on the monotonic clock. Negative: before the recorder was started.
public typealias Nanoseconds = Int64

/// The serial number of an operation.
public typealias OperationID = WorkID

/// The serial number that an operation, a block or a task got at first sight; never reused inside a trace. Shown as `#5`.
public struct WorkID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// The work with this number, whether a trace has one or not.
  @inlinable public init(_ rawValue: UInt32) { self.rawValue = rawValue }
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  public var description: String { "#\(rawValue)" }
}

/// A queue's number inside a trace.
public struct QueueID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// The queue with this number, whether a trace has one or not.
  @inlinable public init(_ rawValue: UInt32) { self.rawValue = rawValue }
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  public var description: String { "queue \(rawValue)" }
}

/// A span's number inside a trace.
public struct SpanID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// The span with this number, whether a trace has one or not.
  @inlinable public init(_ rawValue: UInt32) { self.rawValue = rawValue }
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  public var description: String { "span \(rawValue)" }
}

/// A dispatch queue's number inside a trace.
public struct DispatchQueueID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// The dispatch queue with this number, whether a trace has one or not.
  @inlinable public init(_ rawValue: UInt32) { self.rawValue = rawValue }
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  public var description: String { "dispatch queue \(rawValue)" }
}

/// A thread's number inside a trace, in the order of first sight; the system's id is in ``ThreadRecord``.
public struct ThreadID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// The thread with this number, whether a trace has one or not.
  @inlinable public init(_ rawValue: UInt32) { self.rawValue = rawValue }
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  public var description: String { "thread \(rawValue)" }
}

/// The number of an object that threads wait on, in the order of first sight. An address alone names no object: it is
/// reused.
public struct ObjectID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// The object with this number, whether a trace has one or not.
  @inlinable public init(_ rawValue: UInt32) { self.rawValue = rawValue }
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  public var description: String { "object \(rawValue)" }
}

/// The number of a frame in ``StackTable``. That of the innermost one stands for a whole stack.
public struct FrameID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// The frame with this number, whether a trace has one or not.
  @inlinable public init(_ rawValue: UInt32) { self.rawValue = rawValue }
  /// A frame as a record names it: 0 is none.
  init?(orNone number: UInt32) {
    guard number != 0 else { return nil }
    rawValue = number
  }
  public var description: String { "frame \(rawValue)" }
}

/// When something happened, and on which thread.
public struct Stamp: Hashable, Sendable {
  /// Nanoseconds since the trace's start, on the monotonic clock.
  public var time: Nanoseconds
  /// The thread that did it, or on which it happened.
  public var thread: ThreadID

  /// This moment on this thread.
  @inlinable public init(_ time: Nanoseconds, _ thread: ThreadID) {
    self.time = time
    self.thread = thread
  }
}

/// A bit more than a year before or after the trace's start: only a damaged clock goes beyond. Within these bounds
/// readers may add and subtract times without overflow.
enum TimeBounds {
  static let range: ClosedRange<Nanoseconds> = -(1 << 55)...(1 << 55)

  static func clamp(_ time: Nanoseconds) -> Nanoseconds { max(range.lowerBound, min(range.upperBound, time)) }
}
