import ArgumentParser
import OpTraceRunning
import OpTraceText

extension RecordedPrograms {
  /// The trace of the only recorded program.
  ///
  /// - Throws: ``Failure`` if there is none, or several; the message names these.
  static func onlyTrace() throws -> String {
    let programs = all()
    guard let first = programs.first else {
      throw Failure(
        message: "no program of this machine is being recorded: name a trace, or record one with "
          + "'optrace record -- PROGRAM'",
        status: .noInput)
    }
    guard programs.count == 1 else {
      let list = RecordedProgram.text(of: programs, style: .plain, indent: 2)
      throw Failure.usage("\(programs.count) traces are being recorded, name a process or a file:\n\(list)")
    }
    return first.file
  }
}

extension TraceInput {
  /// The given path; else the trace of the only program that is being recorded on this machine.
  init(chosen path: String?, limit: UnpackingLimit) throws {
    self.init(path: try path ?? RecordedPrograms.onlyTrace(), limit: limit)
  }
}

/// The optional argument TRACE. Without it, commands take the trace of the only recorded program.
struct ChosenTrace: ParsableArguments {
  static let help = ArgumentHelp(
    "The trace: a file, '-' for standard input, or the process id of a program; 'doctor', 'stacks' and 'top --once' take "
      + "any running program, the others one that is being recorded. Without it: the only program that is being recorded.",
    valueName: "trace")

  @Argument(help: Self.help, completion: .file(extensions: ["optrace", "optracez", "txt"]))
  var path: String?

  /// - Throws: ``Failure`` if none is given, and there is none or several to choose from.
  func input(_ limit: UnpackingLimit, _ unprepared: Unprepared? = nil) throws -> TraceInput {
    var input = try TraceInput(chosen: path, limit: limit)
    input.unprepared = unprepared
    return input
  }
}
