import Foundation
import OpTraceModel
import TestSupport
import Testing

/// `optrace record --pid`, and commands that record a running program first.
@Suite(.ownThread) struct AttachCommandTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func started() throws -> RunningProgram {
    let program = try RunningProgram(Built.program("AttachedProgram"), input: .pipe, errors: .pipe)
    #expect(program.line() == "ready")
    return program
  }

  private func end(_ program: RunningProgram, status: Int32) throws {
    try program.tell("end \(status)\n")
    #expect(program.rest() == "ended\n")
    #expect(program.end() == .exited(status))
    #expect(program.errors(until: "\u{0}") == "")
  }

  @Test("A running program is recorded until Ctrl-C, readable all the time, and then goes on")
  func records() throws {
    let program = try started()
    let id = program.processID
    let path = scratch.path("run.optrace")
    let command = try RunningProgram(
      Command.executable, ["record", "--pid", "\(id)", "-o", path], output: .none, errors: .pipe)
    #expect(
      command.errors(until: "recording process")
        == "optrace: recording process \(id) (AttachedProgram) into '\(path)'; Ctrl-C ends the recording, not the program"
    )
    try program.tell("work 4\n")
    #expect(program.line() == "worked 30")
    try eventually("it is in the trace", whileRunning: program) {
      try Command.run("summary", "\(id)", "--json").output.contains("\"finished\": 4,")
    }
    #expect(try Command.run("validate", path).status == 0)
    command.signal(SIGINT)
    let told = command.errors(until: "optrace summary")
    #expect(told.contains("optrace: 4 operations on 1 queue, 4 blocks and 4 tasks"), "\(told)")
    #expect(command.end() == .exited(0))
    for name in ["validate", "summary", "doctor", "profile", "requests", "stacks"] {
      #expect(try Command.run(name, path).status == 0, "\(name)")
    }
    try program.tell("work 1\n")
    #expect(program.line() == "worked 33")
    try end(program, status: 7)
  }

  @Test("A program that is killed while it is recorded leaves what it did until then")
  func killed() throws {
    let program = try started()
    let path = scratch.path("run.optrace")
    let command = try RunningProgram(
      Command.executable, ["record", "--pid", "\(program.processID)", "-o", path], output: .none, errors: .pipe)
    _ = command.errors(until: "recording process")
    try program.tell("work 2\n")
    #expect(program.line() == "worked 9")
    program.kill()
    let told = command.errors(until: "optrace summary")
    // A program that is slow on a loaded machine has samples, too.
    #expect(told.contains("optrace: 2 operations on 1 queue, 2 blocks and 2 tasks"), "\(told)")
    #expect(told.contains(" in '\(path)', not closed: its process was killed, called exec or _exit\n"), "\(told)")
    #expect(command.end() == .exited(0))
  }

  @Test("With --for it ends by itself")
  func ends() throws {
    let program = try started()
    let path = scratch.path("run.optrace")
    let result = try Command.run("record", "--pid", "\(program.processID)", "--for", "10ms", "-o", path)
    #expect(result.status == 0)
    #expect(try TraceReader.read(path: path).header.isClosed)
    try end(program, status: 3)
  }

  @Test(
    "profile, requests and top record a program that nobody records, and leave no file",
    arguments: [
      ["profile"], ["requests"], ["top", "--json"],
    ])
  func recordsFirst(_ words: [String]) throws {
    let program = try started()
    let id = "\(program.processID)"
    let result = try Command.start(
      arguments: words + [id, "--for", "10ms"], environment: ["TMPDIR": scratch.folder.path])
    #expect(result.status == 0, "\(result.errors)")
    #expect(try scratch.names == [])
    try end(program, status: 0)
  }

  @Test("What cannot be recorded is said, with what to do")
  func refusals() throws {
    let none = try Command.run("record", "--pid", "999999999")
    #expect(none.status == 66)
    #expect(none.errors == "optrace: there is no process 999999999: if it has crashed, name its core file\n")
    try withSilentProcess { id in
      let foreign = try Command.run("record", "--pid", "\(id)", "-o", scratch.path("t.optrace"))
      #expect(foreign.status == 125)
      #expect(
        foreign.errors == "optrace: process \(id) is not recorded: it has none of Swift's libraries, nor libdispatch\n")
    }
    try ProcessInputTests.withRecordingProgram { id in
      let recorded = try Command.run("record", "--pid", id, "-o", scratch.path("t.optrace"))
      #expect(recorded.status == 125)
      #expect(recorded.errors.hasPrefix("optrace: process \(id) is not recorded: it is being recorded already, into '"))
    }
    #expect(try scratch.names == [])
  }

  @Test("Wrong words")
  func usage() throws {
    for (words, message) in [
      (["--pid", "1", "--", "program"], "--pid names a program that runs already: omit '--'"),
      (["--for", "1s", "program"], "--for needs --pid"),
      (["--pid", "1", "--for", "0s"], "--for needs a time above 0, such as 30s"),
      (
        ["--pid", "1", "--runs", "2"], "--runs is for a program that 'optrace record' starts itself: omit it, or --pid"
      ),
    ] {
      let result = try Command.run(arguments: ["record"] + words)
      #expect(result.status == 64)
      #expect(result.errors.hasPrefix("optrace: \(message)\n"), "\(result.errors)")
    }
  }
}
