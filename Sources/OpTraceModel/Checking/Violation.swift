/// A rule of the format or of the state machine that a trace breaks.
public struct Violation: Sendable, Equatable, CustomStringConvertible {
  /// The rules, by their words in the outputs.
  public enum Rule: String, Sendable, CaseIterable {
    // What records refer to.
    /// A text that no record defines.
    case undefinedString = "undefined-string"
    /// An operation that no record has introduced.
    case undefinedOperation = "undefined-operation"
    /// A queue that no record has introduced.
    case undefinedQueue = "undefined-queue"
    /// A thread that no record has introduced.
    case undefinedThread = "undefined-thread"
    /// A frame or an image that no record has introduced.
    case undefinedFrame = "undefined-frame"
    /// Introduced a second time, or under two names.
    case definedTwice = "defined-twice"
    /// A field has a value that its kind does not allow.
    case valueOutOfRange = "value-out-of-range"
    // The life of an operation.
    /// Something that happens once in a life happens again.
    case onlyOnce = "only-once"
    /// Something that must come before is missing.
    case missingBefore = "missing-before"
    /// A synchronous operation is finished while its own code runs.
    case finishedWhileRunning = "finished-while-running"
    /// Something happens to an object that was released.
    case afterRelease = "after-release"
    // Threads, dependencies, queues, waits, spans.
    /// An end is on another thread, or in another order, than the begins require.
    case nesting = "nesting"
    /// It is reported to block a thread, but has not started.
    case notExecuting = "not-executing"
    /// Started while something that it depends on was unfinished.
    case startedBeforeDependency = "started-before-dependency"
    /// A dependency was removed that did not exist.
    case unknownDependency = "unknown-dependency"
    /// More operations executed than the queue's limit allows.
    case limitExceeded = "limit-exceeded"
    /// A wait was over before what it waited for.
    case waitEndedEarly = "wait-ended-early"
    /// The end of a wait, a block or a span that never began.
    case unmatchedEnd = "unmatched-end"
  }

  /// The rule that is broken.
  public var rule: Rule
  /// The event's number in the order of the text form, from 1.
  public var event: Int
  /// When, in nanoseconds since the trace's start.
  public var time: Nanoseconds
  /// The operation that it is about, if any.
  public var operation: OperationID?
  /// What is wrong, in a sentence without a full stop.
  public var text: String

  package init(rule: Rule, event: Int, time: Nanoseconds, operation: OperationID?, text: String) {
    self.rule = rule
    self.event = event
    self.time = time
    self.operation = operation
    self.text = text
  }

  public var description: String {
    "event \(event) at \(time) ns: \(operation.map { "operation \($0): " } ?? "")\(text) [\(rule.rawValue)]"
  }
}
