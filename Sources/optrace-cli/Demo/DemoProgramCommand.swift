import ArgumentParser
import Foundation
import OpTrace
import OpTraceScenarios

/// What `demo` runs in a process of its own: a program that may hang or crash.
struct DemoProgramCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo-program", abstract: "Run as a broken demo program.", shouldDisplay: false)

  @Argument
  var scenario: String

  @Option
  var output: String

  @Flag
  var fixed = false

  func run() throws {
    guard let scenario = Scenario.broken.first(where: { $0.name == scenario }) else {
      throw Failure.usage("there is no broken program '\(printable(scenario))': 'optrace demo --list' lists them")
    }
    var settings = ScenarioSettings()
    settings.isFixed = fixed
    do {
      try scenario.runAsProcess(recordingTo: URL(fileURLWithPath: output), settings: settings)
    } catch {
      throw Failure(error, writing: output)
    }
  }
}
