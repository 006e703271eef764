import ArgumentParser
import Foundation
import OpTraceScenarios
import OpTraceText

/// A broken demo program. It runs in a process of its own: this command again, as `demo-program`.
enum DemoProcess {
  static func record(_ scenario: Scenario, _ settings: ScenarioSettings, _ files: DemoFiles) throws -> DemoTrace {
    guard let executable = Bundle.main.executableURL else {
      throw Failure(message: "cannot tell where optrace is installed", status: .cannotRecord)
    }
    let fixed = settings.isFixed ? ["--fixed"] : []
    let program: ScenarioProcess
    do {
      program = try ScenarioProcess(
        executable, arguments: ["demo-program", scenario.name, "--output", files.recorded] + fixed,
        silence: settings.timeout ?? scenario.silence
      ) { print($0) }
    } catch {
      throw Failure(message: printable("\(error)"), status: .cannotRun)
    }
    // The program has already said why there is no trace.
    guard let trace = program.trace else {
      guard case .exited(let status) = program.ending else {
        throw Failure(message: "the program \(program.ending) before it was recorded", status: .bug)
      }
      throw ExitCode(status)
    }
    print("(\(program.ending))")
    return try DemoTrace(at: trace, askedFor: files.trace)
  }

  /// Prints a line; a reader that closed the pipe does not stop the demo.
  private static func print(_ line: String) {
    _ = FileHandleWriter.writeAll(Array(TerminalText.harmless("  \(line)\n").utf8), to: STDOUT_FILENO)
  }
}
