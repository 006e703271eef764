import Foundation
import OpTraceAnalysis
import OpTraceModel
import Testing

/// Does work that waits on a thread of its own: those that run tests are as many as processors, and others need them.
func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
  }
}

/// A process that runs random programs, with a folder for their traces.
///
/// Sendable: one thread at a time has it.
final class RandomProcess: @unchecked Sendable {
  let folder: URL
  private let process = Process()
  private let output = Pipe()
  private let ended = DispatchSemaphore(value: 0)
  private var rest: [UInt8] = []

  init(_ mode: String, seed: Int, count: Int) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("optrace-random-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    process.executableURL = try Self.executable()
    process.arguments = [mode, "\(seed)", "\(count)", folder.path]
    var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("OPTRACE_") }
    environment["SWIFT_BACKTRACE"] = "enable=no"
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.terminationHandler = { [ended] _ in ended.signal() }
    try process.run()
  }

  private static func executable() throws -> URL {
    let bundles = Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
    let folders = [URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()] + bundles
    let all = (folders + [Bundle.main.bundleURL]).map { $0.appendingPathComponent("RandomProgram") }
    return try #require(all.first { FileManager.default.isExecutableFile(atPath: $0.path) }, "not found in \(all)")
  }

  /// The next line that it prints; nil at its end. One that says nothing for a minute hangs, and is killed.
  func line() -> String? {
    let descriptor = output.fileHandleForReading.fileDescriptor
    while true {
      if let end = rest.firstIndex(of: 10) {
        defer { rest.removeSubrange(...end) }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      var look = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&look, 1, 60_000) > 0 else { return nil }
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = read(descriptor, &bytes, bytes.count)
      guard count > 0 else { return nil }
      rest += bytes[..<count]
    }
  }

  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    ended.wait()
  }

  func trace(_ seed: Int) -> String { folder.appendingPathComponent("\(seed).optrace").path }

  /// Only when nothing went wrong: else somebody wants to look at the traces.
  func removeTraces() { try? FileManager.default.removeItem(at: folder) }
}

extension Finding {
  var line: String { "\(severity) \(code)\(isProven ? "" : " (unproven)"): \(title)" }
}
