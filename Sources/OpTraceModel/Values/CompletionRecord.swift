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
