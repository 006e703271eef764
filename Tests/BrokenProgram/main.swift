import Foundation
import OpTraceScenarios

/// `BrokenProgram NAME broken|fixed TRACE` runs a broken program of the demo, or its twin, and records it.
let words = CommandLine.arguments
guard words.count == 4, let scenario = Scenario.broken.first(where: { $0.name == words[1] }),
  ["broken", "fixed"].contains(words[2])
else {
  let names = Scenario.broken.map(\.name).joined(separator: " ")
  FileHandle.standardError.write(Data("usage: BrokenProgram NAME broken|fixed TRACE, NAME one of: \(names)\n".utf8))
  exit(64)
}
var settings = ScenarioSettings()
settings.isFixed = words[2] == "fixed"
do {
  try scenario.runAsProcess(recordingTo: URL(fileURLWithPath: words[3]), settings: settings)
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}
