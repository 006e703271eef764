import Foundation
import OpTraceModel
import Testing

/// The built command, run as people run it.
enum Command {
  struct Result: Equatable {
    var status: Int32
    var output: String
    var errors: String
  }

  /// Beside the test bundle: `swift test` has built both.
  static var executable: URL {
    get throws {
      var folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
      for _ in 0..<6 {
        let candidate = folder.appendingPathComponent("optrace")
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: candidate.path, isDirectory: &isFolder), !isFolder.boolValue {
          return candidate
        }
        folder.deleteLastPathComponent()
      }
      throw NotBuilt()
    }
  }

  struct NotBuilt: Error, CustomStringConvertible {
    var description: String { "no `optrace` beside the tests: run `swift build --product optrace`" }
  }

  /// Runs the command to its end. `shell`: a script in which `"$optrace"` is the command and `"$@"` its arguments.
  static func run(
    _ arguments: String..., input: [UInt8] = [], environment: [String: String] = [:], shell: String? = nil
  ) throws -> Result {
    try run(arguments: arguments, input: input, environment: environment, shell: shell)
  }

  static func run(
    arguments: [String], input: [UInt8] = [], environment: [String: String] = [:], shell: String? = nil
  ) throws -> Result {
    let folder = try TemporaryFolder()
    let files = ["in", "out", "errors"].map { folder.url.appendingPathComponent($0) }
    try Data(input).write(to: files[0])
    try Data().write(to: files[1])
    try Data().write(to: files[2])
    let process = Process()
    let executable = try executable
    if let shell {
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", shell, "sh"] + arguments
    } else {
      process.executableURL = executable
      process.arguments = arguments
    }
    process.environment = ProcessInfo.processInfo.environment
      .merging(environment) { $1 }.merging(["optrace": executable.path]) { $1 }
    process.standardInput = try FileHandle(forReadingFrom: files[0])
    process.standardOutput = try FileHandle(forWritingTo: files[1])
    process.standardError = try FileHandle(forWritingTo: files[2])
    try withAllSignals { try process.run() }
    process.waitUntilExit()
    let status =
      process.terminationReason == .uncaughtSignal ? 128 + process.terminationStatus : process.terminationStatus
    return Result(
      status: status, output: String(decoding: try Data(contentsOf: files[1]), as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: files[2]), as: UTF8.self))
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
final class TemporaryFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("optrace-cli-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  @discardableResult
  func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    try Data(bytes).write(to: url.appendingPathComponent(name))
    return path(name)
  }

  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
  }
}

/// Runs `body` with the process id of another program that records nothing: in the tests' own process others record.
func withSilentProcess(_ body: (Int32) throws -> Void) throws {
  let program = Process()
  program.executableURL = URL(fileURLWithPath: "/bin/sleep")
  program.arguments = ["600"]
  try program.run()
  defer {
    kill(program.processIdentifier, SIGKILL)
    program.waitUntilExit()
  }
  try body(program.processIdentifier)
}
