import ArgumentParser
import Foundation
import OpTraceModel
import OpTraceText

/// The programs of this machine that are being recorded, as far as we may look at them.
enum RecordedPrograms {
  /// Sorted by process, one for each trace. What is another user's is left out, and so is what ends meanwhile. O(processes and what
  /// they have mapped).
  static func all() -> [RecordedProgram] {
    let numbers = namesInFolder("/proc").compactMap { UInt32($0) }.sorted()
    return numbers.flatMap { number in
      (MappedTraces.paths(of: String(number)) ?? []).compactMap { program(number, writing: $0) }
    }
  }

  /// Nil: the process has the trace mapped and does not write it, as a copy of who did (a fork).
  private static func program(_ number: UInt32, writing path: String) -> RecordedProgram? {
    guard let header = try? TraceReader.header(path: path), header.processID == number, LiveProcess.writes(header)
    else {
      return nil
    }
    return RecordedProgram(
      processID: number, program: header.processName, since: LiveProcess.now(of: header), file: path,
      mode: header.mode, state: LiveProcess.isStopped(number) ? .stopped : .running)
  }

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
