import Foundation
import TestSupport
import Testing

@Suite(.ownThread) struct SignalReportTests {
  /// The last line of a report.
  private let end = "between two readings"

  @Test func printsAllQueuesWhileEverythingHangs() throws {
    let scratch = try Scratch()
    let program = try program(["quit", scratch.file().path])
    #expect(program.line() == "hanging")
    for _ in 1...2 {
      // The program continued after the first report.
      // On a busy machine some threads may not yet have reached the place at which they hang.
      var report = ""
      repeat {
        program.signal(SIGQUIT)
        report = program.errors(until: end)
      } while report.contains("apart: work continues")
      let parts = [
        "queue 'work' (limit 1): 1 executing, 1 ",
        "  executing 'outer' (#", ", waits for 'inner' (#",
        "queue 'pool' (no limit): ", "  executing 'blocked 1' (#",
        "waiting threads\n", "  the main thread waits for queue 'work' to be empty, for ",
        "error[queue-self-wait]: ", "deadlocked: ",
      ]
      for part in parts { #expect(report.contains(part), "missing: \(part)\n\(report)") }
    }
    #expect(program.isRunning)
  }

  @Test func signalBlockedOnOtherThreadsIsHandled() throws {
    let scratch = try Scratch()
    let program = try program(["quit-late", scratch.file().path])
    #expect(program.line() == "ready")
    program.signal(SIGQUIT)
    let report = program.errors(until: end)
    #expect(report.contains("queue 'held' (no limit, suspended): 1 ready\n  ready 'ready' (#1, "))
    #expect(report.contains("error[queue-suspended]: queue 'held' is suspended"))
    try program.tell("after the report\n")
    #expect(program.line() == "still here: after the report")

    // A stopped recorder has nothing to report, and the program continues.
    try program.tell("stop\n")
    #expect(program.line() == "still here: stop")
    program.signal(SIGQUIT)
    #expect(program.errors(until: "recorder was stopped").contains("optrace: the state of the queues is not known: "))
    try program.tell("once more\n")
    #expect(program.line() == "still here: once more")
  }

  @Test func installsOnceAndRestoresThePreviousHandler() throws {
    let scratch = try Scratch()
    let program = try program(["quit-remove", scratch.file().path])
    let number = SIGQUIT
    #expect(
      program.line() == "a report is already installed for signal \(number): remove it first, or use another signal")
    #expect(program.line() == "signal \(SIGKILL) cannot be handled: Invalid argument")
    #expect(program.line() == "child: \(number)")
    #expect(program.line() == "installed again")
  }
}
