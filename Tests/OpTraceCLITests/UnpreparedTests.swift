#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// A program that hangs and knows nothing of OpTrace, started like any other.
  struct UnpreparedProgram {
    let program: RunningProgram
    var id: String { String(program.processID) }

    /// Waits until the doctor finds what it should.
    init(_ name: String, of executable: String = "HangPrograms", code: String) throws {
      let program = try RunningProgram(try Built.program(executable), [name])
      self.program = program
      try eventually("'\(name)' hangs", whileRunning: program) {
        try Self.codes(try Command.run("doctor", String(program.processID), "--json", "--stall-after", "0")) == [code]
      }
    }

    /// The codes of a report's findings without notes.
    static func codes(_ result: Command.Result) throws -> [String] {
      let report = try? JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
      let findings = report?["findings"] as? [[String: Any]] ?? []
      return findings.filter { $0["severity"] as? String != "note" }.compactMap { $0["code"] as? String }
    }
  }

  @Suite("Programs that nobody prepared", .ownThread) struct UnpreparedTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private static func report(_ result: Command.Result) throws -> [String: Any] {
      try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    }

    @Test(
      "the doctor answers for a running program as for a recorded one",
      arguments: [
        ("HangingProgram", "two-locks", "lock-cycle", "deadlocked", "2 operations wait for each other's locks"),
        ("HangPrograms", "dependency-cycle", "dependency-cycle", "deadlocked", "depend on each other in a cycle"),
        ("HangPrograms", "never-added", "orphan-dependency", "stalled", "which was never enqueued"),
        ("HangPrograms", "thirty-suspended", "queue-suspended", "stalled", "30 queues are suspended"),
        ("HangPrograms", "sync-cycle", "dispatch-cycle", "deadlocked", "wait for each other"),
        ("HangPrograms", "continuation-lost", "continuation-never-resumed", "stalled", "in lost() at Broken.swift:"),
      ])
    func running(program: String, name: String, code: String, verdict: String, says: String) throws {
      let hung = try UnpreparedProgram(name, of: program, code: code)
      let text = try Command.run("doctor", hung.id, "--stall-after", "0")
      #expect(text.status == 1 && text.errors.isEmpty, "\(text.errors)")
      #expect(text.output.hasPrefix("Stuck for ") && text.output.contains("error[\(code)]"), "\(text.output)")
      let words = text.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(words.contains("Seen from outside, not recorded: who made or resumed what is not known."))
      #expect(words.contains("No thread has run for ") || words.contains("Threads ran meanwhile"), "\(words)")
      let json = try Command.run("doctor", hung.id, "--stall-after", "0", "--json")
      let report = try Self.report(json)
      #expect(json.status == 1 && report["verdict"] as? String == verdict)
      #expect((report["answer"] as? String)?.contains(says) == true, "\(report["answer"] ?? "")")
      let origin = try #require(report["origin"] as? [String: Any])
      #expect(origin["core"] as? Bool == false && origin["leftOut"] as? [String] == [], "\(origin)")
      #expect(report["silenceSeconds"] is NSNumber)
    }

    @Test("stacks, graph, report and top take a program that nobody recorded") func others() throws {
      let hung = try UnpreparedProgram("two-locks", of: "HangingProgram", code: "lock-cycle")
      let stacks = try Command.run("stacks", hung.id)
      #expect(stacks.status == 0)
      #expect(stacks.output.hasPrefix("HangingProgram (pid \(hung.id)): seen from outside, not recorded\n"))
      #expect(stacks.output.contains("blocked, waits for a mutex 0x") && stacks.output.contains(", held by thread "))
      #expect(stacks.output.contains("transfer(from:to:) (main.swift:"), "\(stacks.output)")
      #expect(stacks.errors.hasPrefix("optrace: note: Seen from outside, not recorded: "), "\(stacks.errors)")

      let picture = folder.path("deadlock.svg")
      let graph = try Command.run("graph", "--deadlock", hung.id, "-o", picture)
      #expect(graph.status == 0, "\(graph.errors)")
      #expect(try String(contentsOfFile: picture, encoding: .utf8).contains("<svg"))

      let page = folder.path("report.html")
      #expect(try Command.run("report", hung.id, "-o", page).status == 0)
      #expect(try String(contentsOfFile: page, encoding: .utf8).contains("lock-cycle"))

      let top = try Command.run("top", "--once", hung.id)
      #expect(top.status == 0 && top.output.hasPrefix("HangingProgram (\(hung.id)) was seen from outside"), "\(top)")
      #expect(hung.program.isRunning)
    }

    @Test("a snapshot is a trace that every command reads, with the same answer") func snapshot() throws {
      let hung = try UnpreparedProgram("never-added", code: "orphan-dependency")
      let path = folder.path("hang.optrace")
      let made = try Command.run("snapshot", hung.id, "-o", path)
      #expect(made.status == 0 && made.output.hasPrefix("\(path): ") && made.output.hasSuffix(" bytes\n"))
      #expect(made.errors.hasPrefix("optrace: note: Seen from outside, not recorded: "))
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      hung.program.kill()
      let kept = try Command.run("doctor", path, "--stall-after", "0", "--json")
      #expect(kept.status == 1)
      #expect(try UnpreparedProgram.codes(kept) == ["orphan-dependency"])
      #expect(try Command.run("validate", path).status == 0)
      for arguments in [["summary"], ["stacks"], ["dump"], ["timeline", "--format", "json"], ["requests"]] {
        #expect(try Command.run(arguments: arguments + [path]).status == 0, "\(arguments)")
      }
      let anonymous = folder.path("anonymous.optracez")
      #expect(try Command.run("pack", "--anonymize", path, "-o", anonymous).status == 0)
      #expect(try Command.run("doctor", anonymous, "--stall-after", "0").output.hasPrefix("Stuck for "))
    }

    @Test("a program without Swift has threads and locks, and no verdict that all is well") func noSwift() throws {
      try withSilentProcess { id in
        let result = try Command.run("doctor", "\(id)")
        #expect(result.status == 0 && result.errors == "")
        #expect(
          result.output.hasPrefix("Whether it is stuck is not known. There is no Swift in the process"))
        let report = try Self.report(try Command.run("doctor", "\(id)", "--json"))
        #expect(report["verdict"] as? String == "unknown")
        let stacks = try Command.run("stacks", "\(id)")
        #expect(stacks.status == 0 && stacks.output.contains("1 thread: "), "\(stacks.output)")
      }
    }

    @Test("what is no process to look at gives one sentence and the status of a missing input") func noProcess() throws
    {
      let none = try Command.run("doctor", "4294967295")
      #expect(
        none
          == .init(
            status: 66, output: "",
            errors: "optrace: there is no process 4294967295: if it has crashed, name its core file\n"))
      let own = try Command.start("doctor", shell: #"exec "$optrace" doctor $$"#)
      #expect(own.status == 64 && own.errors.hasSuffix(" is this optrace itself: name another process\n"), "\(own)")
      let program = try RunningProgram(URL(fileURLWithPath: "/bin/sleep"), ["600"])
      program.signal(SIGKILL)
      // It stays a zombie until it is asked for its status.
      while program.isRunning { poll(nil, 0, 1) }
      let ended = try Command.run("doctor", "\(program.processID)")
      #expect(
        ended.status == 66 && ended.errors.contains("has ended, and only waits until its parent asks"), "\(ended)")
      program.end()
      let option = try Command.run("doctor", "4294967295", "--sysroot", "/")
      #expect(option.status == 64 && option.errors.hasPrefix("optrace: --sysroot is for core files, and "))
      let text = try folder.write("text", Array("no core".utf8))
      let other = try Command.run("snapshot", text, "-o", folder.path("x"))
      #expect(other.status == 65 && other.errors == "optrace: '\(text)' is no core file of Linux\n")
      let gone = try Command.run("snapshot", folder.path("gone"), "-o", folder.path("x"))
      #expect(gone.status == 66 && gone.errors.contains("there is no such file, and it is no process id"))
      #expect(!(try folder.names.contains("x")))
    }
  }
#endif
