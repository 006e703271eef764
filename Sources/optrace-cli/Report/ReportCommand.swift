import OpTracePage
import ArgumentParser

struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Write one HTML page with everything.",
    discussion: """
      The page is one file and loads nothing from the network: attach it to a bug report, open it anywhere. Its address \
      holds what is selected.

      The page holds the names of operations, queues, threads and source files; 'optrace pack --anonymize' makes a \
      trace without them.

      Several traces, of processes that served the same requests, are as many pages: run.html, run-2.html and so on. What \
      a span calls in another process, and what called it, leads to that page.

      Example: optrace report run.optrace -o run.html
      """)

  @OptionGroup var traces: TraceArguments

  @OptionGroup var own: OwnModules

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write; '-' is standard output, and the default.", valueName: "file"),
    completion: .file(extensions: ["html"]))
  var output: String?

  @OptionGroup var core: CoreOptions

  @OptionGroup var limit: UnpackingLimit

  private var input: TraceInputs {
    var inputs = traces.inputs(limit)
    inputs.unprepared = core.unprepared
    return inputs
  }

  func run() throws {
    LargeArrays.areGivenBack()
    if input.paths.count > 1 { return try JoinedReports(input, own, to: output).write() }
    let output = try self.input.output(output)
    if output.isTerminal { throw Failure.usage("a page is not for a terminal: use -o FILE") }
    var traces = try input.read()
    own.mark(&traces[0].trace)
    let report = Report.exporter(for: traces[0].trace)
    try output.writeLong { try report.write(to: $0) }
    try traces.end()
  }
}
