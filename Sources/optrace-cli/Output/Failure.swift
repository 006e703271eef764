import Foundation
import OpTraceModel
import OpTraceText

/// The statuses that the command ends with; the numbers are those of `sysexits.h`. Thrown by itself, it ends the
/// command without another word.
enum ExitStatus: Int32, Error {
  case good = 0
  /// The doctor found an error.
  case foundError = 1
  /// Wrong usage.
  case usage = 64
  /// The input is damaged, or no trace.
  case badInput = 65
  case noInput = 66
  /// A bug of ours.
  case bug = 70
  case cannotWrite = 73
  /// `record`: the program stalled and was ended. As `timeout` has it.
  case stalled = 124
  /// `record`: nothing of the program can be recorded, so it was not run. This and the next two as `env` has them.
  case cannotRecord = 125
  case cannotRun = 126
  case notFound = 127
}

/// What a command ends with when it cannot do what was asked: one sentence for standard error, and the status.
struct Failure: Error, Sendable {
  var message: String
  var status: ExitStatus

  static func cannotWrite(_ path: String, _ reason: String) -> Failure {
    let name = path == "-" ? "to standard output" : "'\(printable(path))'"
    return Failure(message: "cannot write \(name): \(reason)", status: .cannotWrite)
  }

  static func usage(_ message: String) -> Failure { Failure(message: message, status: .usage) }
}

/// The text without anything that would steer a terminal or break a line.
func printable(_ text: String) -> String { TerminalText.printable(text) }

/// Columns that it takes.
func terminalWidth(of text: String) -> Int { TerminalText.columns(of: text) }
