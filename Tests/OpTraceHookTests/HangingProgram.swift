import Foundation
import OpTraceModel
import Testing

/// A program that hangs or crashes, while its trace is looked at. It does not outlive the test.
final class HangingProgram {
  let scratch: Scratch
  let file: URL
  private let process = Process()
  private let input = Pipe()

  init(_ evidence: Evidence, _ way: Way, ring: Bool = false, _ build: Build = .debug) throws {
    scratch = try Scratch()
    file = scratch.file("run.optrace")
    let command = try Programs.command(evidence.rawValue, way, build, into: file, ring: ring)
    process.executableURL = command.executable
    process.arguments = command.arguments
    process.environment = Programs.environment(command.variables)
    process.standardInput = input
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try Programs.withAllSignals { try process.run() }
  }

  deinit {
    if process.isRunning { end() }
  }

  /// Lets a program go on that reads a line.
  func go() throws { try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8)) }

  /// Reads the trace of the running program until something is in it; bounded, so that a failure is a failure and no hang.
  @discardableResult
  func follow(until isThere: (Trace) -> Bool) throws -> Trace {
    let deadline = Date(timeIntervalSinceNow: 60)
    while true {
      // Asked first: what it wrote to its end is then in the trace.
      let isRunning = process.isRunning && Date() < deadline
      if let trace = try? TraceReader.read(path: file.path), isThere(trace) { return trace }
      try #require(isRunning, "what was looked for did not come into the trace")
      usleep(5000)
    }
  }

  /// Kills it at once, and reads what it has left.
  func kill() throws -> (events: TraceEvents, trace: Trace) {
    end()
    return try left()
  }

  /// What a program has left that crashes.
  func crash() throws -> (events: TraceEvents, trace: Trace) {
    process.waitUntilExit()
    // `record` ends as its program does, with 128 and the signal's number.
    #expect(process.terminationReason == .uncaughtSignal || process.terminationStatus > 128)
    return try left()
  }

  private func left() throws -> (events: TraceEvents, trace: Trace) {
    let events = try TraceReader.events(path: file.path)
    let trace = TraceBuilder.build(events)
    #expect(!trace.header.isClosed)
    #expect(trace.loss == LossReport())
    return (events, trace)
  }

  /// The program itself, which `record` only watches; its number is in the trace.
  private func end() {
    let trace = try? TraceReader.read(path: file.path)
    Foundation.kill(trace.map { pid_t($0.header.processID) } ?? process.processIdentifier, SIGKILL)
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}

extension Trace {
  func operation(named name: String) throws -> OperationRecord {
    try #require(operations.first { $0.name == name }, "no operation called \(name)")
  }

  var barrier: OperationRecord? { operations.first { $0.isBarrier } }
  var main: ThreadID? { threads.first { $0.isMain }?.id }
}
