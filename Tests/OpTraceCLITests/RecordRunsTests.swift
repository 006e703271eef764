#if os(Linux)
  import Foundation
  import OpTraceModel
  import TestSupport
  import Testing

  @Suite("The command record: several runs", .ownThread) struct RecordRunsTests {
    private let workspace: RecordFolder
    private let program: String

    init() throws {
      workspace = try RecordFolder()
      program = try RecordFolder.program
    }

    @Test("each run has its own file and one line of output") func files() throws {
      let result = try workspace.record("-o", "run.optrace", "--runs", "3", program, "work")
      #expect(result.status == 0 && result.output == "worked\nworked\nworked\n")
      let lines = (1...3).map { "optrace: run \($0) of 3: 10 operations on 1 queue in 'run.r\($0).optrace'\n" }
      #expect(try result.errors == lines.joined() + RecordFolder.answer() + RecordFolder.hints("run.r1.optrace"))
      #expect(try workspace.folder.names == ["run.r1.optrace", "run.r2.optrace", "run.r3.optrace"])
      for name in try workspace.folder.names { #expect(try workspace.trace(name).operations.count == 10) }
    }

    @Test(
      "file names sort in the order of runs; a process id follows the run's number",
      arguments: [
        ("run.optrace", "run.r07.optrace"), ("run.%p.optrace", "run.r07.%p.optrace"), ("run", "run.r07"),
        ("%p", "%p.r07"), ("a.b/run.x", "a.b/run.x.r07"),
      ]) func names(path: String, seventh: String) throws
    {
      // The folder does not exist, so the message has the name and nothing runs.
      let result = try workspace.record("-o", "none/" + path, "--runs", "10", program, "work")
      #expect(result.status == 125 && result.errors.contains("cannot write 'none/"), "\(result)")
      #expect(result.errors.contains(seventh.replacing("r07", with: "r01")), "\(result)")
    }

    @Test("a program started by exec adds its number after the run's number") func children() throws {
      let result = try workspace.record("-o", "run.optrace", "--runs", "2", program, "exec", "work")
      #expect(result.status == 0)
      #expect(
        try workspace.folder.names == ["run.r1-2.optrace", "run.r1.optrace", "run.r2-2.optrace", "run.r2.optrace"])
    }

    @Test("the status is the first one that is not 0, and all runs take place") func status() throws {
      let result = try workspace.record(
        "-o", "run.optrace", "--runs", "4", "sh", "-c",
        #"echo x >>count; "$0" work; [ $(wc -l <count) -lt 2 ] || exit $((10 + $(wc -l <count)))"#, program)
      #expect(result.status == 12, "\(result)")
      #expect(result.output == String(repeating: "worked\n", count: 4))
    }

    @Test("after Ctrl-C there are no more runs, even if the program handles it", arguments: ["hang", "signals"])
    func interrupted(word: String) throws {
      let recording = try RunningProgram(
        Command.executable, ["record", "-o", workspace.folder.path("run.optrace"), "--runs", "3", program, word])
      #expect(recording.line() == (word == "hang" ? "hanging" : "listening"))
      for number in word == "hang" ? [SIGINT] : [SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGTERM] {
        recording.signal(number)
        if word == "signals" { #expect(recording.line() == "signal \(number)") }
      }
      #expect(recording.line() == nil)
      #expect(recording.end().description == "status \(word == "hang" ? 128 + SIGINT : 0)")
      #expect(try workspace.folder.names == ["run.r1.optrace"])
    }

    @Test("no run starts if a file of any run cannot be written") func refused() throws {
      try workspace.folder.write("run.r2.optrace", Array("mine".utf8))
      let result = try workspace.record("-o", "run.optrace", "--runs", "2", program, "work")
      #expect(result.status == 125 && result.output.isEmpty)
      #expect(result.errors.contains("'run.r2.optrace': it exists and is not a trace"), "\(result.errors)")
      for wrong in ["0", "-1", "100001", "x", "1.5", ""] {
        #expect(try workspace.record("--runs=" + wrong, program, "work").status == 64, "\(wrong)")
      }
      #expect(try workspace.folder.names == ["run.r2.optrace"])
    }
  }
#endif
