#if os(Linux)
  import Foundation
  import OpTraceModel
  import TestSupport
  import Testing

  @Suite("The command record: the program, its streams, its traces", .ownThread)
  struct RecordTests {
    private let workspace: RecordFolder
    private let program: String

    init() throws {
      workspace = try RecordFolder()
      program = try RecordFolder.program
    }

    @Test("an unchanged program is recorded, and the end names the trace and suggests commands")
    func report() throws {
      let result = try workspace.record("-o", "run.optrace", "--", program, "work")
      #expect(
        result == Command.Result(status: 0, output: "worked\n", errors: try RecordFolder.report("run.optrace")))
      #expect(try Command.run("validate", workspace.folder.path("run.optrace")).status == 0)
      let trace = try workspace.trace("run.optrace")
      #expect(trace.header.isClosed)
      #expect(trace.header.processName == "RecordTestProgram")
      #expect(trace.queues.map(\.name) == ["work"])
    }

    @Test("streams, arguments and the status pass through")
    func passThrough() throws {
      let copied = try workspace.record(program, "copy", "complain", "7", input: "one\ntwo\n")
      #expect(copied.status == 7)
      #expect(copied.output == "one\ntwo\n")
      #expect(copied.errors.hasPrefix("a complaint\noptrace: "))
      let words = try workspace.record("--", program, "words", "-o", "--", "--help", "", "a b", "'")
      #expect(words.output == "-o|--|--help||a b|'\n")
      #expect(words.status == 0)
    }

    @Test("arguments and variables that are not UTF-8 pass through unchanged")
    func bytes() throws {
      let result = try workspace.record(
        shell: #"""
          export WORD="$(printf '\376')"
          exec "$optrace" record -- sh -c 'printf %s "$1$WORD" | od -An -tx1' sh "$(printf 'a\377')"
          """#)
      #expect(result.output == " 61 ff fe\n")
    }

    @Test(
      "by default the trace is PROGRAM.PID.optrace in the folder of the call, even if the program changes its folder")
    func defaultName() throws {
      let result = try workspace.record(program, "folder", "pid", "work")
      let processID = try #require(result.output.split(separator: "\n").first)
      #expect(try workspace.folder.names == ["RecordTestProgram.\(processID).optrace"])
      #expect(
        result.errors.hasPrefix("optrace: 10 operations on 1 queue in 'RecordTestProgram.\(processID).optrace'\n"))
    }

    @Test("a killed program leaves its trace, and the status is 128 and the signal")
    func killed() throws {
      let result = try workspace.record("-o", "run.optrace", program, "work", "abort")
      #expect(result.status == 128 + SIGABRT)
      #expect(
        result.errors.contains(
          "optrace: 10 operations on 1 queue in 'run.optrace', not closed: signal \(SIGABRT) killed its process\n"
        ))
    }

    @Test("--open shows the trace in the browser after the end, and keeps the program's status and output")
    func open() throws {
      let note = workspace.folder.path("note")
      let browser = "#!/bin/sh\necho \"$@\" > '\(note).part'; mv '\(note).part' '\(note)'\n"
      try workspace.folder.write("browser", Array(browser.utf8))
      chmod(workspace.folder.path("browser"), 0o755)
      let script = """
        "$optrace" record "$@" & p=$!
        while kill -0 $p && ! [ -s note ]; do sleep 0.05; done
        kill -TERM $p; wait $p
        """
      let result = try workspace.record(
        "--open", "-o", "run.optrace", program, "work", "5", environment: ["BROWSER": "./browser"], shell: script)
      #expect(result.status == 5 && result.output == "worked\n")
      let address = try String(contentsOfFile: note, encoding: .utf8)
      #expect(address.hasPrefix("http://127.0.0.1:"))
      let end = "optrace: serving the report of 'run.optrace' until Ctrl-C\n\(address)"
      #expect(result.errors.hasSuffix(end), "\(result.errors)")
    }

    @Test("each child has its own file, with its process id before the ending")
    func children() throws {
      let result = try workspace.record("-o", "run.optrace", program, "child", "work", "work")
      #expect(result.status == 0)
      #expect(result.output == "worked\nworked\n")
      #expect(try workspace.names == ["run.N.optrace", "run.optrace"])
      let words = result.errors.replacing(/pid \d+/, with: "pid N").replacing(/run\.\d+/, with: "run.N")
      #expect(
        words.hasPrefix(
          """
          optrace: 10 operations on 1 queue in 'run.optrace', written by RecordTestProgram (pid N)
          optrace: 10 operations on 1 queue in 'run.N.optrace', written by RecordTestProgram (pid N)

          """), "\(words)")
      #expect(result.errors.contains(" summary run.optrace\n"))
    }

    @Test("programs that a script runs are recorded, the script is not")
    func script() throws {
      try workspace.folder.write("script", Array("#!/bin/sh\n\"$1\" work\n\"$1\" work\n".utf8))
      chmod(workspace.folder.path("script"), 0o755)
      let result = try workspace.record("-o", "run", "./script", program)
      #expect(result.output == "worked\nworked\n")
      #expect(try workspace.names == ["run.N", "run.N", "script"])
      try workspace.folder.write("plain", Array("\"$1\" work\n".utf8))
      chmod(workspace.folder.path("plain"), 0o755)
      #expect(try workspace.record("./plain", program).output == "worked\n")
    }

    @Test("%p in the file name is the process id")
    func processNumber() throws {
      let result = try workspace.record("-o", "a.%p.b", program, "pid", "work", "child", "work")
      let number = try #require(result.output.split(separator: "\n").first)
      #expect(try workspace.names == ["a.N.b", "a.N.b"])
      #expect(try workspace.folder.names.contains("a.\(number).b"))
    }

    @Test("a program started by exec gets a second file with a number")
    func exec() throws {
      let result = try workspace.record("-o", "run.optrace", program, "work", "exec", "work", "5")
      #expect(result.status == 5)
      #expect(try workspace.folder.names == ["run-2.optrace", "run.optrace"])
      #expect(!(try workspace.trace("run.optrace").header.isClosed))
      #expect(try workspace.trace("run-2.optrace").header.isClosed)
      // If the first program has no Foundation, the second one writes the first trace of the process.
      #expect(try workspace.record("-o", "env.optrace", "env", "A=B", program, "work").status == 0)
      #expect(try workspace.folder.names.contains("env.optrace"))
    }

    @Test("a program that links OpTrace is recorded once, by its own copy")
    func linked() throws {
      let linked = try Command.executable.deletingLastPathComponent().appendingPathComponent("RecorderTestProgram").path
      let result = try workspace.record("-o", "run.optrace", linked, "environment", "-")
      #expect(result.output == "recording true\n")
      #expect(try workspace.folder.names == ["run.optrace"])
      let trace = try workspace.trace("run.optrace")
      #expect(trace.operations.count == 10)
      #expect(trace.queues.map(\.name) == ["by environment"])
      #expect(try Command.run("validate", workspace.folder.path("run.optrace")).status == 0)
    }

    @Test("the command takes over a program that would record all its operations itself")
    func ownWish() throws {
      let linked = try Command.executable.deletingLastPathComponent().appendingPathComponent("RecorderTestProgram").path
      let own = workspace.folder.path("own.optrace")
      let result = try workspace.record("-o", "run.optrace", linked, "hooks-wish", own)
      #expect(result.status == 0 && result.output == "done\n")
      let names = ["own", "later"].flatMap { round in ["block", "generic", "late"].map { "\(round) \($0)" } }
      #expect(try workspace.trace("run.optrace").operations.compactMap(\.name).sorted() == names.sorted())
      #expect(try workspace.trace("own.optrace").operations.isEmpty)
    }

    @Test("--flight-recorder sets mode and size")
    func flightRecorder() throws {
      #expect(try workspace.record("--flight-recorder", "512K", "-o", "run.optrace", program, "work").status == 0)
      let header = try workspace.trace("run.optrace").header
      #expect(header.mode == .flightRecorder)
      #expect(header.capacity == 512 << 10)
    }

    @Test("without a recording a message says why, and no file stays")
    func nothing() throws {
      let result = try workspace.record("sh", "-c", "echo hi; exit 4")
      #expect(
        result
          == Command.Result(
            status: 4, output: "hi\n",
            errors: "optrace: nothing was recorded: neither 'sh' nor what it ran had Foundation when it began\n"))
      #expect(try workspace.folder.names == [])
    }

    @Test("a trace of an earlier run is replaced")
    func replaces() throws {
      for steps in [["work", "work"], ["work"]] {
        _ = try Command.run(
          arguments: [workspace.folder.folder.path, "-o", "run.optrace", program] + steps,
          shell: RecordFolder.enter + #""$optrace" record "$@""#)
      }
      #expect(try workspace.folder.names == ["run.optrace"])
      #expect(try workspace.trace("run.optrace").operations.count == 10)
    }

    @Test("no temporary file is left")
    func temporaryFiles() throws {
      for arguments in [[program, "work"], ["sh", "-c", "kill -9 $$"], ["/nowhere"]] {
        _ = try Command.run(
          arguments: ["record", "-o", workspace.folder.path("run.optrace")] + arguments,
          environment: ["TMPDIR": workspace.folder.folder.path])
        #expect(Set(try workspace.folder.names).isSubset(of: ["run.optrace"]))
      }
    }

    @Test("libraries that are already preloaded stay first")
    func preloads() throws {
      let object = try Command.executable.deletingLastPathComponent().appendingPathComponent("libOpTracePreload.so")
        .path
      let other = try #require(
        ["/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/lib64", "/usr/lib"].map { "\($0)/libm.so.6" }
          .first { FileManager.default.fileExists(atPath: $0) })
      let result = try workspace.record(
        "-o", "run.optrace", program, "preloads", "work", environment: ["LD_PRELOAD": other])
      #expect(result.output == "\(other):\(object)\nworked\n")
      #expect(try workspace.folder.names == ["run.optrace"])
      // If record runs record, the object is listed once.
      let nested = try workspace.record(
        "-o", "outer.optrace", "sh", "-c", #""$optrace" record -o inner.optrace "$0" preloads"#, program)
      #expect(nested.output == "\(object)\n")
    }

    @Test("a program with closed standard streams runs and is recorded")
    func closedStreams() throws {
      let result = try workspace.record(
        "-o", "run.optrace", program, "work", "9", shell: #"exec "$optrace" record "$@" <&- >&- 2>&-"#)
      #expect(result.status == 9)
      #expect(try Command.run("validate", workspace.folder.path("run.optrace")).status == 0)
    }

    @Test("recording keeps the program's handling of SIGPIPE")
    func closedPipe() throws {
      #expect(try workspace.record(program, "pipes").output == "default\n")
      let ignored = try workspace.record(program, "pipes", shell: #"trap '' PIPE; exec "$optrace" record "$@""#)
      #expect(ignored.output == "ignored\n")
    }
  }
#endif
