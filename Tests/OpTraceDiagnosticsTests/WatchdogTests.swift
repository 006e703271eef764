import Foundation
import OpTrace
import OpTraceAnalysis
import OpTraceDiagnostics
import TestSupport
import Testing

@Suite(.ownThread) struct WatchdogTests {
  @Test(arguments: [[], ["ring"]]) func reportsOnceForEachStall(_ mode: [String]) throws {
    let scratch = try Scratch()
    let program = try program(["stalls", scratch.file().path] + mode)
    #expect(program.line() == "idle: 0")
    for (number, name) in [(2, "first"), (3, "second")] {
      #expect(program.line() == "true false")
      #expect(program.line() == "queue 'work' (limit 1): 1 executing")
      #expect(program.line() == "  executing '\(name)' (#\(number)")
      #expect(program.line() == "again: 0")
    }
    #expect(program.line() == nil)
  }

  @Test func handlerMayUseTheQueues() throws {
    let scratch = try Scratch()
    let program = try program(["handler", scratch.file().path])
    #expect(program.line() == "stalled")
    #expect(program.line() == "again: 0")
    #expect(program.line() == nil)
  }

  @Test func readsItsOwnFileEvenIfThePathWasReplaced() throws {
    let scratch = try Scratch()
    let program = try program(["deleted", scratch.file().path])
    #expect(program.line() == "deadlocked")
    #expect(program.line() == nil)
  }

  @Test func reportsWhenTheTraceCannotBeRead() throws {
    let scratch = try Scratch()
    let program = try program(["closed", scratch.file().path])
    #expect(program.line() == "hanging")
    #expect(
      program.errors(until: "optrace")
        == "optrace: the watchdog cannot read the trace: \(scratch.file().path): cannot be read: "
        + "the recorder was stopped, or the program has closed the recorder's descriptor")
  }

  @Test(arguments: [0.1, -1, .infinity, .nan]) func acceptsAnySeconds(_ seconds: Double) throws {
    let scratch = try Scratch()
    let recorder = try scratch.recorder()
    Watchdog(recorder, after: seconds) { _ in Issue.record("nothing is pending") }.cancel()
    try recorder.stop()
  }

  enum Ending: CaseIterable { case cancelled, released, recorderStopped }

  @Test(arguments: Ending.allCases) func threadEndsWithTheWatchdogOrTheRecorder(_ ending: Ending) throws {
    let scratch = try Scratch()
    let recorder = try scratch.recorder()
    let isGone = Gate()
    var watchdog: Watchdog?
    do {
      let token = Token(isGone)
      watchdog = Watchdog(recorder, after: .milliseconds(100)) { _ in withExtendedLifetime(token) {} }
    }
    switch ending {
    case .cancelled:
      watchdog?.cancel()
      watchdog?.cancel()
    case .released: watchdog = nil
    case .recorderStopped: try recorder.stop()
    }
    // The object is released in each case, so only the thread still holds the handler.
    watchdog = nil
    isGone.wait()
    try recorder.stop()
  }

  @Test(arguments: [[], ["ring"]]) func reportsAHungProgram(_ mode: [String]) throws {
    let scratch = try Scratch()
    let program = try program(["watch", scratch.file().path] + mode)
    #expect(program.line() == "hanging")
    let report = program.errors(until: "deadlocked: ")
    #expect(
      report.hasPrefix("optrace: queues of DiagnosticsTestProgram (process \(program.processID)), "))
    #expect(report.contains("error[queue-self-wait]: "))
    #expect(program.isRunning)
  }

  @Test func doesNothingInAForkedChild() throws {
    let scratch = try Scratch()
    let program = try program(["watch-fork", scratch.file().path])
    #expect(program.line() == "released in the child")
    #expect(program.line() == "child: 0")
    #expect(program.line() == "reported: deadlocked")
    #expect(program.line() == "end")
    #expect(program.line() == nil)
  }
}
