import ArgumentParser
import OpTraceLive
import OpTraceText

extension RecordedPrograms {
  /// The trace of the only one.
  ///
  /// - Throws: ``Failure`` where there is none, or several: these are named.
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
  /// What was named; else what the only program writes that is being recorded on this machine.
  init(chosen path: String?, limit: UnpackingLimit) throws {
    self.init(path: try path ?? RecordedPrograms.onlyTrace(), limit: limit)
  }
}

/// The argument TRACE of commands that take the only recorded program where none is named.
struct ChosenTrace: ParsableArguments {
  static let help = ArgumentHelp(
    "The trace: a file, '-' for standard input, or the process id of a program that is being recorded. Without it: the "
      + "only program of this machine that is being recorded.",
    valueName: "trace")

  @Argument(help: Self.help, completion: .file(extensions: ["optrace", "optracez", "txt"]))
  var path: String?

  @OptionGroup var limit: UnpackingLimit

  /// - Throws: ``Failure`` where none is named, and there is none or several to choose from.
  func input() throws -> TraceInput { try TraceInput(chosen: path, limit: limit) }
}
