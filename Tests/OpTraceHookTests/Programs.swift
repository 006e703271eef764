import Foundation
import TestSupport
import Testing

/// The ways to record a program.
enum Way: String, CaseIterable {
  /// The traced types.
  case traced
  /// Foundation's operations in traced queues.
  case foreign
  /// Only Foundation's types, and `instrumentProcess()`.
  case instrumented
  /// A program that was built without OpTrace, under `optrace record`.
  case recorded

  // Two ways at once: what both see must be recorded once.
  case tracedAndInstrumented, tracedAndRecorded, foreignAndInstrumented, foreignAndRecorded

  var program: String {
    switch self {
    case .traced, .tracedAndInstrumented, .tracedAndRecorded: "HookTraced"
    case .foreign, .foreignAndInstrumented, .foreignAndRecorded: "HookForeign"
    case .instrumented: "HookInstrumented"
    case .recorded: "HookPlain"
    }
  }

  /// One build is enough for two ways at once: they do not depend on how a program calls Foundation.
  var builds: [Build] {
    switch self {
    case .traced, .foreign, .instrumented, .recorded: Build.allCases
    default: [.release]
    }
  }

  var isRecorded: Bool { [.recorded, .tracedAndRecorded, .foreignAndRecorded].contains(self) }
  var isInstrumentedToo: Bool { [.tracedAndInstrumented, .foreignAndInstrumented].contains(self) }
}

typealias Build = Built.Configuration

enum Programs {
  /// The command that starts a program, recorded to `file`, or not recorded if it is nil. `ring`: a flight recorder.
  static func command(
    _ name: String, _ way: Way, _ build: Build, into file: URL?, ring: Bool = false
  ) throws -> (executable: URL, arguments: [String], variables: [String: String]) {
    let program = try Built.program(way.program, build)
    guard let file else { return (program, [name], [:]) }
    guard way.isRecorded else {
      var variables = ["OPTRACE_OUTPUT": file.path]
      if ring { variables["OPTRACE_FLIGHT_RECORDER"] = "1M" }
      return (program, [name] + (way.isInstrumentedToo ? ["instrument"] : []), variables)
    }
    let options = ring ? ["--flight-recorder", "1M"] : []
    return (
      try Built.program("optrace"), ["record", "-o", file.path] + options + ["--", program.path, name], [:]
    )
  }

  /// Runs one of the programs to its end.
  static func run(_ name: String, _ way: Way, _ build: Build, into file: URL?) throws -> ProgramResult {
    let (executable, arguments, variables) = try command(name, way, build, into: file)
    return try RunningProgram.run(executable, arguments, environment: environment(variables))
  }

  static func environment(_ variables: [String: String]) -> [String: String] {
    var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("OPTRACE_") }
    // Some programs crash, and Swift takes seconds to print the crash report.
    environment["SWIFT_BACKTRACE"] = "enable=no"
    return environment.merging(variables) { $1 }
  }
}

extension Scratch {
  /// The traces in the folder, by name.
  var traces: [URL] { get throws { try names.filter { $0.hasSuffix(".optrace") }.map { file($0) } } }
}
