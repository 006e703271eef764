import ArgumentParser
import Foundation
import OpTraceFormat
import OpTraceModel
import OpTraceText

/// `optrace snapshot`: keeps what a process that nobody recorded, or a core file, shows, as a trace.
struct SnapshotCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snapshot",
    abstract: "Write a trace of a program that nobody recorded.",
    discussion: """
      The trace has what is unfinished in a running program or in a core file: operations, tasks, dispatch queues, threads, \
      locks, and names of code. Every command reads it. It holds names, never the contents of memory. The program is \
      not stopped, and gets no signal.

      Example: optrace snapshot 4711 -o hang.optrace
      """)

  @Argument(
    help: ArgumentHelp("The process id of a running program, or a core file.", valueName: "process"),
    completion: .file())
  var process: String

  @Option(
    name: .shortAndLong, help: ArgumentHelp("The file to write; '-' is standard output.", valueName: "file"),
    completion: .file(extensions: ["optrace"]))
  var output: String

  @OptionGroup var core: CoreOptions

  func run() throws {
    let location = try location()
    var output = try TraceInput(path: process, unprepared: core.unprepared).output(output)
    if output.isTerminal { throw Failure.usage("a binary trace is not for a terminal: use -o FILE") }
    output.isPrivate = true
    // Says what is not in it.
    _ = try TraceInput(path: location).read()
    guard let bytes = FileManager.default.contents(atPath: location) else {
      throw Failure(message: "cannot read what was made of '\(printable(process))'", status: .bug)
    }
    try output.write(Array(bytes))
    if let path = output.path { try? Output.standard.write("\(printable(path)): \(counted(bytes.count, "byte"))\n") }
  }

  private func location() throws -> String {
    if TraceInput.isProcess(process), let id = UInt32(process) {
      return try core.unprepared.trace(ofProcess: id)
    }
    if let path = try core.unprepared.trace(ofCore: process) { return path }
    guard access(process.asPath, F_OK) == 0 else {
      throw Failure(
        message: "cannot read '\(printable(process))': there is no such file, and it is no process id", status: .noInput
      )
    }
    throw Failure(message: "'\(printable(process))' is no core file of Linux", status: .badInput)
  }
}
