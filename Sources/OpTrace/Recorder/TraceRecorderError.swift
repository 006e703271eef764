public import Foundation

/// Why a trace file could not be opened or closed, or the process not be recorded as a whole.
public struct TraceRecorderError: Error, Sendable, Equatable, CustomStringConvertible, LocalizedError {
  /// What could not be done. Later versions may have more of them, so a `switch` needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The member's own name, such as `cannotCreate`.
    public let description: String

    /// The system makes no such file; ``TraceRecorderError/errno`` tells why.
    public static let cannotCreate = Code(description: "cannotCreate")
    /// Something that is no trace stands there; it is not overwritten.
    public static let notATrace = Code(description: "notATrace")
    /// No room on the disk for the first records, or a ring larger than the system gives.
    public static let cannotReserveSpace = Code(description: "cannotReserveSpace")
    /// The processor's counter was insisted on (``TraceRecorder/Configuration/Clock/counter``), and does not run evenly here.
    public static let noEvenCounter = Code(description: "noEvenCounter")
    /// The file was not cut and sealed. It is readable all the same.
    public static let cannotClose = Code(description: "cannotClose")
    /// Another recorder records the whole process already.
    public static let alreadyInstrumented = Code(description: "alreadyInstrumented")
    /// Operations of other classes cannot be followed in this process; ``TraceRecorderError/detail`` tells why.
    public static let cannotInstrument = Code(description: "cannotInstrument")
  }

  /// The code together with what belongs to it.
  enum Reason: Sendable, Equatable {
    case cannotCreate
    case notATrace
    case cannotReserveSpace
    case noEvenCounter
    case cannotClose
    case alreadyInstrumented
    /// Why.
    case cannotInstrument(String)
  }

  private let reason: Reason
  /// The trace's file.
  public let path: String
  /// The system's error number; 0 where there is none.
  public let errno: Int32

  init(_ reason: Reason, path: String, errno: Int32 = 0) {
    self.reason = reason
    self.path = path
    self.errno = errno
  }

  /// What could not be done, to be switched over.
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

  /// What could not be done, with which file, and what to do about it.
  public var description: String {
    var why = errno == 0 ? "" : ": \(String(cString: strerror(errno)))"
    if errno == EFBIG { why += " (the limit of file sizes, ulimit -f, leaves no room for it)" }
    switch reason {
    case .cannotCreate: return "cannot create the trace '\(path)'\(why)"
    case .notATrace: return "'\(path)' exists and is no trace: choose another name or remove it"
    case .cannotReserveSpace: return "cannot reserve space for the trace '\(path)'\(why)"
    case .noEvenCounter:
      return "the trace '\(path)' cannot take its times from the processor's counter, which does not run evenly on "
        + "this machine: configure the clock as .automatic or .monotonic"
    case .cannotClose: return "the trace '\(path)' was not closed in order\(why); it can be read all the same"
    case .alreadyInstrumented:
      return "another recorder records the whole process already: stop it before '\(path)' can"
    case .cannotInstrument(let why):
      return "the operations of this process cannot be recorded into '\(path)' as a whole: \(why); "
        + "use the traced types"
    }
  }

  /// The ``description``, for what shows errors through Foundation.
  public var errorDescription: String? { description }
}
