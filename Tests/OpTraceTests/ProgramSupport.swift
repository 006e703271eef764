import Foundation
import Testing

/// Runs a test program, which stands beside the test bundle.
struct Program {
  let process = Process()
  private let output = Pipe()

  init(
    _ arguments: [String], of name: String = "RecorderTestProgram", environment: [String: String] = [:],
    standardErrorToo: Bool = false
  ) throws {
    process.executableURL = try Program.url(of: name)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    if standardErrorToo { process.standardError = output }
    try process.run()
  }

  static func url(of name: String = "RecorderTestProgram") throws -> URL {
    var candidates = [
      Bundle.main.bundleURL, URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent(),
    ]
    candidates += Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
    let all = candidates.map { $0.appendingPathComponent(name) }
    return try #require(all.first { FileManager.default.isExecutableFile(atPath: $0.path) }, "not found in \(all)")
  }

  /// The next line that it prints; nil at the end.
  func line() -> String? {
    var bytes: [UInt8] = []
    while let byte = try? output.fileHandleForReading.read(upToCount: 1)?.first {
      if byte == 10 { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// Runs it to its end.
  static func run(
    _ arguments: [String], of name: String = "RecorderTestProgram", environment: [String: String] = [:],
    standardErrorToo: Bool = false
  ) throws -> (status: Int32, output: String) {
    let program = try Program(arguments, of: name, environment: environment, standardErrorToo: standardErrorToo)
    let data = program.output.fileHandleForReading.readDataToEndOfFile()
    program.process.waitUntilExit()
    return (program.process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}
