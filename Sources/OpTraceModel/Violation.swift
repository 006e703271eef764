/// A rule of the format or of the state machine that a trace breaks.
public struct Violation: Sendable, Equatable, CustomStringConvertible {
  public enum Rule: String, Sendable, CaseIterable {
    // What records refer to.
    case undefinedString = "undefined-string"
    case undefinedOperation = "undefined-operation"
    case undefinedQueue = "undefined-queue"
    case undefinedThread = "undefined-thread"
    case definedTwice = "defined-twice"
    case valueOutOfRange = "value-out-of-range"
    // The life of an operation.
    case onlyOnce = "only-once"
    case missingBefore = "missing-before"
    case finishedWhileRunning = "finished-while-running"
    case afterRelease = "after-release"
    // Threads, dependencies, queues, waits, spans.
    case nesting = "nesting"
    case notExecuting = "not-executing"
    case startedBeforeDependency = "started-before-dependency"
    case unknownDependency = "unknown-dependency"
    case limitExceeded = "limit-exceeded"
    case waitEndedEarly = "wait-ended-early"
    case unmatchedEnd = "unmatched-end"
  }

  public var rule: Rule
  /// The event's number in the order of the text form, from 1.
  public var event: Int
  public var time: Nanoseconds
  public var operation: OperationID?
  /// What is wrong, in a sentence without a full stop.
  public var text: String

  public init(rule: Rule, event: Int, time: Nanoseconds, operation: OperationID?, text: String) {
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
