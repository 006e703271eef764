import ArgumentParser
import Foundation
import OpTraceModel
import OpTraceText

/// The argument TRACE… of commands that put the traces of several processes together.
struct TraceInputs: ParsableArguments {
  static let help = ArgumentHelp(
    "The trace: a file, '-' for standard input, or the process id of a program that is being recorded. Several traces: of "
      + "the processes that served the same requests.",
    valueName: "trace")

  @Argument(help: Self.help, completion: .file(extensions: ["optrace", "optracez", "txt"]))
  var paths: [String]

  @OptionGroup var limit: UnpackingLimit

  func validate() throws {
    if paths.count(where: { $0 == "-" }) > 1 {
      throw ValidationError("'-' is named twice: standard input can be read once.")
    }
  }

  var all: [TraceInput] { paths.map { TraceInput(path: $0, limit: limit) } }

  /// Where the result goes: anywhere but over one of the traces.
  func output(_ path: String?) throws -> Output {
    for input in all { _ = try input.output(path) }
    return Output(path: path)
  }

  /// Reads all. Warns as ``TraceInput/read(warns:)`` does. Throws ``Failure`` where one cannot be read, and where two are of one
  /// recording.
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

/// A trace that was read, and what people see of its path.
struct NamedTrace {
  var trace: Trace
  var name: String
  /// When it began, in nanoseconds since the first of several.
  var start: Nanoseconds = 0
}

extension [NamedTrace] {
  /// `'a.optrace' or 'b.optrace'`.
  var anyOfTheirNames: String {
    count < 2 ? first?.name ?? "" : dropLast().map(\.name).joined(separator: ", ") + " or " + self[count - 1].name
  }

  /// The last call of a command that has printed its result: damaged traces are status 65, in part read or not.
  func end() throws {
    if contains(where: \.trace.loss.isDamaged) { throw ExitStatus.badInput }
  }
}
