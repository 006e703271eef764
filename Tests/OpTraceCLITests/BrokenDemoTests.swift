import Foundation
import OpTraceModel
import TestSupport
import Testing

@Suite("The command demo: broken programs", .serialized, .ownThread)
struct BrokenDemoTests {
  private let folder: Scratch

  init() throws { folder = try Scratch() }

  /// The lines before the table of files, and the result.
  private func run(_ arguments: String...) throws -> (lines: [String], result: Command.Result) {
    let result = try Command.run(arguments: ["demo", "-o", folder.path("out")] + arguments)
    let lines = result.output.components(separatedBy: "\n\n").first?.split(separator: "\n").map(String.init)
    return (lines ?? [], result)
  }

  @Test("a silent hanging program is killed, its files are written, and the doctor is suggested")
  func hangs() throws {
    let (lines, result) = try run("queue-self-wait", "--timeout", "0.5")
    #expect(result.status == 0)
    #expect(result.errors == "")
    #expect(
      lines.first
        == "queue-self-wait: An operation of a serial queue waits for another one behind it in the same queue.")
    let last = try #require(lines.last)
    let ending = try #require(try /\ \ \(nothing moved for (\d+\.\d) s: killed\)/.wholeMatch(in: last))
    #expect(try #require(Double(ending.1)) >= 0.5)
    let trace = folder.path("out/queue-self-wait.optrace")
    #expect(result.output.contains("optrace doctor \(trace)\n"))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path("out")).sorted() == [
        "queue-self-wait.json", "queue-self-wait.optrace", "queue-self-wait.svg",
      ])
    let read = try TraceReader.read(path: trace)
    #expect(read.header.processName == "queue-self-wait" && !read.header.isClosed)
    #expect(read.end - read.lastEvent >= 500_000_000)
    #expect(kill(pid_t(read.header.processID), 0) == -1, "it still runs")
  }

  @Test("the fixed program ends by itself and has its own files")
  func fixed() throws {
    let (lines, result) = try run("queue-self-wait", "--fixed")
    #expect(result.status == 0)
    #expect(lines.first?.hasPrefix("queue-self-wait, without the fault: An operation ") == true)
    #expect(lines.dropFirst() == ["  The order is saved.", "  (ended by itself)"])
    let trace = try TraceReader.read(path: folder.path("out/queue-self-wait-fixed.optrace"))
    #expect(trace.header.isClosed && trace.operations.allSatisfy { $0.finished != nil })
    #expect(result.output.contains("\(folder.path("out"))/queue-self-wait-fixed.svg"))
  }

  #if os(Linux)
    @Test("a crash is reported with its signal, without a core file and without Swift's crash report")
    func crashes() throws {
      let (lines, result) = try run("finished-without-start")
      #expect(result.status == 0)
      #expect(lines.last == "  (ended by SIGSEGV)")
      #expect(!result.errors.contains("Crash"))
      #expect(try TraceReader.read(path: folder.path("out/finished-without-start.optrace")).operations.count == 4)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("out")).count == 3)
    }

    @Test("Foundation's message is shown when it stops the program")
    func traps() throws {
      let (lines, result) = try run("double-start-enqueued")
      #expect(result.status == 0)
      #expect(lines.last?.hasPrefix("  (ended by SIG") == true)
      #expect(result.errors.contains("operations finished, executing or already in a queue cannot be enqueued"))
    }

    @Test("killing the command also kills the program")
    func killed() throws {
      let out = folder.path("out")
      // The pipe stays open while the program lives, which could be silent for 600 seconds.
      let script = """
        {
          "$optrace" demo never-finished --timeout 600 -o "$1" 2>&1 > /dev/null &
          while ! "$optrace" validate "$1/never-finished.optrace" > /dev/null 2>&1; do sleep 0.1; done
          kill -9 $!
        } | timeout 60 cat
        """
      #expect(try Command.run(arguments: [out], shell: script).status == 0)
    }
  #endif

  @Test("an existing file that is not a trace is not overwritten")
  func noTrace() throws {
    try FileManager.default.createDirectory(atPath: folder.path("out"), withIntermediateDirectories: true)
    let diary = try folder.write("out/wait-cycle.optrace", Array("a diary".utf8))
    let (_, result) = try run("wait-cycle")
    #expect(result.status == 73)
    #expect(result.errors == "optrace: cannot write '\(diary)': it exists and is not a trace\n")
    #expect(try String(contentsOfFile: diary, encoding: .utf8) == "a diary")
  }
}
