import OpTraceRunning
import ArgumentParser
import OpTraceModel
import OpTraceText

/// `optrace symbolicate`: adds the names of the program's code to a trace.
struct SymbolicateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "symbolicate",
    abstract: "Write function names and lines into a trace.",
    discussion: """
      A trace holds addresses; the names are in the program's files. Run this on the machine that has these files, before \
      you rebuild them. 'optrace record' does it at its end, and 'optrace pack' in the file that it writes. Files of another \
      build are ignored. Names that are in the trace already are looked up again.

      Example: optrace symbolicate run.optrace
      """)

  @Argument(
    help: ArgumentHelp("The trace, which is changed: its names are added at its end.", valueName: "trace"),
    completion: .file(extensions: ["optrace"]))
  var path: String

  func run() throws {
    let input = TraceInput(path: path)
    let read = try input.read()
    let trace = read.trace
    guard !LiveProcess.writes(trace.header) else {
      throw Failure(
        message: "\(input.name) is still being written, by process \(trace.header.processID): wait for its end",
        status: .noInput)
    }
    let symbols = withProgress("looking up the names of code") { TraceSymbols(of: trace.stacks) }
    for trouble in symbols.troubles { Console.note(printable(trouble)) }
    do {
      switch try symbols.add(toFile: path) {
      case .done: break
      case .damaged: throw Failure(message: "\(input.name) is damaged: it gets no names", status: .badInput)
      case .cannotWrite(let error): throw Failure.cannotWrite(path, reason(error))
      }
    } catch let error as TraceError {
      guard case .notATrace = error.reason else { throw input.failure(error) }
      throw Failure(
        message: "\(input.name) is packed or a text: put names into the trace that it was made of", status: .badInput)
    }
    try Output.standard.write(symbols.told(of: input.name) + "\n")
    try read.end()
  }
}
