import Foundation
import TestSupport
import Testing

/// The program of these tests, and other programs beside the test bundle.
enum Program {
  static let name = "RecorderTestProgram"

  static func start(_ arguments: [String], environment: [String: String] = [:]) throws -> RunningProgram {
    try RunningProgram(
      Built.program(name), arguments, environment: RunningProgram.environment(adding: environment))
  }

  /// Runs the program to its end.
  static func run(
    _ arguments: [String], of name: String = name, environment: [String: String] = [:], errorsToOutput: Bool = false,
    _ location: SourceLocation = #_sourceLocation
  ) throws -> ProgramResult {
    // Use a pipe: some of these programs may not write files.
    let program = try RunningProgram(
      Built.program(name), arguments, environment: RunningProgram.environment(adding: environment),
      errors: errorsToOutput ? .output : .none)
    let output = program.rest(location)
    return ProgramResult(status: program.end(location).status, output: output, errors: "")
  }
}
