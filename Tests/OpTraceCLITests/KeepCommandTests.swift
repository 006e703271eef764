#if os(Linux)
  import Foundation
  import OpTraceModel
  import TestSupport
  import Testing

  @testable import optrace_cli

  /// The test program does what it is told on its input, so what happens while it runs is known.
  @Suite("Kept rings: record --keep-when and keep", .ownThread) struct KeepCommandTests {
    private let workspace: RecordFolder
    private let program: String

    init() throws {
      workspace = try RecordFolder()
      program = try RecordFolder.program
    }

    /// A program that is being recorded; standard error goes to the file `errors`.
    private func start(_ options: [String], _ words: [String] = ["feed"]) throws -> RunningProgram {
      let errors = workspace.folder.file("errors")
      try Data().write(to: errors)
      return try RunningProgram(
        try Command.executable,
        ["record", "--flight-recorder", "1M", "-o", "run.optrace"] + options + ["--", program] + words,
        in: workspace.folder.folder, input: .pipe, output: .pipe, errors: .file(errors))
    }

    private var errors: String { (try? String(contentsOf: workspace.folder.file("errors"), encoding: .utf8)) ?? "" }

    private var kept: [String] {
      get throws {
        try workspace.folder.names.filter { $0.contains(".kept-") && $0.hasSuffix(".optrace") && !$0.hasPrefix(".") }
      }
    }

    private func tell(_ running: RunningProgram, _ line: String) throws {
      try running.tell(line + "\n")
      _ = running.line()
    }

    private func kept(_ running: RunningProgram, _ count: Int = 1) throws -> [String] {
      try eventually("a ring is kept", whileRunning: running) { try kept.count >= count }
      return try kept
    }

    /// Ends the program; returns what `record` says at its end.
    private func finish(_ running: RunningProgram) throws -> String {
      running.closeInput()
      #expect(running.end() == .exited(0), "\(errors)")
      return errors
    }

    private func output(_ arguments: String...) throws -> String {
      let result = try Command.run(arguments: arguments)
      #expect(result.status == 0 || arguments[0] == "doctor", "\(result)")
      return result.output
    }

    @Test("a slow unit of work is kept whole, with its reason, and everything that reads it begins with that")
    func request() throws {
      let running = try start(["--keep-when", "request=1ms", "--keep-when", "request=1h"])
      try tell(running, "4 5000")
      try tell(running, "wait")
      let name = try #require(try kept(running).first)
      #expect(name.wholeMatch(of: /run\.kept-request-\d{4}-\d\d-\d\dT\d\d\.\d\d\.\d\dZ\.optrace/) != nil, "\(name)")
      let path = workspace.folder.path(name)
      // While the program runs, the copy is no trace of a running program.
      let trace = try workspace.trace(name)
      let reason = try #require(trace.header.kept?.reason)
      #expect(reason.hasPrefix("request=1ms: ") && reason.contains(" took "), "\(reason)")
      #expect(trace.operations.contains { $0.finished != nil && $0.enqueued != nil } && trace.stacks.hasNames)
      #expect(try output("validate", path).hasPrefix("ok: "))
      for command in ["summary", "doctor"] {
        let first = try #require(try output(command, path).split(separator: "\n").first)
        #expect(first.hasPrefix("Kept ") && first.hasSuffix(": \(reason)"), "\(command): \(first)")
        let json =
          try JSONSerialization.jsonObject(with: Data(try output(command, path, "--json").utf8)) as? [String: Any]
        #expect((json?["kept"] as? [String: Any])?["reason"] as? String == reason, "\(command)")
      }
      let page = workspace.folder.path("r.html")
      _ = try output("report", path, "-o", page)
      #expect(
        try String(contentsOfFile: page, encoding: .utf8).contains(
          "after the recording began, while the program ran on"))
      // The packed form and the text keep it.
      _ = try output("pack", path, "-o", workspace.folder.path("p.optracez"))
      #expect(try workspace.trace("p.optracez").header.kept == trace.header.kept)
      let text = try output("dump", path)
      #expect(text.contains("\nkept \(trace.header.kept?.time ?? 0) \"request=1ms: "))
      let said = try finish(running)
      #expect(said.hasPrefix("optrace: note: 'request=1ms' sees only operations: "), "\(said)")
      #expect(said.contains("\noptrace: kept '\(name)': \(reason)\n"), "\(said)")
      #expect(said.contains("\noptrace: 1 kept file:\n  '\(name)': \(reason)\n"), "\(said)")
    }

    @Test("p99 of a kind with ten units or more is kept, under its name") func p99() throws {
      let running = try start(["--keep-when", "p99=1ms", "--keep-when", "p99(nobody)=1ms"])
      try tell(running, "20 3000")
      try tell(running, "wait")
      let file = try #require(try kept(running).first)
      let reason = try #require(try workspace.trace(file).header.kept?.reason)
      #expect(reason.hasPrefix("p99=1ms: p99 of ") && reason.contains(" in ten seconds, "), "\(reason)")
      _ = try finish(running)
      #expect(try kept.count == 1)
    }

    @Test("a stall is kept once, with what the doctor says") func stall() throws {
      let running = try start(["--keep-when", "stall=500ms"])
      try tell(running, "hang")
      let name = try #require(try kept(running).first)
      let reason = try #require(try workspace.trace(name).header.kept?.reason)
      #expect(reason.hasPrefix("stall=500ms: ") && reason.contains("depend on each other in a cycle"), "\(reason)")
      #expect(try workspace.trace(name).snapshot != nil)
      _ = try finish(running)
      #expect(try kept == [name])
    }

    @Test("an error of the doctor is kept, once for its code") func finding() throws {
      let running = try start(["--keep-when", "finding=error"])
      try tell(running, "hang")
      let name = try #require(try kept(running).first)
      let reason = try #require(try workspace.trace(name).header.kept?.reason)
      #expect(reason.hasPrefix("finding=error: dependency-cycle: "), "\(reason)")
      _ = try finish(running)
      #expect(try kept == [name])
    }

    @Test("a program that computes is kept by cpu=, one that uses memory by rss=") func usage() throws {
      let running = try start(["--keep-when", "cpu=1%", "--keep-when", "rss=1M", "--keep-when", "rss=1T"], ["flood"])
      let names = try kept(running, 2)
      let reasons = try names.map { try workspace.trace($0).header.kept?.reason ?? "" }
      #expect(reasons[0].wholeMatch(of: /cpu=1%: \d+ % of \d+(\.\d)? processors? in ten seconds/) != nil, "\(reasons)")
      #expect(reasons[1].wholeMatch(of: /rss=1M: [\d,]+ MiB of memory in use/) != nil, "\(reasons)")
      _ = try finish(running)
      #expect(try kept == names)
    }

    @Test("nothing is kept of a healthy program") func healthy() throws {
      let running = try start(
        ["request=1h", "p99=1h", "stall=1h", "finding=warning", "cpu=100%", "rss=1T"].flatMap { ["--keep-when", $0] })
      try tell(running, "100 1000")
      try tell(running, "wait")
      let said = try finish(running)
      #expect(try kept == [] && !said.contains("kept"), "\(said)")
    }

    @Test("of too many files the oldest goes") func limit() throws {
      let running = try start(["--keep-when", "rss=1M", "--keep-when", "request=1ms", "--keep-files", "1"])
      _ = try kept(running)
      try tell(running, "2 5000")
      try tell(running, "wait")
      try eventually("the second is kept", whileRunning: running) {
        errors.components(separatedBy: "optrace: kept '").count == 3
      }
      let said = try finish(running)
      #expect(try kept.count == 1 && kept[0].contains("-request-"), "\(said)")
      #expect(said.contains("\noptrace: 1 kept file:\n"), "\(said)")
    }

    @Test("keep copies the ring of a running program, by its id or its file, also beside record --keep-when")
    func command() throws {
      let running = try start(["--keep-when", "rss=1M"])
      try tell(running, "10 0")
      try tell(running, "wait")
      _ = try kept(running)
      let id = try workspace.trace("run.optrace").header.processID
      let own = workspace.folder.path("mine.optrace")
      let result = try Command.run(arguments: ["keep", "\(id)", "-o", own, "--reason", "-it is slow"])
      #expect(result.status == 0 && result.errors == "", "\(result)")
      #expect(
        result.output.hasPrefix("kept '\(own)': ")
          && result.output.hasSuffix("bytes of process \(id) (RecordTestProgram)\n"))
      let trace = try workspace.trace("mine.optrace")
      #expect(trace.header.kept?.reason == "-it is slow" && trace.operations.count == 10 && trace.snapshot != nil)
      let second = try Command.run(arguments: ["keep", workspace.folder.path("run.optrace")])
      #expect(second.status == 0, "\(second)")
      #expect(try kept.contains { $0.wholeMatch(of: /run\.kept-\d[^a-z]*Z(-\d)?\.optrace/) != nil })
      let copy = try Command.run(arguments: ["keep", own])
      #expect(
        copy.status == 64 && copy.errors == "optrace: '\(own)' is a kept copy already: name the running program\n")
      let same = try Command.run(arguments: ["keep", "\(id)", "-o", workspace.folder.path("run.optrace")])
      #expect(same.status == 64, "\(same)")
      _ = try finish(running)
      let over = try Command.run(arguments: ["keep", workspace.folder.path("run.optrace")])
      #expect(over.status == 66 && over.errors.hasPrefix("optrace: nobody writes "), "\(over)")
    }

    @Test("each process of a run has its own ring, and its own files") func workers() throws {
      let running = try RunningProgram(
        try Command.executable,
        ["record", "--flight-recorder", "1M", "-o", "run.optrace", "--keep-when", "rss=1M", "--", "sh", "-c"]
          + [#"exec 3<&0; "$0" feed <&3 & "$0" feed <&3; wait"#, program],
        in: workspace.folder.folder, input: .pipe, output: .pipe, errors: .none)
      let names = try kept(running, 2)
      #expect(Set(try names.map { try workspace.trace($0).header.processID }).count == 2, "\(names)")
      running.closeInput()
      #expect(running.end() == .exited(0))
    }

    @Test(
      "wrong usage is refused before anything runs",
      arguments: [
        (
          ["--keep-when", "stal=5s", "--flight-recorder", "1M"],
          "--keep-when does not know 'stal='; it takes stall=5s, request=1s"
        ),
        (["--keep-when", "cpu=90", "--flight-recorder", "1M"], "--keep-when needs a percentage above 0 and up to 100"),
        (
          ["--keep-when", "-1", "--flight-recorder", "1M"], "--keep-when needs a condition with '=', and '-1' has none"
        ),
        (["--keep-when", "stall=5s"], "--keep-when keeps a flight recorder's ring: add --flight-recorder 64M"),
        (["--keep-files", "3"], "--keep-files needs --keep-when CONDITION"),
        (["--keep-bytes", "1G"], "--keep-bytes needs --keep-when CONDITION"),
        (
          ["--keep-when", "rss=2G", "--flight-recorder", "1M", "--keep-files", "0"],
          "--keep-files needs a number from 1 on"
        ),
        (
          ["--keep-when", "rss=2G", "--flight-recorder", "1M", "--keep-bytes", "many"],
          "'many' is not a size such as 512M or 4G"
        ),
        (
          ["--keep-when", "rss=2G", "--flight-recorder", "64M", "--keep-bytes", "1M"],
          "--keep-bytes has no room for one ring: give it 64M"
        ),
      ]) func wrongUsage(_ options: [String], _ message: String) throws
    {
      let result = try Command.run(
        arguments: [workspace.folder.folder.path] + options + ["--", program, "work"],
        shell: RecordFolder.enter + #"exec "$optrace" record "$@""#)
      #expect(result.status == 64 && result.output == "" && result.errors.hasPrefix("optrace: \(message)"), "\(result)")
      #expect(try workspace.folder.names == [])
    }
  }
#endif
