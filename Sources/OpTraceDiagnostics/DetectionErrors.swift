public import Foundation
public import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

/// A body has deadlocked: what `withDeadlockDetection` throws. Its description is what the doctor says.
///
/// The codes of its ``findings`` say how (`Finding.code`, as `optrace doctor --list` shows them).
public struct DeadlockError: Error, Sendable, CustomStringConvertible, LocalizedError {
  /// The state of the body's queues, and all that the doctor says of them.
  public let report: QueueReport
  /// Why the body is stuck: the proven findings of the report. Never empty.
  public let findings: [Finding]

  /// The findings as the doctor prints them, with evidence and advice, a blank line between two.
  public var description: String { report.text(of: findings) }
  /// The ``description``, for what shows errors through Foundation, such as XCTest.
  public var errorDescription: String? { description }
}

/// A body exceeded its timeout and nothing is proven: what `withDeadlockDetection` throws then.
public struct StallError: Error, Sendable, CustomStringConvertible, LocalizedError {
  /// What is known of the body. Later versions may have more of them, so a `switch` needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The member's own name, such as `notProven`.
    public let description: String

    /// The doctor proved nothing: the body may be slow, or wait for something that is not recorded.
    public static let notProven = Code(description: "notProven")
    /// The trace could not be read, so nothing is known: for example, the recorder was stopped.
    public static let notReadable = Code(description: "notReadable")
  }

  /// How long the body was allowed to take.
  public let timeout: Duration
  /// What the last reading has shown.
  private let result: Result<QueueReport, TraceError>

  init(timeout: Duration, result: Result<QueueReport, TraceError>) {
    self.timeout = timeout
    self.result = result
  }

  /// What is known of the body, to be switched over.
  public var code: Code {
    switch result {
    case .success: .notProven
    case .failure: .notReadable
    }
  }

  /// The state of all queues of the process; nil where the trace could not be read.
  public var report: QueueReport? { try? result.get() }

  /// How long the body was given, and the report or why there is none.
  public var description: String {
    let limit = DurationText.text(timeout.nanoseconds)
    return switch result {
    case .success(let report): "the body has not returned within \(limit), and no deadlock is proven\n\n\(report)"
    case .failure(let error):
      "the body has not returned within \(limit), and the trace cannot be read to check for a deadlock: \(error)"
    }
  }
  /// The ``description``, for what shows errors through Foundation, such as XCTest.
  public var errorDescription: String? { description }
}
