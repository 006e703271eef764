import ArgumentParser
import Foundation
import OpTrace
import OpTraceGraph
import OpTraceTimeline
import OpTraceFormat
import OpTraceModel

/// The root of the command. A subcommand is a file in its feature's folder, and a name in the table below.
struct OpTraceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "optrace",
    abstract: "Show what a program's queues and tasks did, and why it hangs or is slow.",
    discussion: """
      Start with 'optrace demo photo-import', or with your own program: 'optrace record -o run.optrace PROGRAM', \
      then 'optrace view run.optrace'.

      TRACE is a file, '-' for standard input, or the process id of a program that is being recorded. 'doctor', 'stacks', \
      'graph', 'report' and 'snapshot' take any running program, and core files.

      Exit status: 0 success, 1 an error was found (doctor, diff --fail-on, a prediction that never ends), 64 wrong \
      usage, 65 damaged input or no trace, 66 no such input, 70 a bug in optrace, 73 the output cannot be \
      written or 'view' cannot listen. 'record' exits with the status of the program that it runs.
      """,
    version: version,
    groupedSubcommands: [
      CommandGroup(
        name: "Record", subcommands: [RecordCommand.self, KeepCommand.self, ListCommand.self, DemoCommand.self]),
      CommandGroup(
        name: "Look",
        subcommands: [
          ViewCommand.self, ReportCommand.self, GraphCommand.self, TimelineCommand.self, SummaryCommand.self,
          ProfileCommand.self, MemoryCommand.self, TopCommand.self,
        ]),
      CommandGroup(
        name: "Diagnose",
        subcommands: [
          DoctorCommand.self, RequestsCommand.self, StacksCommand.self, SnapshotCommand.self, ProvokeCommand.self,
          ShakeCommand.self,
        ]),
      CommandGroup(name: "Compare", subcommands: [DiffCommand.self, WhatIfCommand.self]),
      CommandGroup(
        name: "Data",
        subcommands: [
          SqlCommand.self, ExportCommand.self, FleetCommand.self, PackCommand.self, UnpackCommand.self,
          DumpCommand.self, SymbolicateCommand.self, ValidateCommand.self, DemoProgramCommand.self,
        ]),
    ])

  /// The names of all commands, in the order of help, and whether it shows them.
  static let names: [(name: String, isShown: Bool)] = configuration.subcommands.compactMap { command in
    let own = command.configuration
    return own.commandName.map { ($0, own.shouldDisplay) }
  }

  static let version = OpTraceVersion.current

  /// Parses the process's arguments, runs the command, ends the process.
  static func run() -> Never {
    ClosedPipes.ignore()
    Quitting.restore()
    Foundation.exit(status())
  }

  /// Makes a call inside of this process; its exit status.
  static func status(of call: Call) -> Int32 { Call.$current.withValue(call, operation: status) }

  /// Parses the arguments of the current call and runs the command; the exit status.
  private static func status() -> Int32 {
    do {
      try checkName(in: Words.arguments)
      var command = try parseAsRoot(MemoryArgument.completed(Words.arguments))
      try command.run()
      return ExitStatus.good.rawValue
    } catch {
      return status(telling: error)
    }
  }

  /// Reports an unknown command. The parser would call it an unexpected argument, and `help` would say nothing.
  private static func checkName(in arguments: [String]) throws {
    let candidates = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
    guard let name = candidates.first, !name.hasPrefix("-") else { return }
    let names = Set(names.map(\.name) + ["help"])
    guard !names.contains(name) else { return }
    if access(name.asPath, F_OK) == 0 {
      throw Failure.usage(
        "'\(printable(name))' is a file; to look at it: \(calledCommand) view \(quoted(name))")
    }
    let hint = Suggestion.text(for: name, among: names) ?? "'optrace --help' lists them"
    throw Failure.usage("there is no command '\(printable(name))': \(hint)")
  }

  /// Says what has ended the command; the exit status.
  private static func status(telling error: any Error) -> Int32 {
    if let failure = error as? Failure {
      Console.error("optrace: \(failure.message)")
      return failure.status.rawValue
    }
    if let status = error as? ExitStatus { return status.rawValue }
    if let code = error as? ExitCode { return code.rawValue }
    let code = exitCode(for: error)
    let text = fullMessage(for: error)
    if code.isSuccess {
      let shown = Completions.completed(ParserText.withUsageLines(text), of: configuration.subcommands)
      do { try Output.standard.write(RawPath.bytes(of: shown + "\n")) } catch { return status(telling: error) }
      return ExitStatus.good.rawValue
    }
    if code == .validationFailure {
      Console.error(ParserText.error(text))
      return ExitStatus.usage.rawValue
    }
    Console.error("optrace: \(error)\nThis is a bug of optrace; please report it together with the command line.")
    return ExitStatus.bug.rawValue
  }
}
