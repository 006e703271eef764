import OpTracePage
import ArgumentParser
import Foundation
import OpTraceModel
import OpTracePrediction
import OpTraceText

struct WhatIfCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "whatif",
    abstract: "Predict run time under changes.",
    discussion: """
      The recorded run is replayed without changes first, to show how accurate the simulator is, and then with them. CLASS \
      is a class, a function or an operation's name, tried in this order. All change options together are one scenario; each \
      --scenario is one of its own. With several traces of one program the range covers all of them.

      Exit status: 1 where a scenario never ends, or with --strict if the predictions are not reliable; else as for \
      all commands. Documentation/compare.md says what the simulator covers, and what it does not.

      Example: optrace whatif run.optrace --limit network=8 --faster Decode=2
      """)

  @Argument(help: TraceInput.help, completion: .file(extensions: ["optrace", "optracez", "txt"]))
  var traces: [String]

  @OptionGroup var changes: ChangeOptions

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "A scenario of its own: change options in one argument, as a shell would split them; may be repeated.",
      valueName: "options"))
  var scenario: [String] = []

  @Flag(help: "Try limits, speeds, priorities, merges and dependencies, and rank what would help most.")
  var suggest = false

  @Flag(help: "End with status 1 if the predictions are not reliable.")
  var strict = false

  @Flag(help: "Write JSON, as into a file whose name ends with .json; Documentation/json.md describes its keys.")
  var json = false

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The file to write; '-' is standard output, and the default. A name that ends with .html gets the report's page with the predicted run beside the recorded one.",
      valueName: "file"),
    completion: .file())
  var output: String?

  @OptionGroup var limit: UnpackingLimit

  func validate() throws {
    if suggest, !scenario.isEmpty || !changes.all.isEmpty {
      throw ValidationError("--suggest tries changes by itself: omit the others.")
    }
    if !scenario.isEmpty, !changes.all.isEmpty {
      throw ValidationError("Put all changes into --scenario options, or use none.")
    }
    if suggest, traces.count > 1 { throw ValidationError("--suggest takes one trace.") }
    if isPage, scenario.count > 1 || traces.count > 1 || suggest || json {
      throw ValidationError("A page shows one scenario of one trace: omit the others.")
    }
    if !suggest, scenario.isEmpty, changes.all.isEmpty {
      throw ValidationError("Missing a change, as --limit QUEUE=N; or --suggest.")
    }
  }

  func run() throws {
    let inputs = traces.map { TraceInput(path: $0, limit: limit) }
    let output = try inputs.map { try $0.output(self.output) }.last ?? Output(path: self.output)
    let scenarios = try scenario.isEmpty ? [changes.all] : scenario.map(ScenarioText.changes)
    let read = try inputs.map { try $0.read() }
    let predictors = try zip(inputs, read).map { try predictor($0, $1.trace) }
    let whatIf = try predict(predictors, scenarios)
    if isPage, let predictor = predictors.first, let scenario = whatIf.scenarios.first {
      let predicted = predictor.predictedTrace(scenario.changes)
      let report = Report.exporter(for: predictor.trace, predicted: predicted)
      try output.writeLong { try report.write(to: $0) }
    } else if json || self.output?.lowercased().hasSuffix(".json") == true {
      try output.write(whatIf.json.bytes)
    } else {
      try output.write(WhatIfText(whatIf, isRanking: suggest, style: output.style).text)
    }
    if !suggest, whatIf.scenarios.contains(where: { $0.wall == nil }) { throw ExitStatus.foundError }
    if strict, !whatIf.replay.isTrusted { throw ExitStatus.foundError }
    for input in read { try input.end() }
  }

  private var isPage: Bool { output?.lowercased().hasSuffix(".html") == true }

  private func predict(_ predictors: [Predictor], _ scenarios: [[ChangeText]]) throws -> WhatIf {
    if suggest, let predictor = predictors.first {
      let found = withProgress("trying changes") { predictor.suggestions() }
      return WhatIf(predictor, suggestions: found)
    }
    let resolved = try scenarios.map { texts in
      try predictors.map { predictor in try resolve(texts, ChangeParser(predictor.trace)) }
    }
    return withProgress("simulating") { WhatIf(predictors, scenarios: resolved) }
  }

  private func predictor(_ input: TraceInput, _ trace: Trace) throws -> Predictor {
    do throws(PredictionError) {
      return try Predictor(trace, processors: OwnMachine.processors(of: trace.header))
    } catch {
      throw Failure(message: "\(input.name): \(printable(error.description))", status: .badInput)
    }
  }

  private func resolve(_ texts: [ChangeText], _ parser: ChangeParser) throws -> [Change] {
    do throws(ChangeError) {
      var result: [Change] = []
      for text in texts { result.append(try parser.parse(text.option, text.value)) }
      try Change.check(result)
      return result
    } catch {
      var message = printable(error.description)
      if case .unknown(_, let word, _, let known) = error, let hint = Suggestion.text(for: word, among: known) {
        message += "; \(hint)"
      }
      throw Failure.usage(message)
    }
  }
}
