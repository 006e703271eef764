import Foundation
import OpTrace
import OpTraceDiagnostics
import Testing

/// A file that nobody else has; it is removed in the end.
final class Scratch {
  let file = FileManager.default.temporaryDirectory.appendingPathComponent("diagnostics-\(UUID().uuidString).optrace")
  deinit { try? FileManager.default.removeItem(at: file) }

  func recorder(_ configuration: TraceRecorder.Configuration = .streaming) throws -> TraceRecorder {
    try TraceRecorder(writingTo: file, configuration: configuration)
  }
}

/// A gate that is opened once. Waits are bounded, so that a failure is a failure and not a hang.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  func open() { semaphore.signal() }
  func wait() {
    #expect(semaphore.wait(timeout: .now() + 600) == .success, "waited in vain")
    semaphore.signal()
  }
}

/// Values that come from another thread, in order.
final class Inbox<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private let arrived = DispatchSemaphore(value: 0)
  private var values: [Value] = []

  func add(_ value: Value) {
    lock.withLock { values.append(value) }
    arrived.signal()
  }
  /// The first that was not taken yet.
  func next() throws -> Value {
    try #require(arrived.wait(timeout: .now() + 600) == .success, "nothing came")
    return lock.withLock { values.removeFirst() }
  }
  /// What came and was not taken.
  var rest: [Value] { lock.withLock { values } }
}

/// Tells when it is released.
final class Token: Sendable {
  private let gate: Gate
  init(_ gate: Gate) { self.gate = gate }
  deinit { gate.open() }
}

/// Runs the test program, which stands beside the test bundle.
final class Program {
  let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let errors = Pipe()

  init(_ arguments: [String]) throws {
    process.executableURL = try Self.url()
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    try process.run()
  }

  deinit { kill() }

  func kill() { if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) } }
  func signal(_ number: Int32) { Foundation.kill(process.processIdentifier, number) }
  func tell(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }

  private static func url() throws -> URL {
    var folders = [Bundle.main.bundleURL, URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()]
    folders += Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
    let all = folders.map { $0.appendingPathComponent("DiagnosticsTestProgram") }
    return try #require(all.first { FileManager.default.isExecutableFile(atPath: $0.path) }, "not found in \(all)")
  }

  /// The next line of its standard output; nil at the end.
  func line() -> String? { bounded { Self.line(of: output) } }

  /// What it writes to standard error, up to the first line that contains `end`.
  func report(until end: String) -> String {
    bounded {
      var lines: [String] = []
      while let line = Self.line(of: errors) {
        lines.append(line)
        if line.contains(end) { break }
      }
      return lines.joined(separator: "\n")
    }
  }

  /// The program is killed when what is waited for does not come: so the wait ends.
  private func bounded<Value>(_ body: () -> Value) -> Value {
    let isOver = DispatchSemaphore(value: 0)
    let number = process.processIdentifier
    Thread { if isOver.wait(timeout: .now() + 600) == .timedOut { Foundation.kill(number, SIGKILL) } }.start()
    defer { isOver.signal() }
    return body()
  }

  private static func line(of pipe: Pipe) -> String? {
    var bytes: [UInt8] = []
    while let byte = try? pipe.fileHandleForReading.read(upToCount: 1)?.first {
      if byte == 10 { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }
}
