internal import COpTraceSignals
public import Foundation
public import OpTrace
import OpTraceHangs
import OpTraceKernel
import OpTraceDoctor
import OpTraceText

/// Prints the state of all queues to standard error when the process receives a signal, as a Java machine prints its
/// threads: `kill -QUIT PID`, or Ctrl-\ in the terminal. The program continues.
///
/// ```swift
/// try SignalReport.install(for: recorder)
/// ```
///
/// The report is made on a thread of its own, so it comes when the main thread hangs and every thread of the pool is
/// blocked. A signal may come on any thread and then interrupts it for a moment: the handler does nothing but wake that thread.
/// In a forked child the previous handler applies.
public final class SignalReport: Sendable {
  /// Why a signal could not be installed.
  public struct InstallError: Error, Sendable, Equatable, CustomStringConvertible, LocalizedError {
    /// What is in the way. Later versions may have more of them, so a `switch` needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
      /// The member's own name, such as `alreadyInstalled`.
      public let description: String

      /// A report is installed for this signal: one at a time.
      public static let alreadyInstalled = Code(description: "alreadyInstalled")
      /// The system does not allow handling this signal; ``InstallError/errno`` says why.
      public static let cannotHandle = Code(description: "cannotHandle")
    }

    /// The signal's number, as it was asked for.
    public let signal: Int32
    /// The system's error number: `EBUSY` where a report is installed for this signal already.
    public let errno: Int32

    /// What is in the way, to be switched over.
    public var code: Code { errno == EBUSY ? .alreadyInstalled : .cannotHandle }

    /// What is in the way, and what to do about it.
    public var description: String {
      code == .alreadyInstalled
        ? "a report is already installed for signal \(signal): remove it first, or use another signal"
        : "signal \(signal) cannot be handled: \(String(cString: strerror(errno)))"
    }
    /// The ``description``, for what shows errors through Foundation.
    public var errorDescription: String? { description }
  }

  private let installed: Installed

  /// Installs a report until ``remove()``; you need not keep the result. The previous handler is set aside.
  @discardableResult
  public static func install(
    for recorder: TraceRecorder, signal: Int32 = SIGQUIT
  ) throws(InstallError) -> SignalReport {
    guard let pointer = optrace_signal_install(signal) else { throw InstallError(signal: signal, errno: errno) }
    let installed = Installed(pointer: pointer)
    OwnThread.start("optrace signal", .only(signal)) {
      while optrace_signal_wait(installed.pointer) { StandardError.write(text(of: recorder)) }
    }
    return SignalReport(installed)
  }

  private init(_ installed: Installed) { self.installed = installed }

  /// Restores the previous handler of the signal. A second call does nothing.
  public func remove() { optrace_signal_remove(installed.pointer) }

  /// Sendable: the memory is never freed, and what changes in it is atomic or behind a lock.
  private struct Installed: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  private static func text(of recorder: TraceRecorder) -> String {
    do {
      let first = try LiveTrace(of: recorder)
      // A running process passes through transient states: an error is still there in a second reading.
      Thread.sleep(forTimeInterval: 0.15)
      return QueueReport(DoctorReport(of: first.reading, then: try LiveTrace(of: recorder).reading, by: .hangs))
        .description
    } catch {
      return "optrace: the state of the queues is not known: \(error)"
    }
  }
}
