import ArgumentParser
import OpTraceHangs
import OpTraceKernel
import OpTraceModel
import OpTraceText

struct StacksCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stacks",
    abstract: "Print what every thread does and waits for.",
    discussion: """
      The recorder takes a snapshot of all threads when nothing has moved for a second. A running program is asked for a \
      new snapshot and is not stopped; if it does not answer, optrace takes one from outside. If a trace has no snapshot, \
      only threads that wait or run operations are shown.

      A program that nobody recorded, or a core file, will do.

      Example: optrace stacks 4711, of a program that hangs
      """)

  @OptionGroup var trace: ChosenTrace

  @Flag(help: "Write JSON; Documentation/json.md describes its keys.")
  var json = false

  @Flag(help: "Show the system's functions one by one.")
  var full = false

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write; '-' is standard output, and the default.", valueName: "file"),
    completion: .file())
  var output: String?

  @OptionGroup var core: CoreOptions

  @OptionGroup var limit: UnpackingLimit

  func run() throws {
    let source = try trace.input(limit, core.unprepared)
    let output = try source.output(output)
    let input = try source.readWithFreshSnapshot()
    let statuses = withProgress("looking at the threads of \(source.name)") { ThreadStatuses(of: input.trace) }
    if json || self.output?.lowercased().hasSuffix(".json") == true {
      try output.write(statuses.json(of: input.trace).bytes)
    } else {
      try output.write(StacksText(statuses, of: input.trace, isFull: full, style: output.style).text)
    }
    try input.end()
  }
}
