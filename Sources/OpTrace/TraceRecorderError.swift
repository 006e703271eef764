public import Foundation

/// Why a trace file could not be opened or closed.
public struct TraceRecorderError: Error, Sendable, CustomStringConvertible, LocalizedError {
  /// What could not be done.
  public enum Code: Sendable, Equatable {
    case cannotCreate
    /// Something that is no trace stands there; it is not overwritten.
    case notATrace
    case cannotReserveSpace
    case cannotClose
    /// Another recorder records the whole process already.
    case alreadyInstrumented
    /// Operations of other classes cannot be followed in this process, and why.
    case cannotInstrument(String)
  }

  public let code: Code
  /// The trace's file.
  public let path: String
  /// The system's error number; 0 where there is none.
  public let errno: Int32

  init(_ code: Code, path: String, errno: Int32 = 0) {
    self.code = code
    self.path = path
    self.errno = errno
  }

  public var description: String {
    let reason = errno == 0 ? "" : ": \(String(cString: strerror(errno)))"
    switch code {
    case .cannotCreate: return "cannot create the trace '\(path)'\(reason)"
    case .notATrace: return "'\(path)' exists and is no trace: choose another name or remove it"
    case .cannotReserveSpace: return "cannot reserve space for the trace '\(path)'\(reason)"
    case .cannotClose: return "the trace '\(path)' was not closed in order\(reason); it can be read all the same"
    case .alreadyInstrumented:
      return "another recorder records the whole process already: stop it before '\(path)' can"
    case .cannotInstrument(let why):
      return "the operations of this process cannot be recorded into '\(path)' as a whole: \(why); use the traced types"
    }
  }

  public var errorDescription: String? { description }
}
