#if os(Linux)
  import Foundation
  import OpTraceModel
  import TestSupport
  import Testing

  @Suite("The command record: --fail-on", .ownThread) struct RecordFailOnTests {
    private let workspace: RecordFolder
    private let program: String

    init() throws {
      workspace = try RecordFolder()
      program = try RecordFolder.program
    }

    @Test(
      "the status is the program's if it is not 0, else 1 if the doctor finds something",
      arguments: [
        ("work", "error", 0), ("work", "warning", 0), ("cycle", "error", 1), ("cycle", "warning", 1),
        ("barrier", "error", 0), ("barrier", "warning", 1), ("cycle 3", "error", 3), ("7", "warning", 7),
        ("cycle die", "error", 128 + SIGKILL),
      ]) func status(line: String, severity: String, expected: Int32) throws
    {
      let words = line.split(separator: " ").map(String.init)
      let result = try Command.run(
        arguments: [workspace.folder.folder.path, "-o", "run.optrace", "--fail-on", severity, program] + words,
        shell: RecordFolder.enter + #"exec "$optrace" record "$@""#)
      #expect(result.status == expected, "\(result)")
      let told = result.errors.contains("error[dependency-cycle]: 2 operations depend on each other in a cycle\n")
      #expect(told == words.contains("cycle"), "\(result.errors)")
      #expect(
        result.errors.contains("warning[barrier-on-idle-queue]") == (line == "barrier" && severity == "warning"),
        "\(result.errors)")
      if expected == 0 {
        let none = severity == "error" ? "no error" : "neither an error nor a warning"
        #expect(result.errors.contains("optrace: the doctor has \(none) in 1 trace\n"), "\(result.errors)")
      }
    }

    @Test("findings come before the suggested commands, and name their trace") func text() throws {
      let result = try workspace.record("-o", "run.optrace", "--fail-on", "error", program, "cycle")
      let errors = result.errors.replacing(/pid \d+/, with: "pid N")
      #expect(
        errors.hasPrefix("optrace: 2 operations on 1 queue in 'run.optrace'\n\nerror[dependency-cycle]: "), "\(errors)")
      let optrace = try Command.executable.path
      let end = "\noptrace: found in RecordTestProgram (pid N): \(optrace) doctor run.optrace\n"
      #expect(try errors.hasSuffix(end + RecordFolder.hints("run.optrace")), "\(errors)")
    }

    @Test("findings in any process and any run give status 1") func processes() throws {
      let child = try workspace.record(
        "-o", "run.optrace", "--fail-on", "error", "sh", "-c", #""$0" work; "$0" cycle; "$0" work; exit 0"#, program)
      #expect(child.status == 1 && child.errors.contains("error[dependency-cycle]"), "\(child)")

      func runs(_ script: String) throws -> Int32 {
        try? FileManager.default.removeItem(atPath: workspace.folder.path("count"))
        let result = try workspace.record(
          "-o", "runs.optrace", "--runs", "3", "--fail-on", "error", "sh", "-c", "echo x >>count; \(script)", program)
        #expect(result.errors.components(separatedBy: "error[dependency-cycle]").count == 2, "\(result.errors)")
        return result.status
      }
      let second = #"[ $(wc -l <count) = 2 ]"#
      #expect(try runs(#"if \#(second); then "$0" cycle; else "$0" work; fi"#) == 1)
      #expect(try runs(#"if \#(second); then "$0" cycle; else "$0" work; exit 5; fi"#) == 5)
    }

    @Test("--fail-on order fails for what may hang another time, but for what is known") func orders() throws {
      let program = try Built.program("OrderPrograms").path
      func record(_ name: String, _ options: String...) throws -> Command.Result {
        try Command.run(
          arguments: [workspace.folder.folder.path, "-o", "run.optrace", "--orders"] + options + ["--", program, name],
          shell: RecordFolder.enter + #"exec "$optrace" record "$@""#)
      }
      let found = try record("two-locks", "--fail-on", "order")
      #expect(found.status == 1 && found.errors.contains("warning[lock-order-inversion]"), "\(found)")
      let healthy = try record("gate", "--fail-on", "order")
      #expect(healthy.status == 0, "\(healthy)")
      #expect(healthy.errors.contains("the doctor has neither an error nor what may hang another time in 1 trace\n"))
      #expect(try record("two-locks", "--fail-on", "error").status == 0)

      let written = try record("two-locks", "--fail-on", "order", "--write-known", "known.txt")
      #expect(written.status == 0, "\(written)")
      let lines = try String(contentsOfFile: workspace.folder.path("known.txt"), encoding: .utf8).split(separator: "\n")
      let place = "lock in transfer(from:to:) in Latent.swift, called in closure #1 in together(_:) in Support.swift"
      #expect(
        lines.filter { !$0.hasPrefix("#") } == [
          "lock-order-inversion: \(place), then \(place); \(place), then \(place)"
        ])
      let known = try record("two-locks", "--fail-on", "order", "--known", "known.txt", "--annotations", "github")
      #expect(known.status == 0 && known.errors.contains("optrace: 1 finding is known, and left out\n"), "\(known)")
      #expect(
        !known.errors.contains("warning[lock-order-inversion]") && !known.output.contains("::warning"), "\(known)")
      let other = try record("slot-and-lock", "--fail-on", "order", "--known", "known.txt", "--annotations", "github")
      #expect(other.status == 1 && other.output.contains("::warning"), "\(other)")

      let missing = try record("gate", "--fail-on", "order", "--known", "none.txt")
      #expect(missing.status == 66 && missing.output == "", "\(missing)")
      #expect(try record("gate", "--known", "known.txt").status == 64)
      #expect(try record("gate", "--write-known", "-").status == 64)
    }

    @Test("without a recording the program's status counts, and a message says that nothing was recorded")
    func nothing() throws {
      let result = try workspace.record("--fail-on", "error", "--report", "r.html", "true")
      #expect(result.status == 0)
      #expect(result.errors.contains("optrace: nothing was recorded: "), "\(result)")
      #expect(result.errors.hasSuffix("optrace: no report is written: nothing was recorded\n"), "\(result)")
      #expect(try workspace.folder.names == [])
    }

    @Test("wrong options are refused before anything runs") func usage() throws {
      for words in [
        ["--fail-on", "note"], ["--fail-on"], ["--report", "-"], ["--report", ""], ["-o", "x", "--report", "x"],
      ] {
        let result = try Command.run(
          arguments: [workspace.folder.folder.path] + words + [program, "work"],
          shell: RecordFolder.enter + #"exec "$optrace" record "$@""#)
        #expect(result.status == 64 && result.output == "", "\(words): \(result)")
      }
      #expect(try workspace.folder.names == [])
    }
  }

  @Suite("The command record: --report", .ownThread) struct RecordPageTests {
    private let workspace: RecordFolder
    private let program: String

    init() throws {
      workspace = try RecordFolder()
      program = try RecordFolder.program
    }

    private func isPage(_ name: String) throws -> Bool {
      let text = try String(contentsOfFile: workspace.folder.path(name), encoding: .utf8)
      return text.lowercased().hasPrefix("<!doctype html>") && text.contains("RecordTestProgram")
        && text.hasSuffix("</html>\n")
    }

    @Test("a page is written for any status of the program") func page() throws {
      let result = try workspace.record("-o", "run.optrace", "--report", "r.html", program, "work", "3")
      #expect(result.status == 3, "\(result)")
      let errors = result.errors.replacing(/pid \d+/, with: "pid N")
      #expect(errors.contains("optrace: the report of RecordTestProgram (pid N) is in 'r.html'\n"), "\(errors)")
      #expect(try isPage("r.html"))
      #expect(try workspace.folder.names == ["r.html", "run.optrace"])
    }

    @Test("each process with operations gets a page, the one with most operations the first") func several() throws {
      let result = try workspace.record(
        "-o", "run.optrace", "--report", "r.html", "sh", "-c", #""$0" cycle; "$0" pid; "$0" work"#, program)
      #expect(result.status == 0)
      #expect(try workspace.folder.names.filter { $0.hasSuffix("html") } == ["r-2.html", "r.html"], "\(result)")
      let pages = result.errors.matches(of: /the report of \w+ \((pid \d+)\) is in '(\S+)'/).map { ($0.1, $0.2) }
      #expect(pages.map(\.1) == ["r.html", "r-2.html"])
      #expect(result.errors.contains("10 operations on 1 queue in 'run.\(pages[0].0.dropFirst(4)).optrace'"))
      #expect(result.errors.contains("2 operations on 1 queue in 'run.\(pages[1].0.dropFirst(4)).optrace'"))
    }

    @Test("each run gets its own page") func runs() throws {
      let result = try workspace.record("-o", "run.optrace", "--report", "r.html", "--runs", "2", program, "work")
      #expect(result.status == 0)
      #expect(try workspace.folder.names == ["r.r1.html", "r.r2.html", "run.r1.optrace", "run.r2.optrace"])
    }

    @Test("a page that cannot be written is refused before the program runs") func refused() throws {
      for path in ["none/r.html", "."] {
        let result = try workspace.record("--report", path, program, "work")
        #expect(result.status == 125 && result.output == "", "\(result)")
        #expect(result.errors.hasPrefix("optrace: cannot write '\(path)': "), "\(result.errors)")
      }
    }

    @Test("the page's name may have one character") func shortName() throws {
      let result = try workspace.record("-o", "run.optrace", "--report", "r", program, "work")
      #expect(result.status == 0)
      #expect(try workspace.folder.names == ["r", "run.optrace"])
    }

    @Test(
      "a page that cannot be written at the end gives 73 only if nothing else failed",
      arguments: [("work", 73), ("work 3", 3), ("cycle", 1)])
    func lost(words: String, status: Int32) throws {
      let result = try Command.run(
        arguments: [workspace.folder.folder.path, program] + words.split(separator: " ").map(String.init),
        shell: RecordFolder.enter
          + #"mkdir out; exec "$optrace" record -o run.optrace --fail-on error --report out/r.html sh -c 'rmdir out; exec "$0" "$@"' "$@""#
      )
      #expect(result.status == status, "\(result)")
      #expect(result.errors.contains(": cannot write 'out/r.html': there is no folder 'out'\n"), "\(result.errors)")
      #expect(try workspace.folder.names == ["run.optrace"])
    }
  }
#endif
