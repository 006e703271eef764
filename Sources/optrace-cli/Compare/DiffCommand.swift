import OpTracePage
import ArgumentParser
import Foundation
import OpTraceComparison
import OpTraceGraph
import OpTraceFormat
import OpTraceGraphviz
import OpTraceMemory
import OpTraceModel
import OpTraceText

struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compare runs of one version, or of two.",
    discussion: """
      Operations are matched by name, class, queue and function, then by their neighbours, and reported by name pattern: '#' \
      replaces the numbers in names. One run of each side shows what was added and removed. What is slower needs at least five \
      runs of each side ('optrace record --runs 10'): fewer cannot separate a change from chance. Runs that were recorded with \
      --profile are also compared by the processor time of functions, with --memory by what functions allocate and what lives.

      Exit status: 1 where something holds that --fail-on names; 64 where it names slower and there are fewer than \
      five runs of each; else as for all commands. Documentation/compare.md tells how to use it in CI.

      Example: optrace diff --base old.r*.optrace --new new.r*.optrace --fail-on structure,findings,slower=3%
      """)

  @Argument(
    help: ArgumentHelp("A trace from before the change, and one from after it.", valueName: "trace"),
    completion: .file(extensions: ["optrace", "optracez", "txt"]))
  var traces: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Traces from before the change, in place of the first argument.", valueName: "trace"),
    completion: .file(extensions: ["optrace", "optracez", "txt"]))
  var base: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Traces from after the change, in place of the second argument.", valueName: "trace"),
    completion: .file(extensions: ["optrace", "optracez", "txt"]))
  var new: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "What makes the status 1: structure, findings (new ones), slower or slower=3%, with commas between them.",
      valueName: "conditions"))
  var failOn: String?

  @Flag(help: "Write JSON, as into a file whose name ends with .json; Documentation/json.md describes its keys.")
  var json = false

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The file to write; '-' is standard output, and the default. A name that ends with .html gets the report's page with both timelines, one with .svg the graph of what was added and removed.",
      valueName: "file"),
    completion: .file(extensions: ["html", "svg", "json"]))
  var output: String?

  @OptionGroup var limit: UnpackingLimit

  func validate() throws {
    if base.isEmpty, new.isEmpty {
      if traces.count != 2 {
        throw ValidationError("diff takes two traces, BASE and NEW; of more runs, --base A… --new B….")
      }
    } else {
      if !traces.isEmpty {
        throw ValidationError("Give either BASE and NEW, or --base and --new.")
      }
      if base.isEmpty || new.isEmpty {
        throw ValidationError("--base and --new belong together: name the runs of both sides.")
      }
    }
    for paths in [base, new] {
      var seen: Set<String> = []
      for path in paths where !seen.insert(Self.file(path)).inserted {
        throw ValidationError("'\(printable(path))' is named twice: a run counts once.")
      }
    }
    if let output, [".png", ".pdf", ".dot"].contains(where: output.lowercased().hasSuffix) {
      throw ValidationError("'\(printable(output))': diff draws its graph as svg.")
    }
    if json, isPage || isPicture { throw ValidationError("--json and a page or picture cannot be combined.") }
    let standard = (traces + base + new).count { $0 == "-" }
    if standard > 1 { throw ValidationError("'-' is named twice: standard input can be read once.") }
  }

  /// The same text for all paths of one file.
  private static func file(_ path: String) -> String {
    var status = stat()
    guard path != "-", stat(path.asPath, &status) == 0 else { return "path " + path }
    return "file \(status.st_dev) \(status.st_ino)"
  }

  func run() throws {
    let (bases, news) = base.isEmpty ? (Array(traces.prefix(1)), Array(traces.dropFirst())) : (base, new)
    let gate = try gate(baseRuns: bases.count, newRuns: news.count)
    let inputs = (bases + news).map { TraceInput(path: $0, limit: limit) }
    var output = Output(path: output)
    for input in inputs { output = try input.output(self.output) }
    var runs = ComparedRuns(inputs, baseCount: bases.count)
    try runs.compare { try gate?.checkWhole($0, $1) }
    var rule = TimingRule()
    if let threshold = gate?.slowerThreshold { rule.threshold = threshold }
    let comparison = withProgress("comparing") { runs.comparer.comparison(rule: rule) }
    let failed = gate?.failed(comparison) ?? []
    if let needed = comparison.runsNeeded, gate?.conditions.contains(.slower) == true {
      Console.warning(
        "--fail-on slower can never fail: with so many patterns it needs "
          + "\(needed) runs of each side; record more with 'optrace record --runs 10'")
    }
    try write(comparison, of: &runs, failed: failed, to: output)
    if !failed.isEmpty { throw ExitStatus.foundError }
    if runs.isDamaged { throw ExitStatus.badInput }
  }

  /// Rows of memory; more are only counted.
  private static let mostFunctions = 10

  private var isPage: Bool { output?.lowercased().hasSuffix(".html") == true }
  private var isPicture: Bool { output?.lowercased().hasSuffix(".svg") == true }

  private func write(
    _ comparison: Comparison, of runs: inout ComparedRuns, failed: [Gate.Condition], to output: Output
  ) throws {
    if isPicture {
      let picture = GraphPicture(of: comparison, title: runs.title)
      let layout = try withProgress("laying out the graph") { try GraphvizRenderer.layout(picture) }
      return try output.writeLong { try SVGWriter.write(picture, layout, to: $0) }
    }
    let base = try runs.typical(.base)
    let effect = base.flatMap { base in
      withProgress("predicting the wall time") {
        WallTimeEffect(comparison, base: base, processors: OwnMachine.processors(of: base.header))
      }
    }
    let memory = try runs.memory()
    let json = comparison.json(
      failed: failed, wallPrediction: effect?.json ?? .null,
      and: memory.map { [.init("memory", MemoryJSON($0.new).difference(from: $0.base))] } ?? [])
    if isPage, let base, let new = try runs.typical(.new) {
      let report = Report.exporter(for: base, and: new, comparison, json: json, title: runs.title)
      try output.writeLong { try report.write(to: $0) }
    } else if self.json || self.output?.lowercased().hasSuffix(".json") == true {
      try output.write(json.bytes)
    } else {
      let compared = memory.map { MemoryDifference(from: $0.base, to: $0.new) }
      let additions = [
        effect?.text(style: output.style),
        compared.map { MemoryDifferenceText($0, most: Self.mostFunctions, style: output.style).section },
      ]
      let addition = additions.compactMap { $0 }.joined(separator: "\n")
      try output.write(ComparisonText(comparison, failed: failed, addition: addition, style: output.style).text)
    }
  }

  private func gate(baseRuns: Int, newRuns: Int) throws -> Gate? {
    guard let failOn else { return nil }
    do throws(Gate.Problem) {
      let gate = try Gate(failOn)
      try gate.check(baseRuns: baseRuns, newRuns: newRuns)
      return gate
    } catch {
      throw Failure.usage("--fail-on: \(printable(error.description))")
    }
  }
}

extension Gate {
  /// Fails if records are missing: they would be reported as removed, and no decision can rest on that.
  fileprivate func checkWhole(_ trace: Trace, _ input: TraceInput) throws {
    guard conditions.contains(.structure) || conditions.contains(.findings) else { return }
    let loss = trace.loss
    guard loss.isDamaged || loss.lostCount > 0 || loss.overwrittenBytes > 0 else { return }
    throw Failure(
      message: "\(input.name) is incomplete, so it does not show what was added or removed: "
        + "omit structure and findings in --fail-on, or record again without --flight-recorder",
      status: .badInput)
  }
}
