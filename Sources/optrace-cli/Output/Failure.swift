import Foundation
import OpTraceModel
import OpTraceText

/// The exit statuses of the command, with numbers from `sysexits.h`. Thrown by itself, a status ends the command
/// without a message.
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
  /// `record`: the program stalled and was ended. The number is that of `timeout`.
  case stalled = 124
  /// `record`: nothing of the program can be recorded, so it was not run. This and the next two numbers are those of
  /// `env`.
  case cannotRecord = 125
  case cannotRun = 126
  case notFound = 127
}

/// Ends a command that cannot do what was asked: one sentence for standard error, and the status.
struct Failure: Error, Sendable {
  var message: String
  var status: ExitStatus

  static func cannotWrite(_ path: String, _ reason: String) -> Failure {
    let name = path == "-" ? "to standard output" : "'\(printable(path))'"
    return Failure(message: "cannot write \(name): \(reason)", status: .cannotWrite)
  }

  static func usage(_ message: String) -> Failure { Failure(message: message, status: .usage) }
}

/// The text without anything that would control a terminal or break a line.
func printable(_ text: String) -> String { TerminalText.printable(text) }

/// The number of columns that a text takes.
func terminalWidth(of text: String) -> Int { TerminalText.columns(of: text) }
