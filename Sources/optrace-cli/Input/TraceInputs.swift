import ArgumentParser
import Foundation
import OpTraceModel
import OpTraceText

/// The argument TRACE… of commands that combine the traces of several processes.
struct TraceArguments: ParsableArguments {
  static let help = ArgumentHelp(
    "The trace: a file, '-' for standard input, or the process id of a program that is being recorded. Several traces: of "
      + "the processes that served the same requests.",
    valueName: "trace")

  @Argument(help: Self.help, completion: .file(extensions: ["optrace", "optracez", "txt"]))
  var paths: [String]

  func validate() throws {
    if paths.count(where: { $0 == "-" }) > 1 {
      throw ValidationError("'-' is named twice: standard input can be read once.")
    }
  }

  func inputs(_ limit: UnpackingLimit) -> TraceInputs { TraceInputs(paths: paths, limit: limit) }
}

/// The traces that such a command reads.
struct TraceInputs {
  var paths: [String]
  var limit: UnpackingLimit

  var unprepared: Unprepared?

  var all: [TraceInput] { paths.map { TraceInput(path: $0, limit: limit, unprepared: unprepared) } }

  /// The output file, which must not be one of the traces.
  func output(_ path: String?) throws -> Output {
    for input in all { _ = try input.output(path) }
    return Output(path: path)
  }

  /// Reads all. Warns like ``TraceInput/read(warns:)``. Throws ``Failure`` if one cannot be read, or if two are of the
  /// same recording.
  func read() throws -> [NamedTrace] {
    var known: [String: String] = [:]
    return try all.map { input in
      let trace = try input.read().trace
      if let other = known.updateValue(input.name, forKey: trace.header.hash) {
        let what =
          other == input.name ? "\(input.name) is named twice" : "\(other) and \(input.name) are the same recording"
        throw Failure.usage("\(what): name the trace of each process once")
      }
      return NamedTrace(trace: trace, name: input.name)
    }
  }
}

/// A trace that was read, and its path for messages.
struct NamedTrace {
  var trace: Trace
  var name: String
  /// When it began, in nanoseconds since the first of several began.
  var start: Nanoseconds = 0
}

extension [NamedTrace] {
  /// `'a.optrace' or 'b.optrace'`.
  var anyOfTheirNames: String {
    count < 2 ? first?.name ?? "" : dropLast().map(\.name).joined(separator: ", ") + " or " + self[count - 1].name
  }

  /// Ends a command that has printed its result: damaged traces give status 65, even if they could be read in part.
  func end() throws {
    if contains(where: \.trace.loss.isDamaged) { throw ExitStatus.badInput }
  }
}
