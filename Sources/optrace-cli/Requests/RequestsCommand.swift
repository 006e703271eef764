import ArgumentParser
import OpTraceKernel
import OpTraceModel
import OpTraceRequests
import OpTraceText

struct RequestsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "requests",
    abstract: "Show why units of work, such as requests, are slow.",
    discussion: """
      Finds the units by itself: rounds of tasks that answer one request after another, other tasks, operations and blocks, \
      or the program's own spans. For each kind it compares where the time of the slowest 1 % went with that of the median. \
      Record with 'optrace record --all'. Documentation/requests.md says how units are found, and how to read this.

      Example: optrace requests run.optrace --kind 'price(_:)'

      A program that runs, recorded or not: optrace requests 4711 --for 30s
      """)

  @OptionGroup var trace: TraceArgument

  @Option(help: ArgumentHelp("Only this kind of units.", valueName: "name"))
  var kind: String?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("How many of the slowest units of each kind to list.", valueName: "n"))
  var slowest = 3

  @Option(
    help: ArgumentHelp(
      "Units that ended from this time on, since the recording began: 1.5s, 250ms; without a unit, seconds.",
      valueName: "time"))
  var from: TimeArgument?

  @Option(help: ArgumentHelp("Units that ended up to this time.", valueName: "time"))
  var to: TimeArgument?

  @OptionGroup var recording: AttachedTime

  @OptionGroup var own: OwnModules

  @Flag(help: "Write JSON, as into a file whose name ends with .json; Documentation/json.md describes its keys.")
  var json = false

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The file to write; '-' is standard output, and the default.", valueName: "file"),
    completion: .file())
  var output: String?

  @OptionGroup var limit: UnpackingLimit

  private var input: TraceInput {
    var input = trace.input(limit)
    input.recorded = recording.input.trace
    return input
  }

  func validate() throws {
    if slowest < 0 { throw ValidationError("--slowest must not be negative.") }
    if let from, let to, from.nanoseconds > to.nanoseconds { throw ValidationError("--from is later than --to.") }
  }

  func run() throws {
    var read = try input.read().withLiveNames()
    own.mark(&read.trace)
    let trace = read.trace
    let window =
      from == nil && to == nil ? nil : (from?.nanoseconds ?? .min)...(to?.nanoseconds ?? .max)
    let (requests, memory) = withProgress("adding up \(input.name)") {
      let requests = Requests(of: trace, within: window)
      return (requests, UnitMemory(of: requests, in: trace))
    }
    if let kind, !requests.kinds.contains(where: { $0.name == kind }) {
      let offer = Suggestion.text(for: kind, among: Set(requests.kinds.map(\.name))).map { "; \($0)" } ?? ""
      throw Failure.usage("no kind of units is called '\(printable(kind))' in \(input.name)\(offer)")
    }
    let output = try input.output(output)
    if json || self.output?.lowercased().hasSuffix(".json") == true {
      try output.write(RequestsJSON(requests, memory: memory).value(named: kind, slowest: slowest).bytes)
    } else {
      try output.write(RequestsText(requests, memory: memory, style: output.style).text(named: kind, slowest: slowest))
    }
    try read.end()
  }
}
