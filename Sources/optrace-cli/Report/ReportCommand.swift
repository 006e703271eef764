import OpTraceReport
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

      Example: optrace report run.optrace -o run.html
      """)

  @OptionGroup var input: TraceInput

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write; '-' is standard output, and the default.", valueName: "file"),
    completion: .file(extensions: ["html"]))
  var output: String?

  func run() throws {
    let output = try self.input.output(output)
    if output.isTerminal { throw Failure.usage("a page is not for a terminal: use -o FILE") }
    LargeArrays.areGivenBack()
    let input = try input.read()
    let report = Report.exporter(for: input.trace)
    try output.writeLong { try report.write(to: $0) }
    try input.end()
  }
}
