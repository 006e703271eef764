import Foundation
import TestSupport
import Testing

@testable import optrace_cli

/// The built command.
enum Command {
  typealias Result = ProgramResult

  static var executable: URL { get throws { try Built.program("optrace") } }

  /// Runs the command to its end: inside of the tests' process if it needs none of its own, unless OPTRACE_TEST_CALLS is `process`.
  /// `shell`: a script in which `"$optrace"` is the command and `"$@"` its arguments.
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
    if shell == nil, environment.isEmpty, isForInside(arguments) { return try runInside(arguments, input: input) }
    return try start(arguments: arguments, input: input, environment: environment, shell: shell, location)
  }

  /// Runs the command in a process of its own.
  static func start(
    _ arguments: String..., input: [UInt8] = [], environment: [String: String] = [:], shell: String? = nil,
    _ location: SourceLocation = #_sourceLocation
  ) throws -> Result {
    try start(arguments: arguments, input: input, environment: environment, shell: shell, location)
  }

  static func start(
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

  // MARK: - Inside of this process

  /// Those that read traces and write a result, without handlers for signals.
  static let insideCommands = [
    "diff", "doctor", "dump", "export", "pack", "profile", "report", "requests", "sql", "stacks", "summary",
    "timeline", "unpack", "validate", "whatif",
  ]

  /// Not where the process itself matters: its streams by name, its memory, other processes that are asked, a server that is told, a query
  /// that is given up. The parser of arguments breaks the lines of help by the terminal of the process.
  private static func isForInside(_ arguments: [String]) -> Bool {
    guard !startsAll, arguments.count > 1, insideCommands.contains(arguments[0]) else { return false }
    return !arguments.contains { argument in
      ["--help", "-h", "--timeout", "--live"].contains(argument) || argument.contains("/dev/")
        || argument.contains("/proc/") || argument.hasPrefix("--push") || Int(argument).map { $0 > 99 } ?? false
    }
  }

  private static let startsAll = ProcessInfo.processInfo.environment["OPTRACE_TEST_CALLS"] == "process"

  static func runInside(_ arguments: [String], input: [UInt8] = []) throws -> Result {
    let scratch = try Scratch()
    try scratch.write("input", input)
    let streams = try ["input", "output", "errors"].map { name in
      let descriptor = open(
        scratch.path(name), name == "input" ? O_RDONLY | O_CLOEXEC : O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
      return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }
    let status = OpTraceCommand.status(
      of: Call(
        words: [try executable.path] + arguments, input: streams[0].fileDescriptor, output: streams[1].fileDescriptor,
        errors: streams[2].fileDescriptor))
    let texts = try streams[1...].map { stream in
      try stream.seek(toOffset: 0)
      return String(decoding: try stream.readToEnd() ?? Data(), as: UTF8.self)
    }
    return Result(status: status, output: texts[0], errors: texts[1])
  }
}

/// Runs `body` with the id of a process that records nothing. The tests' own process may record.
func withSilentProcess(_ body: (Int32) throws -> Void) throws {
  let program = try RunningProgram(URL(fileURLWithPath: "/bin/sleep"), ["600"])
  defer { program.kill() }
  try body(program.processID)
}
