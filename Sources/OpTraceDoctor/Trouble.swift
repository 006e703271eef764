import OpTraceKernel

/// The code of what the doctor finds, such as `queue-self-wait`. A contract: codes never change their meaning.
///
/// Each rule declares its own; nothing lists them but the table of rules. It is written as a literal where only the text
/// counts: in a program that uses OpTrace, and in tests.
public struct DoctorCode: RawRepresentable, Hashable, Sendable {
  /// The code as it is shown and written to JSON.
  public let rawValue: String

  /// The code with this text, whether a rule has it or not.
  public init(rawValue: String) { self.rawValue = rawValue }
}

extension DoctorCode: ExpressibleByStringLiteral {
  /// The code with this text.
  public init(stringLiteral value: String) { self.init(rawValue: value) }
}

extension DoctorCode: CustomStringConvertible {
  /// The code's text.
  public var description: String { rawValue }
}

extension DoctorCode: Comparable {
  /// In alphabetical order.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// What a rule looks for: all that its findings have in common, and all that the doctor has to know to sort, merge and
/// judge them. Each rule declares its own as a static constant, so the doctor itself knows none of them.
package struct Trouble: Hashable, Sendable {
  /// What the finding's mistake may be, if it is not what the finding tells of.
  package enum Reason: Hashable, Sendable {
    /// It is the mistake, whatever else is stuck.
    case itself
    /// Somebody did not call, and whoever should is perhaps stuck as well: `signal()`, `resume()`.
    case missingCall
    /// Somebody did not end it. Without proof only silence says so, which anything that is stuck explains.
    case missingEnd
    /// Silence alone, if it is not proven. Anything that is stuck explains silence.
    case silence
  }

  /// What is at fault. Findings with the same culprit are merged, because they have one fix.
  package enum Culprit: Hashable, Sendable {
    /// The class of the first operation; if nothing is stuck, only in the same queue.
    case operations
    /// The queues, whatever is in them.
    case queues
    /// The object that the first operation waits for: one signal is missing, however many wait for it. Else the class.
    case awaited
  }

  package let code: DoctorCode
  package let symptom: DoctorRule.Symptom
  package let reason: Reason
  package let culprit: Culprit

  package init(
    _ code: DoctorCode, _ symptom: DoctorRule.Symptom, reason: Reason = .itself, culprit: Culprit = .operations
  ) {
    self.code = code
    self.symptom = symptom
    self.reason = reason
    self.culprit = culprit
  }
}
