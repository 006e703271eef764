#if os(Linux)
  import Foundation
  import OpTraceModel
  import TestSupport
  import Testing

  @Suite("The command record: files and messages at the end", .ownThread)
  struct RecordEndTests {
    private let workspace: RecordFolder
    private let program: String

    init() throws {
      workspace = try RecordFolder()
      program = try RecordFolder.program
    }

    /// The lines of standard error, with process ids replaced by N.
    private func words(_ result: Command.Result) -> [String] {
      result.errors.split(separator: "\n").map {
        String($0).replacing(/process \d+/, with: "process N").replacing(/pid \d+/, with: "pid N")
          .replacing(/run\.\d+/, with: "run.N")
      }
    }

    @Test("a program with a file size limit of 0 runs unchanged, and a message says why there is no trace")
    func fileSizeLimit() throws {
      // The output goes through pipes, as the limit also holds for the tests' output files.
      let result = try workspace.record(
        "-o", "run.optrace", program, "work", "6",
        shell: #"""
          { (ulimit -f 0; "$optrace" record "$@" 2>&1 >&3; echo "$?" >&3) | cat >&2; } 3>&1 | cat
          """#)
      #expect(result.output == "worked\n6\n")
      let why =
        "cannot reserve space for the trace '\(workspace.folder.path("run.optrace"))': File too large "
        + "(the limit of file sizes, ulimit -f, leaves no room for it)"
      #expect(
        words(result) == ["optrace: \(why); nothing is recorded", "optrace: nothing was recorded: process N: \(why)"])
      #expect(try workspace.folder.names == [])
    }

    @Test("writing messages to a file that may not grow causes no signal")
    func fileSizeLimitOfStandardError() throws {
      let result = try workspace.record(
        "-o", "run.optrace", program, "work", "6",
        shell: #"(ulimit -f 0; "$optrace" record "$@" 2>errors; echo "$?") | cat"#)
      #expect(result.output == "worked\n6\n")
    }

    @Test("a message names a child that still runs and has no trace yet")
    func leftBehind() throws {
      let result = try workspace.record(
        "-o", "run.optrace", "sh", "-c",
        #"""
        sh -c 'while ! [ -e go ]; do :; done; "$0" work; : >done' "$0" </dev/null >/dev/null 2>&1 &
        """#, program)
      try workspace.folder.write("go", [])
      #expect(result.status == 0)
      #expect(
        words(result) == [
          "optrace: nothing was recorded so far: 'sh' has ended, but process N (sh) still runs and has no trace yet: "
            + "if it starts a program, that gets its own file; a forked copy of a recorded program gets none"
        ])
      try eventually("it is over") { access(workspace.folder.path("done"), F_OK) == 0 }
      #expect(try workspace.names == ["done", "go", "run.N.optrace"])
      let name = try #require(try workspace.folder.names.last)
      #expect(try workspace.trace(name).operations.count == 10)
    }

    @Test("a message names a child that still runs and writes its trace")
    func leftRecording() throws {
      let result = try workspace.record(
        "-o", "run.optrace", "sh", "-c",
        #"""
        (exec "$0" work await go </dev/null >out 2>&1; : >done) &
        while ! [ -e out ] || ! grep -q worked out; do sleep 0.02; done
        """#, program)
      try workspace.folder.write("go", [])
      #expect(
        words(result).first
          == "optrace: 10 operations on 1 queue in 'run.N.optrace', so far: process N still runs, and writes it",
        "\(result.errors)")
      try eventually("it is over") {
        try workspace.folder.names.contains { $0.hasPrefix("run.") } && (try? recordedTrace()?.header.isClosed) == true
      }
    }

    private func recordedTrace() throws -> Trace? {
      try workspace.folder.names.first { $0.hasPrefix("run.") }.map { try workspace.trace($0) }
    }

    @Test("a program that calls _exit is not reported as killed")
    func endsAtOnce() throws {
      let result = try workspace.record("-o", "run.optrace", program, "work", "at-once")
      #expect(result.status == 0)
      #expect(
        words(result).first
          == "optrace: 10 operations on 1 queue in 'run.optrace', not closed: its process called exec or _exit")
    }

    @Test("suggested commands name a trace with operations")
    func hints() throws {
      let result = try workspace.record("-o", "run.optrace", program, "exec", "work")
      #expect(
        words(result).prefix(2) == [
          "optrace: 0 operations on 0 queues in 'run.optrace', written by RecordTestProgram (pid N), "
            + "not closed: its process called exec",
          "optrace: 10 operations on 1 queue in 'run-2.optrace', written by RecordTestProgram (pid N)",
        ])
      let optrace = try Command.executable.path
      #expect(
        words(result).dropFirst(2) == [
          "optrace: No deadlock, stall or misuse found in 10 operations.", "  \(optrace) summary run-2.optrace",
          "  \(optrace) doctor run-2.optrace", "  \(optrace) view run-2.optrace",
          "  \(optrace) report run-2.optrace -o run-2.html", "  \(optrace) graph run-2.optrace -o run-2.svg",
          "  \(optrace) timeline run-2.optrace -o run-2.json",
        ])
    }

    @Test("the doctor's answer comes before the suggested commands")
    func answer() throws {
      let result = try workspace.record("-o", "run.optrace", program, "cycle")
      let lines = words(result)
      #expect(lines.count > 2 && lines[0] == "optrace: 2 operations on 1 queue in 'run.optrace'", "\(lines)")
      #expect(lines[1].hasPrefix("optrace: Stuck for ") && lines[1].hasSuffix(" Nothing can end it."), "\(lines)")
    }

    @Test("many children are summed up, and traces without operations are removed")
    func manyChildren() throws {
      let result = try workspace.record(
        "-o", "run.optrace", "sh", "-c",
        #"for i in 1 2 3 4 5 6 7; do "$0" work; done; for i in 1 2 3; do "$0" 0; done"#, program)
      let line = "optrace: 10 operations on 1 queue in 'run.N.optrace', written by RecordTestProgram (pid N)"
      #expect(
        words(result).prefix(6)
          == [line, line, line, line, "optrace: 30 operations in 3 other files, up to 'run.N.optrace'"]
          + ["optrace: no file is kept of 3 other processes without operations or queues"])
      #expect(try workspace.names == Array(repeating: "run.N.optrace", count: 7))
    }

    // MARK: Remains

    @Test("the file of a recorder that was killed at its start is overwritten", arguments: [0, 65536])
    func remainsAreOverwritten(size: Int) throws {
      try workspace.folder.write("run.optrace", [UInt8](repeating: 0, count: size))
      #expect(try workspace.record("-o", "run.optrace", program, "work").status == 0)
      #expect(try workspace.trace("run.optrace").operations.count == 10)
      #expect(try workspace.folder.names == ["run.optrace"])
    }

    @Test(
      "the command removes the unused file if its program is killed before it recorded anything", arguments: [0, 65536])
    func remainsAreRemoved(size: Int) throws {
      let result = try workspace.record(
        "-o", "run.optrace", "sh", "-c", "head -c \(size) /dev/zero >run.optrace; kill -9 $$")
      #expect(result.status == 137)
      #expect(
        words(result) == ["optrace: nothing was recorded: process N: it was killed before it recorded anything"])
      #expect(try workspace.folder.names == [])
    }

    @Test("an empty file from before the run stays")
    func emptyFileOfOthers() throws {
      try workspace.folder.write("run.optrace", [])
      #expect(try workspace.record("-o", "run.optrace", "true").status == 0)
      #expect(try workspace.folder.names == ["run.optrace"])
    }

    // MARK: The environment

    @Test("equal calls give the program equal environments")
    func environment() throws {
      // One shell makes all calls, so that they get the same environment.
      let result = try workspace.record(
        "-o", "run.optrace", program, "environment",
        shell: #"for i in 1 2 3; do "$optrace" record "$@" >"$i"; done; cmp 1 2 && cmp 2 3 && cat 3"#)
      #expect(result.output.hasPrefix("/") && !result.output.contains("none"), "\(result)")
    }

    @Test("two equal calls at the same time write separate traces")
    func atTheSameTime() throws {
      let result = try workspace.record(
        "-o", "run.optrace", program, "work", "await", "go",
        shell: #"""
          ("$optrace" record "$@" 2>first) & one=$!
          while ! [ -e run.optrace ]; do sleep 0.02; done
          ("$optrace" record "$@" 2>second) & two=$!
          while ! [ -e run-2.optrace ]; do sleep 0.02; done
          : >go; wait $one; wait $two; head -n 1 -q first second
          """#)
      #expect(
        result.output.hasSuffix(
          "optrace: 10 operations on 1 queue in 'run.optrace'\noptrace: 10 operations on 1 queue in 'run-2.optrace'\n"),
        "\(result.output)")
    }
  }
#endif
