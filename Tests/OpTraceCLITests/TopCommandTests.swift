#if os(Linux)
  import Foundation
  import OpTraceModel
  import TestSupport
  import Testing

  @testable import optrace_cli

  @Suite("optrace top", .serialized, .ownThread)
  struct TopCommandTests {
    private let folder: Scratch
    private let small: String

    init() throws {
      folder = try Scratch()
      small = try folder.write("small.txt", Array(Fixture.small.utf8))
    }

    private func parse(_ line: some StringProtocol) throws -> [String: Any] {
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    @Test("A trace whose program has ended is shown once, as it was at its end") func over() throws {
      let trace = Repository.folder.appendingPathComponent("traces/photo-import-stuck.optrace").path
      let text = try Command.run("top", trace)
      #expect(text.status == 0 && text.errors == "")
      #expect(text.output.hasPrefix("photo-import (25186) has ended  "))
      let lines = text.output.split(separator: "\n")
      #expect(lines.contains { $0.hasPrefix("error[") })
      #expect(lines.contains { $0.hasPrefix("  network ") })
      let once = try Command.run("top", "--once", trace)
      #expect(text.output == once.output + "\n")
      let json = try Command.run("top", "--json", trace)
      #expect(json.output.split(separator: "\n", omittingEmptySubsequences: false).count == 2)
      let object = try parse(json.output)
      #expect(
        Set(object.keys).isSuperset(of: [
          "version", "pid", "seconds", "queues", "executing", "requests", "loops", "actors", "memory", "findings",
        ]))
      #expect(object["version"] as? Int == 1 && object["pid"] as? Int == 25186)
      let findings = try #require(object["findings"] as? [[String: Any]])
      let doctor = try parse(try Command.run("doctor", "--json", trace).output)
      let told = try #require(doctor["findings"] as? [[String: Any]])
      #expect(findings.first?["title"] as? String == told.first?["title"] as? String)
      #expect(Set(findings.first?.keys.map { $0 } ?? []) == Set(told.first?.keys.map { $0 } ?? []))
    }

    @Test("For an ended service the requests of its last ten seconds are shown, as in `optrace requests`")
    func service() throws {
      var make = ServiceTrace()
      let id = make.connection(100)
      for second in 1...20 { make.round(second * 1_000_000, id, ["price()"], waited: 300 * second) }
      let path = try folder.write("service.txt", Array(make.text(end: 21_000_000).utf8))
      let text = try Command.run("top", "--once", path)
      #expect(
        text.output.contains(
          """

            requests  per s      p50      p99      max  mostly
            price()     1.0  4.54 ms  6.04 ms  6.04 ms  for the outside: price()

          """))
      let object = try parse(try Command.run("top", "--json", path).output)
      let kinds = try parse(try Command.run("requests", path, "--from", "11s", "--json").output)["kinds"]
      let told = try #require((object["requests"] as? [[String: Any]])?.first)
      let kind = try #require((kinds as? [[String: Any]])?.first)
      #expect(
        Set(told.keys) == [
          "name", "function", "file", "line", "count", "perSecond", "p50Seconds", "p95Seconds", "p99Seconds",
          "maxSeconds", "failed",
        ])
      for key in told.keys where key != "perSecond" { #expect("\(told[key] ?? "")" == "\(kind[key] ?? "")") }
      #expect(told["count"] as? Int == 10 && told["perSecond"] as? Double == 1)
    }

    @Test("Text, packed traces and pipes are accepted") func otherForms() throws {
      let text = try Command.run("top", "--json", small)
      #expect(text.status == 0)
      let piped = try Command.run("top", "--json", "-", input: Array(Fixture.small.utf8))
      #expect(piped == text)
      let whole = Repository.folder.appendingPathComponent("traces/tickets.optrace").path
      let packed = folder.path("tickets.optracez")
      #expect(try Command.run("pack", whole, "-o", packed).status == 0)
      #expect(try Command.run("top", packed).output == Command.run("top", whole).output)
    }

    @Test("A damaged trace is shown as far as it can be read, with status 65") func damaged() throws {
      var bytes = [UInt8](try Data(contentsOf: Repository.folder.appendingPathComponent("traces/tickets.optrace")))
      bytes.removeLast(bytes.count / 2)
      let path = try folder.write("cut.optrace", bytes)
      let result = try Command.run("top", path)
      #expect(result.status == 65)
      #expect(result.output.contains("  queue "))
      #expect(result.errors.hasPrefix("optrace: warning: '\(path)' is damaged: "))
      #expect(try Command.run("top", folder.path("none")).status == 66)
    }

    @Test("A hanging program: its queues, and a finding that two readings confirm") func hanging() throws {
      try ProcessInputTests.withRecordingProgram { number in
        let result = try Command.run("top", "--once", number)
        #expect(result.status == 0 && result.errors == "")
        #expect(result.output.hasPrefix("deadlock (\(number)) runs  "))
        #expect(result.output.contains("\nerror[dependency-cycle]: 3 operations depend on each other in a cycle\n"))
        let object = try parse(try Command.run("top", "--once", "--json", number).output)
        #expect(object["pid"] as? Int == Int(number))
        let queues = try #require(object["queues"] as? [[String: Any]])
        #expect(queues.map { $0["name"] as? String } == ["network", "account"])
        #expect(queues.map { $0["pending"] as? Int } == [2, 1])
        #expect((object["findings"] as? [[String: Any]])?.first?["code"] as? String == "dependency-cycle")
      }
    }

    /// `busy` works until its input ends.
    private func withBusyProgram(
      _ options: [String] = [], _ program: String = "busy", _ body: (RunningProgram, String) throws -> Void
    ) throws {
      let trace = folder.path("busy.optrace")
      let running = try RunningProgram(
        Command.executable, ["record"] + options + ["-o", trace, "--", RecordFolder.program, program], input: .pipe)
      defer { running.kill() }
      #expect(running.line() != nil)
      try body(running, trace)
    }

    @Test("A working program: a line per second until it has ended, and then its last state") func working() throws {
      try withBusyProgram { program, trace in
        let top = try RunningProgram(Command.executable, ["top", "--json", trace])
        var last = 0.0
        for _ in 0..<3 {
          let object = try parse(try #require(top.line()))
          let seconds = try #require(object["seconds"] as? Double)
          #expect(seconds > last)
          last = seconds
        }
        program.closeInput()
        program.end()
        // The last line shows all finished work, as for a program that ended before.
        var end = ""
        while let line = top.line() { end = line }
        #expect(top.end().status == 0)
        #expect(try Command.run("top", "--json", trace).output == end + "\n")
        let text = try Command.run("top", "--once", trace).output
        #expect(text.contains(" has ended  "))
      }
    }

    @Test("A killed program is reported as killed") func killed() throws {
      try ProcessInputTests.withRecordingProgram { number in
        let top = try RunningProgram(Command.executable, ["top", number])
        #expect(top.line()?.contains(" runs ") == true)
        kill(Int32(number) ?? 0, SIGKILL)
        var lines: [String] = []
        while let line = top.line() { lines.append(line) }
        #expect(lines.contains { $0.contains(" was killed ") })
        #expect(top.end().status == 0)
      }
    }

    @Test("A process that has called exec no longer writes its first trace", arguments: ["top", "doctor"])
    func becameAnother(command: String) throws {
      let trace = folder.path("exec.optrace")
      let program = try RunningProgram(
        Command.executable, ["record", "-o", trace, "--", RecordFolder.program, "work", "exec", "hang"])
      defer { program.kill() }
      #expect(program.line() == "worked" && program.line() == "hanging")
      let result = try Command.run(command, trace)
      #expect(result.status == 0 && result.errors == "")
      if command == "top" {
        #expect(result.output.contains(") has become another program  "))
        let next = try Command.run("top", "--once", folder.path("exec-2.optrace"))
        #expect(next.output.contains(" runs  "))
      } else {
        // The trace no longer changes, so it is read once.
        #expect(!result.output.contains("two readings"))
      }
    }

    @Test("A copy shows the state at the time of copying") func copied() throws {
      try ProcessInputTests.withRecordingProgram { number in
        let text = try Command.run("dump", number)
        #expect(try Command.run("top", "-", input: Array(text.output.utf8)).output.contains(" still ran  "))
      }
    }

    @Test("A closed pipe ends it") func closedPipe() throws {
      try ProcessInputTests.withRecordingProgram { number in
        let result = try Command.run("top", number, shell: #""$optrace" "$@" | head -1"#)
        #expect(result.output.contains(" runs "))
        #expect(result.errors == "" && result.status == 0)
      }
    }

    @Test("A trace that is truncated while it is watched ends it with a message") func shrunk() throws {
      try withBusyProgram { _, trace in
        let top = try RunningProgram(Command.executable, ["top", "--json", trace], errors: .output)
        #expect(top.line() != nil)
        #expect(truncate(trace, 2000) == 0)
        var last = ""
        while let line = top.line() { last = line }
        #expect(last == "optrace: '\(trace)' was truncated while it was watched")
        #expect(top.end().status == 65)
      }
    }

    @Test("If another program's trace replaces the file, that one is watched from then on") func replaced() throws {
      try withBusyProgram { _, trace in
        let top = try RunningProgram(Command.executable, ["top", "--json", trace])
        let first = try parse(try #require(top.line()))["pid"] as? Int
        let other = folder.path("other.optrace")
        let program = try RunningProgram(
          Command.executable, ["record", "-o", other, "--", RecordFolder.program, "busy"], input: .pipe)
        #expect(program.line() != nil)
        #expect(rename(other, trace) == 0)
        var pid = first
        while pid == first, let line = top.line() { pid = try parse(line)["pid"] as? Int }
        #expect(pid != nil && pid != first)
        program.closeInput()
        program.end()
        while top.line() != nil {}
        #expect(top.end().status == 0)
      }
    }

    @Test("A flooded ring gives no impossible counts") func flooded() throws {
      try withBusyProgram(["--flight-recorder", "1M"], "flood") { program, trace in
        let top = try RunningProgram(Command.executable, ["top", "--json", trace])
        for _ in 0..<4 {
          let object = try parse(try #require(top.line()))
          for queue in try #require(object["queues"] as? [[String: Any]]) {
            let counts = ["executing", "ready", "pending"].compactMap { queue[$0] as? Int }
            // 200 are in the queue at most, four of them begun.
            #expect(counts.count == 3 && counts.reduce(0, +) <= 201, "\(counts)")
            #expect(counts.allSatisfy { $0 >= 0 } && counts[0] <= 5)
            #expect((queue["finishedPerSecond"] as? Double ?? -1) >= 0)
          }
        }
        top.kill()
        program.closeInput()
        program.end()
        let checked = try Command.run("validate", trace)
        #expect(checked.status == 0 && checked.output.contains("ok: "), "\(checked.output)")
      }
    }

    // MARK: - In a terminal

    /// A command in a terminal, and its screen.
    private final class Screen {
      let pair: PseudoTerminal
      let program: RunningProgram
      private(set) var bytes: [UInt8] = []

      init(
        _ arguments: [String], by command: URL? = nil, columns: Int = 80, rows: Int = 24,
        environment: [String: String] = [:]
      ) throws {
        pair = try PseudoTerminal()
        pair.resize(columns: columns, rows: rows)
        program = try RunningProgram(
          try command ?? Command.executable, arguments,
          environment: RunningProgram.environment(
            adding: ["TERM": "xterm", "LANG": "C.UTF-8"].merging(environment) { $1 }),
          input: .descriptor(pair.terminal.number), output: .descriptor(pair.terminal.number),
          errors: .descriptor(pair.terminal.number))
      }

      func type(_ text: String) { pair.type(text) }

      /// Reads until a frame contains `text`. Returns the frame's lines without control sequences.
      func frame(with text: String) throws -> [String] {
        let deadline = ContinuousClock.now + .seconds(patience)
        while ContinuousClock.now < deadline {
          if let frame = frames(bytes).last(where: { $0.contains { $0.contains(text) } }) {
            bytes = []
            return frame
          }
          let isOver = !program.isRunning
          let piece = pair.readNow()
          if isOver, piece.isEmpty { break }
          bytes += piece
        }
        Issue.record("no frame has '\(text)' in it: \(frames(bytes).last ?? [])")
        return []
      }

      /// All complete frames.
      private func frames(_ bytes: [UInt8]) -> [[String]] {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.components(separatedBy: "\u{1B}[?2026h").dropFirst()
          .filter { $0.contains("\u{1B}[?2026l") }
          .map { frame in
            let lines = frame.components(separatedBy: "\u{1B}[?2026l")[0].components(separatedBy: "\u{1B}[K")
            // Each line is erased before it is drawn: erasing after a full line would remove its last column.
            #expect(lines.dropLast().allSatisfy { $0.hasSuffix(";1H") }, "what was drawn is erased")
            return lines.dropFirst().map {
              $0.replacing(#/\e\[[0-9;]*[A-Za-z]/#, with: "")
            }
          }
      }

      /// Waits for the end. Returns the status, and whether the terminal was restored.
      func end() -> (status: Int32, isRestored: Bool) {
        var rest: [UInt8] = []
        let status = program.end().status
        while case let piece = pair.readNow(), !piece.isEmpty { rest += piece }
        let text = String(decoding: bytes + rest, as: UTF8.self)
        return (status, text.hasSuffix("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"))
      }
    }

    @Test("The screen: frames, keys, resizing and the end") func keys() throws {
      try ProcessInputTests.withRecordingProgram { number in
        let screen = try Screen(["top", number])
        var frame = try screen.frame(with: " runs  ")
        #expect(frame.count == 24)
        #expect(frame.allSatisfy { terminalWidth(of: $0) <= 80 })
        frame = try screen.frame(with: "error[dependency-cycle]")
        screen.type("s")
        _ = try screen.frame(with: "by oldest")
        screen.type("/acc")
        _ = try screen.frame(with: "filter: acc_")
        screen.type("\r")
        frame = try screen.frame(with: "/acc")
        #expect(frame.contains { $0.hasPrefix("  account") } && !frame.contains { $0.hasPrefix("  network") })
        screen.type("\u{1B}")
        frame = try screen.frame(with: "  network")
        screen.type("p")
        _ = try screen.frame(with: "(paused)")
        screen.type("?")
        _ = try screen.frame(with: "q, Ctrl-C   quit")
        screen.type("x")
        _ = try screen.frame(with: "(paused)")
        screen.pair.resize(columns: 40, rows: 9)
        screen.program.signal(SIGWINCH)
        frame = try screen.frame(with: "q quit")
        #expect(frame.count == 9 && frame.allSatisfy { terminalWidth(of: $0) <= 40 })
        screen.pair.resize(columns: 20, rows: 4)
        screen.program.signal(SIGWINCH)
        frame = try screen.frame(with: "too small")
        #expect(frame == ["too small: …, 8 rows"] || frame.first?.hasPrefix("too small") == true)
        screen.type("q")
        let end = screen.end()
        #expect(end.status == 0 && end.isRestored)
      }
    }

    @Test("Keys come from the terminal if the trace comes through a pipe") func keysBesideAPipe() throws {
      let script = #"cat "$2" | "$1" top -"#
      let screen = try Screen(
        ["--ctty", "--wait", "sh", "-c", script, "sh", Command.executable.path, small],
        by: URL(fileURLWithPath: "/usr/bin/setsid"))
      _ = try screen.frame(with: "q quit")
      screen.type("s")
      _ = try screen.frame(with: "by oldest")
      screen.type("q")
      let end = screen.end()
      #expect(end.status == 0 && end.isRestored)
    }

    @Test("Every signal that ends it restores the terminal", arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    func signals(number signal: Int32) throws {
      let screen = try Screen(["top", small])
      _ = try screen.frame(with: "q quit")
      screen.program.signal(signal)
      let end = screen.end()
      #expect(end.status == 0 && end.isRestored)
    }

    @Test("Without UTF-8 and colour it is plain ASCII") func plain() throws {
      let hostile = try folder.write(
        "hostile.txt", Array(Fixture.small.replacing("\"network\"", with: "\"网络 \u{301}…\"").utf8))
      let screen = try Screen(["top", hostile], environment: ["LANG": "C", "NO_COLOR": "1"])
      let frame = try screen.frame(with: "q quit")
      #expect(frame.allSatisfy { $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } })
      screen.type("q")
      #expect(screen.end().isRestored)
    }

    @Test("A terminal without cursor movement gets lines", arguments: ["dumb", ""]) func dumb(kind: String) throws {
      let screen = try Screen(["top", small], environment: ["TERM": kind])
      var bytes: [UInt8] = []
      while case let piece = screen.pair.readNow(), !piece.isEmpty || screen.program.isRunning { bytes += piece }
      #expect(screen.program.end().status == 0)
      #expect(!bytes.contains(0x1B))
      #expect(String(decoding: bytes, as: UTF8.self).contains("  queue "))
    }

    @Test("A trace that is truncated while it is shown restores the terminal, too") func cut() throws {
      try withBusyProgram { _, trace in
        let screen = try Screen(["top", trace])
        _ = try screen.frame(with: " runs")
        #expect(truncate(trace, 2000) == 0)
        let end = screen.end()
        #expect(end.status == 65)
      }
    }
  }
#endif
