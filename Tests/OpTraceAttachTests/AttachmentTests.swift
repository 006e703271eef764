import Foundation
import OpTraceAttach
import OpTraceModel
import OpTraceSnapshot
import TestSupport
import Testing

/// The recorder in a program that ran already.
@Suite(.ownThread) struct AttachmentTests {
  private let scratch: Scratch
  private let library: String

  init() throws {
    scratch = try Scratch()
    library = try Built.program("libOpTracePreload.so").path
  }

  private func started() throws -> RunningProgram {
    let program = try RunningProgram(Built.program("AttachedProgram"), input: .pipe, errors: .pipe)
    #expect(program.line() == "ready")
    return program
  }

  private func begin(
    _ program: RunningProgram, _ name: String, _ settings: [String: String] = [:]
  ) throws -> AttachedRecording {
    let all = ["OPTRACE_DISPATCH": "1", "OPTRACE_TASKS": "1", "OPTRACE_OUTPUT": scratch.path(name)]
    return try AttachedRecording.begin(
      in: UInt32(program.processID), library: library, folder: scratch.path(""),
      settings: all.merging(settings) { $1 })
  }

  private func work(_ program: RunningProgram, _ count: Int, total: Int) throws {
    try program.tell("work \(count)\n")
    #expect(program.line() == "worked \(total)")
  }

  @Test("What the program does from then on is in the trace, and its output and status are as without")
  func records() throws {
    let program = try started()
    try work(program, 3, total: 18)
    let attachment = try begin(program, "run.optrace")
    #expect(attachment.trace == scratch.path("run.optrace"))
    try work(program, 4, total: 48)
    #expect(attachment.isThere)
    #expect(attachment.end() == nil)
    #expect(!attachment.isThere)
    try work(program, 2, total: 57)
    try program.tell("end 7\n")
    #expect(program.rest() == "ended\n")
    #expect(program.end() == .exited(7))
    #expect(program.errors(until: "\u{0}") == "")
    let trace = try TraceReader.read(path: attachment.trace)
    #expect(trace.header.isClosed)
    #expect(trace.loss.isComplete)
    #expect(trace.operations.count == 4)
    #expect(trace.operations.allSatisfy { $0.finished != nil })
    #expect(trace.queues.map(\.name).contains("steps"))
    #expect(trace.blocks.count == 4)
    #expect(trace.tasks.count == 4)
  }

  @Test("When it is over, it can begin again")
  func again() throws {
    let program = try started()
    for round in 1...3 {
      let attachment = try begin(program, "\(round).optrace")
      try work(program, 2, total: 9 * round)
      #expect(attachment.end() == nil)
      let trace = try TraceReader.read(path: attachment.trace)
      #expect(trace.header.isClosed)
      #expect(trace.operations.count == 2)
      #expect(trace.blocks.count == 2)
      #expect(trace.tasks.count == 2)
    }
    try program.tell("end 0\n")
    #expect(program.end() == .exited(0))
  }

  @Test("A program that ends while it is recorded ends as it would, and its trace is closed")
  func ends() throws {
    let program = try started()
    let attachment = try begin(program, "run.optrace")
    try work(program, 5, total: 45)
    try program.tell("end 9\n")
    #expect(program.end() == .exited(9))
    try eventually("the process is gone") { !attachment.isThere }
    #expect(attachment.end() == nil)
    let trace = try TraceReader.read(path: attachment.trace)
    #expect(trace.header.isClosed)
    #expect(trace.operations.count == 5)
  }

  @Test("It begins although all other threads take and give memory")
  func allocating() throws {
    let program = try started()
    try program.tell("threads 4\n")
    #expect(program.line() == "begun")
    let attachment = try begin(program, "run.optrace")
    try work(program, 3, total: 18)
    #expect(attachment.end() == nil)
    let trace = try TraceReader.read(path: attachment.trace)
    #expect(trace.operations.count == 3)
    try program.tell("end 3\n")
    #expect(program.end() == .exited(3))
  }

  @Test("A second one is refused while the first records")
  func twice() throws {
    let program = try started()
    let attachment = try begin(program, "first.optrace")
    #expect(throws: AttachTrouble.notBegun(["it is being recorded already"])) {
      try begin(program, "second.optrace")
    }
    try work(program, 1, total: 3)
    #expect(attachment.end() == nil)
    #expect(try TraceReader.read(path: attachment.trace).operations.count == 1)
  }
}
