#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// `optrace record` in the background, which gets signals.
  private final class Recording {
    private let program: RunningProgram
    let workspace: RecordFolder

    init(_ arguments: String...) throws {
      workspace = try RecordFolder()
      program = try RunningProgram(
        Command.executable,
        ["record", "-o", workspace.folder.path("run.optrace"), try RecordFolder.program] + arguments)
    }

    func send(_ signal: Int32) { program.signal(signal) }

    /// The next line that the program prints. Nil at the end.
    func line() -> String? { program.line() }

    /// How the command ended: with a status, or by a signal.
    func end() -> String { program.end().description }
  }

  @Suite("The command record: signals", .ownThread)
  struct RecordSignalTests {
    @Test("signals to the command are passed to the program, which may handle them")
    func passedOn() throws {
      let recording = try Recording("signals")
      #expect(recording.line() == "listening")
      for number in [SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGTERM] {
        recording.send(number)
        #expect(recording.line() == "signal \(number)")
      }
      #expect(recording.line() == nil)
      #expect(recording.end() == "status 0")
      #expect(try recording.workspace.folder.names == ["run.optrace"])
    }

    @Test(
      "if a signal kills the program, the status is 128 and the signal; the command is not killed",
      arguments: [SIGINT, SIGTERM])
    func killed(number: Int32) throws {
      let recording = try Recording("hang")
      #expect(recording.line() == "hanging")
      recording.send(number)
      #expect(recording.end() == "status \(128 + number)")
    }

    @Test(
      "a second signal, as `timeout` sends it, does not stop the command's report",
      arguments: [SIGINT, SIGTERM])
    func twice(number: Int32) throws {
      let workspace = try RecordFolder()
      let report = workspace.folder.path("report.html")
      let program = try RunningProgram(
        Command.executable,
        [
          "record", "-o", workspace.folder.path("run.optrace"), "--fail-on", "error", "--report", report, "--",
          try RecordFolder.program, "cycle", "work", "hang",
        ], errors: .output)
      #expect(program.line() == "worked" && program.line() == "hanging")
      program.signal(number)
      // The program has ended, and the command has begun its report.
      #expect(program.line()?.hasPrefix("optrace: 12 operations") == true)
      program.signal(number)
      var lines: [String] = []
      while let line = program.line() { lines.append(line) }
      #expect(program.end().description == "status \(128 + number)")
      #expect(lines.contains { $0.hasPrefix("error[dependency-cycle]") })
      #expect(try workspace.folder.names == ["report.html", "run.optrace"])
    }

    @Test("a program killed by SIGKILL leaves a valid trace")
    func killedAtOnce() throws {
      let recording = try Recording("pid", "work", "hang")
      let program = try #require(recording.line().flatMap { pid_t($0) })
      #expect(recording.line() == "worked")
      #expect(recording.line() == "hanging")
      kill(program, SIGKILL)
      #expect(recording.end() == "status \(128 + SIGKILL)")
      #expect(try Command.run("validate", recording.workspace.folder.path("run.optrace")).status == 0)
    }

    @Test("without a terminal, SIGCONT to the command continues a stopped program")
    func continued() throws {
      let recording = try Recording("pid", "stop")
      let program = try #require(recording.line())
      let state = { try String(contentsOfFile: "/proc/\(program)/stat", encoding: .utf8).split(separator: " ")[2] }
      try eventually("it has stopped") { try state() == "T" }
      recording.send(SIGCONT)
      #expect(recording.line() == "continued")
      #expect(recording.end() == "status 0")
    }

    @Test("terminal signals reach the program once; the command stops and continues with it")
    func terminal() throws {
      let workspace = try RecordFolder()
      // `script` gives the shell a terminal. With job control the shell notices stopped programs.
      try workspace.folder.write(
        "job",
        Array(
          """
          set -m
          "$optrace" record -o run.optrace "$1" stop 3
          echo "stopped $?"
          fg
          echo "status $?"

          """.utf8))
      let stopped = try workspace.record(
        try RecordFolder.program, shell: #"exec timeout -s KILL 600 script -qec "sh job '$1'" /dev/null"#)
      let lines = stopped.output.split(separator: "\r\n").map(String.init)
      #expect(lines.contains("stopped \(128 + SIGSTOP)"), "\(lines)")
      #expect(lines.contains("continued"))
      #expect(lines.last == "status 3")

      // The terminal sends Ctrl-C and Ctrl-\ to the program, so the command must not pass them on.
      try workspace.folder.write(
        "typing",
        Array(
          #"""
          mkfifo keys
          script -qec "\"$optrace\" record -o keys.optrace '$1' pid signals" /dev/null < keys > typed &
          exec 9> keys
          until grep -q listening typed; do sleep 0.01; done
          printf '\003' >&9
          until grep -q 'signal 2' typed; do sleep 0.01; done
          printf '\034' >&9
          until grep -q 'signal 3' typed; do sleep 0.01; done
          kill -TERM "$(tr -d '\r' < typed | grep '^[0-9]*$' | head -1)"
          wait $!
          echo "status $?"
          tr -d '\r' < typed | grep '^[^a-z]*signal'

          """#.utf8))
      let typed = try workspace.record(try RecordFolder.program, shell: #"exec timeout -s KILL 600 sh typing "$1""#)
      #expect(
        typed.output.split(separator: "\n").map { $0.replacing(/.*signal/, with: "signal") } == [
          "status 0", "signal 2", "signal 3", "signal 15",
        ], "\(typed)")
    }
  }
#endif
