import ArgumentParser
import Foundation
import OpTraceFormat
import OpTraceKeeping
import OpTraceRunning
import OpTraceModel
import OpTraceText

struct KeepCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keep",
    abstract: "Keep a copy of what a running program has recorded so far.",
    discussion: """
      For a program that is recorded into a flight recorder's ring: the copy holds the ring as of this moment, with a \
      snapshot of all threads and the names of the code. The program goes on, and is not disturbed. 'optrace record \
      --keep-when' does this by itself when something happens.

      The copy says when and why it was made: 'summary', 'doctor' and the report begin with that.

      Example: optrace keep 4711 --reason 'customers complain'
      """)

  @OptionGroup var trace: ChosenTrace

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The file to write. By default NAME.kept-TIME.optrace beside the trace.", valueName: "file"),
    completion: .file(extensions: ["optrace"]))
  var output: String?

  @Option(
    // A reason may begin with a hyphen.
    parsing: .unconditional,
    help: ArgumentHelp("Why: a text that the copy begins with; 228 bytes of it are kept.", valueName: "text"))
  var reason: String?

  @OptionGroup var limit: UnpackingLimit

  func validate() throws {
    if output == "-" { throw ValidationError("-o names a file: a trace cannot go to standard output.") }
    if output == "" { throw ValidationError("-o needs the name of a file.") }
  }

  #if os(Linux)
    func run() throws {
      let input = try trace.input(limit)
      let location = try input.location()
      guard input.path != "-", FreshSnapshot.isRecording(location) else {
        throw Failure.usage(
          "\(input.name) is no trace that a program writes: name a process, or the file that it writes")
      }
      let header: TraceHeader
      do { header = try TraceReader.header(path: location) } catch { throw input.failure(error) }
      if header.kept != nil { throw Failure.usage("\(input.name) is a kept copy already: name the running program") }
      guard LiveProcess.writes(header) else {
        throw Failure(
          message: "nobody writes \(input.name) any more: its program \(LiveProcess.ending(of: header)), and the file "
            + "keeps what it holds",
          status: .noInput)
      }
      if let output { _ = try input.output(output) }
      // A file that may not grow (`ulimit -f`) makes a write fail, instead of raising a signal.
      signal(SIGXFSZ, SIG_IGN)
      if case .none(let why) = FreshSnapshot.ask(path: location) {
        Console.note("the copy has no new snapshot of the threads: \(printable(why))")
      }
      let path = output ?? Keeper.freePath(of: location, word: "")
      let kept = try Keeper.keep(
        location, as: path, reason: reason ?? "asked for by 'optrace keep'", names: KeptNames(debugFile: nil))
      try Output.standard.write(
        "kept '\(printable(path))': \(counted(kept?.bytes ?? 0, "byte")) of process \(header.processID) "
          + "(\(printable(header.processName)))\n")
    }
  #else
    func run() throws {
      throw Failure(message: "keep works on Linux alone", status: .cannotRecord)
    }
  #endif
}
