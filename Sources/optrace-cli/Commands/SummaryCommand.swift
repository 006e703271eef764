import ArgumentParser
import OpTraceDoctor
import OpTraceKernel
import OpTraceMemory
import OpTraceModel
import OpTraceSummary
import OpTraceText

struct SummaryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "summary",
    abstract: "Print figures of queues, classes, waits and threads.",
    discussion: """
      The time of an operation splits into waiting for dependencies, for a slot of its queue, for a thread although \
      its queue had a free slot, and running. \
      Shares are of the wall time: from the first operation that was enqueued to the last that finished.

      Example: optrace summary run.optrace --slowest 20
      """)

  @OptionGroup var trace: TraceArgument

  @Flag(help: "Write JSON, as into a file whose name ends with .json; Documentation/json.md describes its keys.")
  var json = false

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write; '-' is standard output, and the default.", valueName: "file"),
    completion: .file())
  var output: String?

  // What looks like another option is its value, too: validate() says what is wrong with -1.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How many of the slowest operations and longest waits to list.", valueName: "n"))
  var slowest = 10

  @OptionGroup var own: OwnModules

  @OptionGroup var limit: UnpackingLimit

  private var input: TraceInput { trace.input(limit) }

  func validate() throws {
    if slowest < 0 { throw ValidationError("--slowest must not be negative.") }
  }

  func run() throws {
    // A full flight recorder continues while it is read. If it drops records meanwhile, some begins are left without
    // their ends.
    let readings = try LiveReadings(at: input) { $0.loss.overwrittenBytes > 0 }
    var input = readings.last
    if readings.second != nil { input.trace.doubtWhatOpened(since: readings.first.trace) }
    own.mark(&input.trace)
    let (summary, memory) = withProgress("adding up \(self.input.name)") {
      (Summary(of: input.trace, slowestCount: slowest), MemorySummary(of: input.trace))
    }
    let output = try self.input.output(output)
    if json || self.output?.lowercased().hasSuffix(".json") == true {
      try output.write(summary.json(and: memory.map { [$0.member] } ?? []).bytes)
    } else {
      let text = SummaryText(summary, of: input.trace, style: output.style)
      try output.write(text.text(and: memory.map { [$0.text(output.style)] } ?? []))
    }
    try input.end()
  }
}
