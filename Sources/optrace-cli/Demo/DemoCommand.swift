import OpTraceText
import ArgumentParser
import Foundation
import OpTrace
import OpTraceModel
import OpTraceScenarios

struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Run a demo program and write its trace and pictures.",
    discussion: """
      The programs are real, and so are their waits and threads; each shows one thing. Without SCENARIO they are \
      listed. DIR gets SCENARIO.optrace, SCENARIO.svg and SCENARIO.json.

      A broken program may hang or crash. It runs in a process of its own, which is ended when its trace has been \
      silent for a while. With --fixed the same program runs without its fault; its files are SCENARIO-fixed.*.

      Example: optrace demo photo-import -o demo
      """)

  @Argument(
    help: "The program to run.", completion: .list((Scenario.all + Scenario.broken).map(\.name)))
  var scenario: String?

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("The folder to write to; made when it is not there.", valueName: "dir"),
    completion: .directory)
  var folder = "."

  @Flag(help: "List the programs.")
  var list = false

  @Option(help: ArgumentHelp("i-love-u: how many operations run at a time.", valueName: "n"))
  var limit: Int?

  @Flag(help: "photo-import: leave it stuck in a cycle of dependencies.")
  var stuck = false

  @Flag(help: "A broken program: run it without its fault.")
  var fixed = false

  @Option(
    help: ArgumentHelp(
      """
      How long a stuck program waits, by default 1 to 3 seconds; how long a broken one may be silent, by default 2 \
      or 6 seconds.
      """, valueName: "seconds"))
  var timeout: Double?

  func validate() throws {
    if folder == "-" { throw ValidationError("-o names a folder: a demo writes three files.") }
    if let limit, limit < 1 { throw ValidationError("--limit must be at least 1.") }
    if let timeout, !(timeout > 0 && timeout <= 3600) {
      throw ValidationError("--timeout must be more than 0 and at most 3600 seconds.")
    }
  }

  func run() throws {
    guard let name = scenario, !list else {
      try Output.standard.write(DemoList.text)
      return
    }
    guard let scenario = Scenario.named(name) else { throw unknown(name) }
    let settings = try settings(for: scenario)
    let files = DemoFiles(folder: folder, name: fixed ? scenario.name + "-fixed" : scenario.name)
    try files.makeFolder()
    let fault = fixed ? ", without the fault" : ""
    try Output.standard.write(Console.paint(.strong, scenario.name) + fault + ": " + scenario.summary + "\n")
    let trace =
      if scenario.health == .broken {
        try DemoProcess.record(scenario, settings, files)
      } else {
        try record(scenario, settings, files)
      }
    try files.writeTimeline(of: trace)
    let graphProblem = try files.writeGraph(of: trace)
    let next = scenario.health == .healthy && !stuck || fixed ? "view" : "doctor"
    try Output.standard.write("\n" + files.description(of: trace, hasGraph: graphProblem == nil, next: next))
    if let graphProblem { Console.warning(graphProblem) }
  }

  private func unknown(_ name: String) -> Failure {
    let hint =
      Suggestion.text(for: name, among: Set((Scenario.all + Scenario.broken).map(\.name)))
      ?? "'optrace demo --list' lists them"
    return .usage("there is no scenario '\(printable(name))': \(hint)")
  }

  private func settings(for scenario: Scenario) throws -> ScenarioSettings {
    let given: [(Scenario.Option, Bool)] = [
      (.limit, limit != nil), (.stuck, stuck), (.timeout, timeout != nil), (.fixed, fixed),
    ]
    for (option, isGiven) in given where isGiven && !scenario.options.contains(option) {
      var others = Scenario.all.filter { $0.options.contains(option) }.map(\.name)
      if Scenario.broken.contains(where: { $0.options.contains(option) }) { others.append("the broken ones") }
      let names = others.joined(separator: ", ")
      throw Failure.usage("the scenario '\(scenario.name)' has no --\(option.rawValue) (those that have: \(names))")
    }
    if timeout != nil, !stuck, scenario.health == .healthy {
      throw Failure.usage("'\(scenario.name)' ends by itself: --timeout goes with --stuck")
    }
    var settings = ScenarioSettings()
    settings.limit = limit
    settings.isStuck = stuck
    settings.timeout = timeout
    settings.isFixed = fixed
    return settings
  }

  /// Runs on the main thread, because the program's main queue needs that.
  private func record(_ scenario: Scenario, _ settings: ScenarioSettings, _ files: DemoFiles) throws -> DemoTrace {
    // Outputs name the program, which for this run is the scenario.
    ProcessInfo.processInfo.processName = scenario.name
    do {
      let url = try scenario.run(recordingTo: URL(fileURLWithPath: files.recorded), settings: settings) { line in
        // May be called from the program's threads. A reader that closed the pipe does not stop the demo.
        _ = FileHandleWriter.writeAll(Array(TerminalText.harmless("  \(line)\n").utf8), to: STDOUT_FILENO)
      }
      return try DemoTrace(at: url, askedFor: files.trace)
    } catch let error as TraceRecorderError {
      throw Failure(error, writing: files.trace)
    }
  }
}

/// The list of scenarios: healthy ones, ones that get stuck, and broken ones.
enum DemoList {
  static var text: String {
    let healthy = Scenario.all.filter { $0.health == .healthy }.map { ($0.name, $0.summary) }
    let stuck =
      Scenario.all.filter { $0.options.contains(.stuck) }.map {
        ("\($0.name) --stuck", "The same, with a cycle of dependencies across two queues.")
      } + Scenario.all.filter { $0.health == .stuck }.map { ($0.name, $0.summary) }
    let faulty = Scenario.broken.map { ($0.name, $0.summary) }
    let width = (healthy + stuck + faulty).reduce(0) { max($0, $1.0.count) }
    func lines(_ entries: [(String, String)]) -> String {
      entries.map { "  \($0.padding(toLength: width, withPad: " ", startingAt: 0))  \($1)\n" }.joined()
    }
    return Console.paint(.strong, "Programs that show how queues work:") + "\n" + lines(healthy) + "\n"
      + Console.paint(.strong, "Programs that get stuck, and give up after a while:") + "\n" + lines(stuck) + "\n"
      + Console.paint(.strong, "Programs that are broken, each in one way (--fixed runs them without the fault):")
      + "\n"
      + lines(faulty) + "\n"
      + "Run one with: optrace demo SCENARIO -o DIR\n"
  }
}
