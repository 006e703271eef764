import ArgumentParser
import OpTraceKernel
import OpTraceMemory
import OpTraceModel
import OpTraceProfile
import OpTraceSamples
import OpTraceText

struct MemoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "memory",
    abstract: "Show where memory goes, and what grows.",
    discussion: """
      Sampled allocations ('optrace record --memory') by function, by type, and by the operation, block or task that made \
      them: what was allocated, and what of it lives. The first sentence is the answer: what grows, and by how much; else \
      what malloc keeps; else that nothing grows. All figures are estimates, with their standard errors.

      An allocation counts for the innermost of the program's own functions, which so has what libraries allocate for it; \
      'total' includes what it called. Documentation/memory.md says how to read it, and what it does not see.

      Example: optrace memory run.optrace, after optrace record --memory -o run.optrace -- ./server

      A program that runs, recorded or not: optrace memory 4711 --for 30s

      What lived after a minute: optrace memory run.optrace --live --at 60s
      """)

  enum Grouping: String, CaseIterable, ExpressibleByArgument {
    case function, type, work, thread
  }

  @OptionGroup var trace: TraceArgument

  @Option(help: "What to list: function, type, work or thread; without it, the first three.")
  var by: Grouping?

  @Flag(help: "Sort by what lives.")
  var live = false

  @Flag(help: "Sort by what was allocated (the default).")
  var allocated = false

  @Flag(help: "Sort by what lived when most did.")
  var peak = false

  @Flag(help: "List only what grows.")
  var growth = false

  @Option(
    help: ArgumentHelp(
      "Tell what lived at this time since the beginning, such as 90s (default: the end).", valueName: "time"))
  var at: TimeArgument?

  @OptionGroup var written: ComparedOutput<MemoryFormats>

  @OptionGroup var recording: AttachedTime

  @OptionGroup(title: "Part of a trace") var part: ProfilePart

  @OptionGroup var limit: UnpackingLimit

  func validate() throws {
    if [live, allocated, peak].count(where: { $0 }) > 1 {
      throw ValidationError("--live, --allocated and --peak cannot be combined.")
    }
    try written.check(trace.path)
    if written.compare != nil, growth || by != nil {
      throw ValidationError("--compare lists functions and types: omit --growth and --by.")
    }
    if growth, by != nil { throw ValidationError("--growth lists places: omit --by.") }
    if peak, by ?? .function != .function { throw ValidationError("--peak lists functions: omit --by.") }
  }

  func run() throws {
    var input = trace.input(limit)
    input.recorded = recording.input(with: ["OPTRACE_MEMORY": "\(Self.shortInterval)B"]).trace
    let other = written.compare.map { TraceInput(path: $0, limit: input.limit) }
    var output = try input.output(written.output)
    if let other { output = try other.output(written.output) }
    let (read, report) = try report(of: input)
    let earlier = try other.map { (read: try self.report(of: $0), name: $0.name) }
    if let report, earlier.map({ $0.read.report != nil }) ?? true {
      try write(
        report, comparedWith: earlier.flatMap { one in one.read.report.map { ($0, one.name) } }, named: input.name,
        to: output)
    }
    try read.end()
    try earlier?.read.read.end()
  }

  /// Nil, and standard error says why: there is nothing to show.
  private func report(of input: TraceInput) throws -> (read: InputTrace, report: MemoryReport?) {
    let read = try input.read().withLiveNames()
    let selection = try part.selection(in: read.trace, named: input.name)
    if let nothing = MemoryWords.nothing(read.trace, in: input.name, isPart: part.isPart) {
      Console.error("optrace: " + nothing)
      // What a trace without samples knows of the process is told in JSON.
      guard written.target == .json else { return (read, nil) }
    }
    let report = withProgress("adding up \(input.name)") {
      MemoryReport(of: read.trace, selection: selection, at: at?.nanoseconds)
    }
    return (read, report)
  }

  /// Of a program that runs already: some seconds need more samples than some hours.
  private static let shortInterval = 128 << 10

  private var figure: MemoryText.Figure { peak ? .peak : live ? .live : .allocated }

  private func write(
    _ report: MemoryReport, comparedWith other: (report: MemoryReport, name: String)?, named name: String,
    to output: Output
  ) throws {
    switch written.target {
    case .json: try output.write(MemoryJSON(report, most: written.top).value(comparedWith: other?.report).bytes)
    case .file(let format):
      // pprof's has all figures.
      let profile = report.profile(figure.bytes, keepsAll: format == .pprof)
      let notes = MemoryWords(report).sentences
      let base = other?.report.profile(figure.bytes)
      try output.writeLong { try format.write(profile, comparedWith: base, notes: notes, to: $0) }
    case .text:
      if let other {
        let text = MemoryDifferenceText(
          MemoryDifference(from: other.report, to: report), most: written.rows, style: output.style)
        return try output.write(text.text((before: other.name, after: name)))
      }
      let text = MemoryText(report, figure: figure, most: written.rows, style: output.style)
      try output.write(growth ? text.growthText : text.text(by: by?.table ?? (peak ? .functions : nil)))
    }
  }
}

enum MemoryFormats: WrittenFormats {
  /// Firefox's has only time.
  static let formats = ProfileFormat.allCases.filter { $0 != .firefox }
  static let help =
    "A name that ends with .svg gets a flame graph; .collapsed, .speedscope.json and .pb.gz (pprof) are for other tools; "
    + ".json is this command's own."
}

extension MemoryText.Figure {
  fileprivate var bytes: Profile.Bytes {
    switch self {
    case .allocated: .allocated
    case .live: .live
    case .peak: .peak
    }
  }
}

extension MemoryCommand.Grouping {
  fileprivate var table: MemoryText.Table {
    switch self {
    case .function: .functions
    case .type: .types
    case .work: .work
    case .thread: .threads
    }
  }
}
