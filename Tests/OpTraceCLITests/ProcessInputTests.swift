import Foundation
import TestSupport
import Testing

/// A process id in the place of a trace.
@Suite(.ownThread) struct ProcessInputTests {
  /// Runs a program that records for a while, and hands over its number once it has begun.
  static func withRecordingProgram(_ body: (_ processID: String) throws -> Void) throws {
    let folder = try Scratch()
    let program = try RunningProgram(
      Command.executable, ["demo", "deadlock", "--timeout", "600", "-o", folder.folder.path], output: .none)
    defer { program.kill() }
    let number = String(program.processID)
    // One operation is over, and its wait too; a thread waits for ever for the queue and for an operation in it.
    try eventually("it hangs", whileRunning: program) {
      let look = try Command.run("summary", number, "--json")
      return look.status == 0 && look.output.contains("\"finished\": 1,")
        && look.output.contains("\"unfinishedCount\": 2,")
    }
    try body(number)
  }

  @Test func runningProcessIsReadThroughItsNumber() throws {
    try Self.withRecordingProgram { number in
      let validate = try Command.run("validate", number)
      #expect(validate.status == 0)
      #expect(validate.output.hasSuffix("not closed (the process runs or was killed)\n"))
      let graph = try Command.run("graph", number, "--format", "dot")
      #expect(graph.status == 0 && graph.output.hasPrefix("digraph"))
      #expect(try Command.run("dump", number).output.hasPrefix("optrace text 1\n"))
    }
  }

  @Test func processWithoutATraceSaysSo() throws {
    try withSilentProcess { number in
      let result = try Command.run("summary", "\(number)")
      #expect(result.errors == "optrace: process \(number) is not being recorded\n")
      #expect(result.status == 66)
    }
  }

  @Test func numberOfNoProcessSaysSo() throws {
    let result = try Command.run("validate", "999999999")
    #expect(
      result.errors
        == "optrace: cannot read '999999999': there is no such file, and no process with this id that you may read\n")
    #expect(result.status == 66)
  }
}
