import Foundation
import TestSupport
import Testing

/// The built command.
enum Command {
  typealias Result = ProgramResult

  static var executable: URL { get throws { try Built.program("optrace") } }

  /// Runs the command to its end. `shell`: a script in which `"$optrace"` is the command and `"$@"` its arguments.
  static func run(
    _ arguments: String..., input: [UInt8] = [], environment: [String: String] = [:], shell: String? = nil,
    _ location: SourceLocation = #_sourceLocation
  ) throws -> Result {
    try run(arguments: arguments, input: input, environment: environment, shell: shell, location)
  }

  static func run(
    arguments: [String], input: [UInt8] = [], environment: [String: String] = [:], shell: String? = nil,
    _ location: SourceLocation = #_sourceLocation
  ) throws -> Result {
    let executable = try executable
    let environment = RunningProgram.environment(adding: environment.merging(["optrace": executable.path]) { $1 })
    guard let shell else {
      return try RunningProgram.run(executable, arguments, environment: environment, input: input, location)
    }
    return try RunningProgram.run(
      URL(fileURLWithPath: "/bin/sh"), ["-c", shell, "sh"] + arguments, environment: environment, input: input, location
    )
  }
}

/// Runs `body` with the id of a process that records nothing. The tests' own process may record.
func withSilentProcess(_ body: (Int32) throws -> Void) throws {
  let program = try RunningProgram(URL(fileURLWithPath: "/bin/sleep"), ["600"])
  defer { program.kill() }
  try body(program.processID)
}
