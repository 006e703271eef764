import Foundation
import TestSupport
import Testing

#if os(Linux)
  /// Programs that the doctor reads twice while they run.
  @Suite("optrace doctor of a running program", .serialized, .ownThread)
  struct DoctorLiveTests {
    @Test("a hanging program gives the error, and nothing moves between two readings")
    func hanging() throws {
      try ProcessInputTests.withRecordingProgram { number in
        let result = try Command.run("doctor", number)
        #expect(result.status == 1)
        #expect(result.output.contains("error[dependency-cycle]: 3 operations depend on each other in a cycle"))
        #expect(result.output.contains("\nNothing moved between two readings "))
        #expect(result.output.contains(" graph --deadlock \(number) -o deadlock.svg\n"))
        #expect(result.errors == "")
        let json = try Command.run("doctor", number, "--json").output
        let document = try JSONSerialization.jsonObject(with: Data(json.utf8))
        #expect(
          JSONPaths.of(document).isSuperset(
            of: JSONPaths.group(
              ".live",
              "looksApartSeconds:number moved:number operationsAdded:number operationsStarted:number "
                + "operationsFinished:number")))
        #expect(json.contains("\"moved\": false"))
      }
    }

    @Test("a working program gives no error, and the work between two readings; an ended one is read once")
    func working() throws {
      let folder = try Scratch()
      let trace = folder.path("busy.optrace")
      let program = try RunningProgram(
        Command.executable, ["record", "-o", trace, "--", RecordFolder.program, "busy"], input: .pipe)
      // The program prints a line when it begins.
      #expect(program.line() != nil)
      let result = try Command.run("doctor", trace)
      #expect(result.status == 0, "\(result.output)\(result.errors)")
      #expect(result.output.contains("No deadlock, stall or misuse found in "))
      let words = result.output.replacing("\n", with: " ")
      #expect(words.contains(" finished between two readings ") && words.contains(": work continues. "))
      program.closeInput()
      program.end()
      let after = try Command.run("doctor", trace)
      #expect(after.status == 0)
      #expect(!after.output.contains("two readings"))
    }

    @Test("a killed program's trace is read once, as its process id may be reused")
    func killed() throws {
      let folder = try Scratch()
      let trace = folder.path("deadlock.optrace")
      let program = try RunningProgram(
        Command.executable, ["demo", "deadlock", "--timeout", "600", "-o", folder.folder.path], output: .none)
      try eventually("its first operation is over", whileRunning: program) {
        try Command.run("summary", trace, "--json").output.contains("\"finished\": 1,")
      }
      program.kill()
      let result = try Command.run("doctor", trace)
      #expect(result.status == 1)
      #expect(!result.output.contains("two readings"))
    }
  }
#endif
