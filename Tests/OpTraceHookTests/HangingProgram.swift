import Foundation
import OpTraceModel
import TestSupport
import Testing

/// A program that hangs or crashes while the test reads its trace. It ends with the test.
final class HangingProgram {
  let scratch: Scratch
  let file: URL
  private let program: RunningProgram

  init(_ evidence: Evidence, _ way: Way, ring: Bool = false, _ build: Build = .debug) throws {
    scratch = try Scratch()
    file = scratch.file("run.optrace")
    let command = try Programs.command(evidence.rawValue, way, build, into: file, ring: ring)
    program = try RunningProgram(
      command.executable, command.arguments, environment: Programs.environment(command.variables), input: .pipe,
      output: .none)
  }

  /// Lets a program continue that waits for a line.
  func go() throws { try program.tell("\n") }

  /// Reads the trace of the running program until the condition holds.
  @discardableResult
  func follow(_ location: SourceLocation = #_sourceLocation, until isThere: (Trace) -> Bool) throws -> Trace {
    var found: Trace?
    try eventually("what is looked for comes into the trace", whileRunning: program, location) {
      found = (try? TraceReader.read(path: file.path)).flatMap { isThere($0) ? $0 : nil }
      return found != nil
    }
    return try #require(found)
  }

  /// Kills the program, and the command that records it, and reads the trace.
  func kill() throws -> (events: TraceEvents, trace: Trace) {
    program.kill()
    return try left()
  }

  /// The trace of a program that crashes.
  func crash() throws -> (events: TraceEvents, trace: Trace) {
    // `record` ends with 128 plus the number of the signal that ended its program.
    #expect(program.end().status > 128)
    return try left()
  }

  private func left() throws -> (events: TraceEvents, trace: Trace) {
    let events = try TraceReader.events(path: file.path)
    let trace = TraceBuilder.build(events)
    #expect(!trace.header.isClosed)
    #expect(trace.loss == LossReport())
    return (events, trace)
  }
}

extension Trace {
  func operation(named name: String) throws -> OperationRecord {
    try #require(operations.first { $0.name == name }, "no operation called \(name)")
  }

  var barrier: OperationRecord? { operations.first { $0.isBarrier } }
  var main: ThreadID? { threads.first { $0.isMain }?.id }
}
