import Foundation
import TestSupport
import Testing

/// Commands with a process id instead of a trace.
@Suite(.ownThread) struct ProcessInputTests {
  /// Runs a program that records and hangs, and calls `body` with its process id.
  static func withRecordingProgram(_ body: (_ processID: String) throws -> Void) throws {
    let folder = try Scratch()
    let program = try RunningProgram(
      Command.executable, ["demo", "deadlock", "--timeout", "600", "-o", folder.folder.path], output: .none)
    defer { program.kill() }
    let number = String(program.processID)
    // One operation is finished. Two waits stay open: for the queue and for an operation in it.
    try eventually("it hangs", whileRunning: program) {
      let look = try Command.run("summary", number, "--json")
      return look.status == 0 && look.output.contains("\"finished\": 1,")
        && look.output.contains("\"unfinishedCount\": 2,")
    }
    try body(number)
  }

  @Test func processIDReadsTheTraceOfARunningProcess() throws {
    try Self.withRecordingProgram { number in
      let validate = try Command.run("validate", number)
      #expect(validate.status == 0)
      #expect(validate.output.hasSuffix("not closed (the process runs or was killed)\n"))
      let graph = try Command.run("graph", number, "--format", "dot")
      #expect(graph.status == 0 && graph.output.hasPrefix("digraph"))
      #expect(try Command.run("dump", number).output.hasPrefix("optrace text 1\n"))
    }
  }

  @Test func processWithoutATraceGivesAMessage() throws {
    try withSilentProcess { number in
      let result = try Command.run("summary", "\(number)")
      #expect(result.errors == "optrace: process \(number) is not being recorded\n")
      #expect(result.status == 66)
    }
  }

  @Test func unknownProcessIDGivesAMessage() throws {
    let result = try Command.run("validate", "999999999")
    #expect(
      result.errors
        == "optrace: cannot read '999999999': there is no such file, and no process with this id that you may read\n")
    #expect(result.status == 66)
  }
}
