import Foundation
import OpTraceAttach
import OpTraceSnapshot
import TestSupport
import Testing

/// What the recorder is not loaded into.
@Suite(.ownThread) struct RefusalTests {
  private func trouble(_ process: UInt32, library: String? = nil) throws -> AttachTrouble? {
    let library = try library ?? Built.program("libOpTracePreload.so").path
    let scratch = try Scratch()
    do throws(AttachTrouble) {
      _ = try AttachedRecording.begin(
        in: process, library: library, folder: scratch.path(""), settings: ["OPTRACE_OUTPUT": scratch.path("t.optrace")]
      )
      return nil
    } catch {
      return error
    }
  }

  @Test("No such process") func missing() throws {
    let program = try RunningProgram(URL(fileURLWithPath: "/bin/true"))
    program.end()
    let id = UInt32(program.processID)
    #expect(try trouble(id) == .memory(.noSuchProcess(id)))
  }

  @Test("Itself") func own() throws {
    #expect(try trouble(UInt32(getpid())) == .memory(.ownProcess))
  }

  @Test("A program without Swift") func foreign() throws {
    let program = try RunningProgram(URL(fileURLWithPath: "/bin/sleep"), ["600"])
    try eventually("it sleeps") { (try? trouble(UInt32(program.processID))) == .nothingToRecord }
    program.kill()
  }

  @Test("A program that is stopped") func stopped() throws {
    let program = try RunningProgram(Built.program("AttachedProgram"), input: .pipe)
    #expect(program.line() == "ready")
    program.signal(SIGSTOP)
    try eventually("it is stopped") { (try? trouble(UInt32(program.processID))) == .stopped }
    program.signal(SIGCONT)
    try program.tell("end 4\n")
    #expect(program.end() == .exited(4))
  }

  @Test("A library that its loader does not take leaves it as it was") func unloadable() throws {
    let program = try RunningProgram(Built.program("AttachedProgram"), input: .pipe)
    #expect(program.line() == "ready")
    let scratch = try Scratch()
    try scratch.write("no-library", Array("no library".utf8))
    let path = scratch.path("no-library")
    #expect(try trouble(UInt32(program.processID), library: path) == .notLoaded("\(path): file too short"))
    try program.tell("work 1\nend 5\n")
    #expect(program.line() == "worked 3")
    #expect(program.end() == .exited(5))
  }
}
