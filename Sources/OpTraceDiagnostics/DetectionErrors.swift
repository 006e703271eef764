public import Foundation
public import OpTraceAnalysis

/// A body has deadlocked: what `withDeadlockDetection` throws. Its description is what the doctor says.
public struct DeadlockError: Error, Sendable, CustomStringConvertible, LocalizedError {
  /// The state of the body's queues, and all that the doctor says of them.
  public let report: QueueReport
  /// Why the body cannot go on: of the report's findings those that are proven.
  public let findings: [Finding]

  public var description: String { report.text(of: findings) }
  public var errorDescription: String? { description }
}

/// A body took longer than it may, and nothing is proven: what `withDeadlockDetection` throws when its time is over.
public struct StallError: Error, Sendable, CustomStringConvertible, LocalizedError {
  /// How long the body was allowed to take.
  public let timeout: Duration
  /// The state of all queues of the process; nil where the trace could not be read.
  public let report: QueueReport?

  public var description: String {
    let limit = DurationText.text(timeout.nanoseconds)
    let rest = report.map { "\n\n\($0)" } ?? ""
    return "the body has not returned within \(limit), and no deadlock is proven\(rest)"
  }
  public var errorDescription: String? { description }
}
