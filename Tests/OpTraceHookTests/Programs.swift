import Foundation
import Testing

/// How a program is traced.
enum Way: String, CaseIterable {
  /// The traced types.
  case traced
  /// Foundation's operations in traced queues.
  case foreign
  /// Foundation's types alone, and `instrumentProcess()`.
  case instrumented
  /// A program that was built without OpTrace, under `optrace record`.
  case recorded

  // Two ways at once: what both see is recorded once.
  case tracedAndInstrumented, tracedAndRecorded, foreignAndInstrumented, foreignAndRecorded

  var program: String {
    switch self {
    case .traced, .tracedAndInstrumented, .tracedAndRecorded: "HookTraced"
    case .foreign, .foreignAndInstrumented, .foreignAndRecorded: "HookForeign"
    case .instrumented: "HookInstrumented"
    case .recorded: "HookPlain"
    }
  }

  /// What two ways do at once does not depend on how a program calls Foundation: one build is enough.
  var builds: [Build] {
    switch self {
    case .traced, .foreign, .instrumented, .recorded: Build.allCases
    default: [.release]
    }
  }

  var isRecorded: Bool { [.recorded, .tracedAndRecorded, .foreignAndRecorded].contains(self) }
  var isInstrumentedToo: Bool { [.tracedAndInstrumented, .foreignAndInstrumented].contains(self) }
}

enum Build: String, CaseIterable { case debug, release }

/// What a process left.
struct Ended: Equatable {
  /// As a shell tells it: 128 and the signal's number for one that was killed.
  var status: Int32
  var output: String
  var errors: String
}

enum Programs {
  /// The folder of a build: the tests stand in that of the debug build, the other one is beside it.
  static func folder(_ build: Build) throws -> URL {
    var folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    while folder.path != "/" {
      if FileManager.default.isExecutableFile(atPath: folder.appendingPathComponent("HookPlain").path) {
        return folder.deletingLastPathComponent().appendingPathComponent(build.rawValue)
      }
      folder.deleteLastPathComponent()
    }
    throw NotBuilt(what: "HookPlain", build: build)
  }

  static func executable(_ name: String, _ build: Build) throws -> URL {
    let url = try folder(build).appendingPathComponent(name)
    guard FileManager.default.isExecutableFile(atPath: url.path) else { throw NotBuilt(what: name, build: build) }
    return url
  }

  struct NotBuilt: Error, CustomStringConvertible {
    var what: String
    var build: Build
    var description: String {
      "there is no \(build.rawValue) build of \(what): "
        + (build == .debug ? "run `swift build --build-tests`" : "run `scripts/build-hook-programs`")
    }
  }

  /// What starts one of the programs, traced into `file`; without recording when that is nil. `ring`: a flight recorder.
  static func command(
    _ name: String, _ way: Way, _ build: Build, into file: URL?, ring: Bool = false
  ) throws -> (executable: URL, arguments: [String], variables: [String: String]) {
    let program = try executable(way.program, build)
    guard let file else { return (program, [name], [:]) }
    guard way.isRecorded else {
      var variables = ["OPTRACE_OUTPUT": file.path]
      if ring { variables["OPTRACE_FLIGHT_RECORDER"] = "1M" }
      return (program, [name] + (way.isInstrumentedToo ? ["instrument"] : []), variables)
    }
    let options = ring ? ["--flight-recorder", "1M"] : []
    return (
      try executable("optrace", .debug), ["record", "-o", file.path] + options + ["--", program.path, name], [:]
    )
  }

  /// Runs one of the programs to its end.
  static func run(_ name: String, _ way: Way, _ build: Build, into file: URL?) throws -> Ended {
    let (executable, arguments, variables) = try command(name, way, build, into: file)
    return try run(executable, arguments, variables)
  }

  static func environment(_ variables: [String: String]) -> [String: String] {
    var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("OPTRACE_") }
    // A crash is part of some programs: what Swift tells about it takes seconds.
    environment["SWIFT_BACKTRACE"] = "enable=no"
    return environment.merging(variables) { $1 }
  }

  /// A process that does not end is killed, so that a hang is a failure.
  private static func run(_ executable: URL, _ arguments: [String], _ variables: [String: String]) throws -> Ended {
    let scratch = try Scratch()
    let files = [scratch.file("output"), scratch.file("errors")]
    for file in files { try Data().write(to: file) }
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.environment = environment(variables)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: files[0])
    process.standardError = try FileHandle(forWritingTo: files[1])
    let over = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in over.signal() }
    try withAllSignals { try process.run() }
    if over.wait(timeout: .now() + 150) == .timedOut {
      kill(process.processIdentifier, SIGKILL)
      over.wait()
    }
    let wasKilled = process.terminationReason == .uncaughtSignal
    return Ended(
      status: process.terminationStatus + (wasKilled ? 128 : 0),
      output: String(decoding: try Data(contentsOf: files[0]), as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: files[1]), as: UTF8.self))
  }

  /// Tests run on threads that block signals, and a child takes over the mask of the thread that starts it.
  static func withAllSignals(_ body: () throws -> Void) rethrows {
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try body()
  }
}

/// A folder that goes away with its owner.
final class Scratch {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("optrace-hooks-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

  /// The traces in it, by name.
  var traces: [URL] {
    get throws {
      try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        .filter { $0.pathExtension == "optrace" }.sorted { $0.path < $1.path }
    }
  }
}
