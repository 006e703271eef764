internal import COpTrace
public import Foundation
internal import OpTraceFormat

/// Why a trace file could not be opened or closed, or the process could not be recorded as a whole.
public struct TraceRecorderError: Error, Sendable, Equatable, CustomStringConvertible, LocalizedError {
  /// What failed. Later versions may add members, so a `switch` needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The member's own name, such as `cannotCreate`.
    public let description: String

    /// The system did not create the file; see ``TraceRecorderError/errno``.
    public static let cannotCreate = Code(description: "cannotCreate")
    /// The existing file is no trace, and is not overwritten.
    public static let notATrace = Code(description: "notATrace")
    /// The disk has no room for the first records, or the ring is larger than the system allows.
    public static let cannotReserveSpace = Code(description: "cannotReserveSpace")
    /// The processor's counter is required (``TraceRecorder/Configuration/Clock/counter``), and does not run evenly
    /// here.
    public static let noEvenCounter = Code(description: "noEvenCounter")
    /// The file was not cut and sealed. It is readable nevertheless.
    public static let cannotClose = Code(description: "cannotClose")
    /// Another recorder already records the whole process.
    public static let alreadyInstrumented = Code(description: "alreadyInstrumented")
    /// Operations of other classes cannot be followed in this process; see ``TraceRecorderError/detail``.
    public static let cannotInstrument = Code(description: "cannotInstrument")
  }

  /// A code with its details.
  enum Reason: Sendable, Equatable {
    case cannotCreate
    case notATrace
    case cannotReserveSpace
    case noEvenCounter
    case cannotClose
    case alreadyInstrumented
    /// What failed.
    case cannotInstrument(String)

    /// Of a recording that was not begun.
    init(_ result: optrace_outcome) {
      self =
        switch result {
        case optrace_is_no_trace: .notATrace
        case optrace_has_no_room: .cannotReserveSpace
        default: .cannotCreate
        }
    }
  }

  private let reason: Reason
  /// The trace's file.
  public let path: String
  /// The system's error number; 0: none.
  public let errno: Int32

  init(_ reason: Reason, path: String, errno: Int32 = 0) {
    self.reason = reason
    self.path = path
    self.errno = errno
  }

  /// What failed, to be switched over.
  public var code: Code {
    switch reason {
    case .cannotCreate: .cannotCreate
    case .notATrace: .notATrace
    case .cannotReserveSpace: .cannotReserveSpace
    case .noEvenCounter: .noEvenCounter
    case .cannotClose: .cannotClose
    case .alreadyInstrumented: .alreadyInstrumented
    case .cannotInstrument: .cannotInstrument
    }
  }

  /// Why the process cannot be instrumented, in OpTrace's words; nil for every other code.
  public var detail: String? {
    if case .cannotInstrument(let why) = reason { why } else { nil }
  }

  /// What failed, with which file, and what to do about it.
  public var description: String {
    switch reason {
    case .cannotCreate: return text(optrace_not_created)
    case .notATrace: return text(optrace_is_no_trace)
    case .cannotReserveSpace: return text(optrace_has_no_room)
    case .cannotClose: return text(optrace_not_closed)
    case .noEvenCounter:
      return "the trace '\(path)' cannot take its times from the processor's counter, which does not run evenly on "
        + "this machine: configure the clock as .automatic or .monotonic"
    case .alreadyInstrumented:
      return "another recorder already records the whole process: stop it before recording to '\(path)'"
    case .cannotInstrument(let why):
      return "cannot record all operations of this process to '\(path)': \(why); use the traced types"
    }
  }

  /// In the words of the core, which says the same where there is no Swift.
  private func text(_ outcome: optrace_outcome) -> String {
    guard let text = optrace_outcome_text(outcome, path.asPath, errno) else { return code.description }
    defer { free(text) }
    return RawPath.text(text)
  }

  /// The ``description``, for code that shows errors through Foundation.
  public var errorDescription: String? { description }
}
