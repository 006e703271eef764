#if os(Linux)
  import Foundation
  import OpTraceModel
  import TestSupport
  import Testing

  @testable import optrace_cli

  @Suite("The command record: --stall-timeout", .ownThread) struct RecordStallTests {
    private let workspace: RecordFolder
    private let program: String

    init() throws {
      workspace = try RecordFolder()
      program = try RecordFolder.program
    }

    /// Records with a short stall timeout, so that the tests are fast.
    private func record(_ arguments: String...) throws -> Command.Result {
      try Command.run(
        arguments: [workspace.folder.folder.path, "-o", "run.optrace", "--stall-timeout", "0.5"] + arguments,
        shell: RecordFolder.enter + #"exec "$optrace" record "$@""#)
    }

    private func isRunning(_ process: Substring) -> Bool {
      pid_t(process).flatMap { ProcessTable.entry(of: $0) }.map { !$0.isDead } ?? false
    }

    @Test("a hanging program is ended with 124; the output has the reason, the finding and all stacks")
    func hangs() throws {
      let result = try record("--report", "r.html", "--", program, "cycle", "hang")
      #expect(result.status == 124 && result.output == "hanging\n", "\(result)")
      let lines = result.errors.split(separator: "\n", omittingEmptySubsequences: false)
      let why = "2 operations depend on each other in a cycle, at main.swift:"
      #expect(lines[0].hasPrefix("optrace: 'RecordTestProgram' stalled: Stuck for "), "\(result.errors)")
      #expect(lines[0].contains(why) && lines[0].hasSuffix(". Nothing can end it."), "\(lines[0])")
      let parts = ["\nerror[dependency-cycle]: ", "\n  fix: ", "\ndeadlocked: 1 error; ", "\nmain thread (tid "]
      let places = parts.map { result.errors.range(of: $0)?.lowerBound }
      #expect(places.allSatisfy { $0 != nil } && places.compactMap(\.self) == places.compactMap(\.self).sorted())
      #expect(result.errors.contains("    RecordTestProgram_main (main.swift:"), "\(result.errors)")
      let end = "2 operations on 1 queue in 'run.optrace', not closed: it was ended when nothing moved any more\n"
      #expect(result.errors.contains("\noptrace: \(end)"), "\(result.errors)")
      #expect(try workspace.folder.names == ["r.html", "run.optrace"])
      // The trace has names of the code.
      let trace = try workspace.trace("run.optrace")
      #expect(trace.operations.count { $0.finished == nil } == 2 && trace.stacks.hasNames)
    }

    @Test("the doctor's verdict on the trace is the one that record printed, despite another threshold")
    func sameLater() throws {
      let result = try record("--", program, "lock")
      #expect(result.status == 124, "\(result)")
      let first = try #require(result.errors.split(separator: "\n").first)
      let doctor = try Command.run(arguments: ["doctor", workspace.folder.path("run.optrace"), "--json"])
      let verdict = try #require(doctor.output.firstMatch(of: /"verdict": *"([a-z]+)"/)?.1, "\(doctor)")
      #expect(
        first.contains(" stalled: Stuck for ") == ["deadlocked", "stalled"].contains(verdict),
        "\(first) \(verdict)")
      #expect(first.contains("Probably stuck for ") == (verdict == "suspected"), "\(first) \(verdict)")
      #expect(verdict != "healthy" && verdict != "warning", "\(first) \(verdict)")
    }

    @Test("child processes are ended, too, even in other process groups or if they ignore SIGTERM")
    func children() throws {
      let script = #"setsid "$0" pid deaf hang & "$0" pid hang & "$0" pid cycle hang"#
      let result = try record("--", "sh", "-c", script, program)
      #expect(result.status == 124, "\(result)")
      let processes = result.output.split(separator: "\n").filter { $0 != "hanging" }
      #expect(processes.count == 3 && !processes.contains(where: isRunning), "\(result)")
      #expect(result.errors.contains("optrace: 'RecordTestProgram' stalled: Stuck for "), "\(result)")
      // The suggested commands name the trace of the stalled process.
      let stalled = try #require(
        result.errors.firstMatch(of: #/\nRecordTestProgram \(pid (\d+)\): snapshot /#).map(\.1), "\(result.errors)")
      #expect(result.errors.contains(" doctor run.\(stalled).optrace\n"), "\(result.errors)")
    }

    @Test("a computing program is not ended, nor one that waits for a computing child")
    func computes() throws {
      let alone = try record("--", program, "compute")
      #expect(alone.status == 0 && alone.output == "computed\n", "\(alone)")
      let parent = try record("--", program, "cycle", "child", "compute")
      #expect(parent.status == 0 && parent.output == "computed\n", "\(parent)")
      #expect(!parent.errors.contains("stalled"), "\(parent.errors)")
    }

    @Test("a child that nobody could record is looked at from outside; the report and the trace are of that")
    func unrecordedChild() throws {
      let result = try record("--report", "r.html", "--", "sh", "-c", #"env -i "$0" cycle hang"#, program)
      #expect(result.status == 124 && result.output == "hanging\n", "\(result)")
      let first = try #require(result.errors.split(separator: "\n").first)
      #expect(first.hasPrefix("optrace: 'RecordTestProgram' stalled: Stuck for "), "\(first)")
      #expect(first.contains("2 operations depend on each other in a cycle"), "\(first)")
      #expect(result.errors.contains("\nSeen from outside, not recorded: "), "\(result.errors)")
      let names = try workspace.folder.names.filter { $0 != "r.html" }
      #expect(names.count == 1 && names[0].contains(#/^run\.\d+\.optrace$/#), "\(names)")
      let trace = try workspace.trace(names[0])
      #expect(trace.origin != nil && trace.stacks.hasNames)
      let page = "RecordTestProgram (pid \(trace.header.processID)) is in 'r.html'\n"
      #expect(result.errors.contains(page), "\(result.errors)")
    }

    @Test("a child that nobody could record and that only waits to be asked is not ended")
    func unrecordedIdleChild() throws {
      let result = try record("--", "sh", "-c", #"env -i "$0" idle"#, program)
      #expect(result.status == 0 && result.output == "was idle\n" && !result.errors.contains("stalled"), "\(result)")
    }

    @Test("an idle program is not ended")
    func idle() throws {
      let result = try record("--", program, "idle")
      #expect(result.status == 0 && result.output == "was idle\n" && !result.errors.contains("stalled"), "\(result)")
    }

    @Test("a stalled run counts as failed, and the next one starts")
    func runs() throws {
      let script = #"echo x >>count; if [ $(wc -l <count) = 1 ]; then exec "$0" cycle hang; fi; exec "$0" work 3"#
      let result = try record("--runs", "2", "--flight-recorder", "512K", "--", "sh", "-c", script, program)
      #expect(result.status == 124 && result.output == "hanging\nworked\n", "\(result)")
      #expect(result.errors.contains("optrace: run 2 of 2: 10 operations on 1 queue in 'run.r2.optrace'\n"))
      #expect(try workspace.folder.names == ["count", "run.r1.optrace", "run.r2.optrace"])
    }

    @Test("with --fail-on a stall still gives 124, and the finding is printed once")
    func failOn() throws {
      let result = try record("--fail-on", "error", "--", program, "cycle", "hang")
      #expect(result.status == 124, "\(result)")
      #expect(result.errors.components(separatedBy: "error[dependency-cycle]").count == 2, "\(result.errors)")
      #expect(!result.errors.contains("the doctor has"), "\(result.errors)")
    }

    @Test("annotations follow the program's output, for each finding of each trace, stalled or not")
    func annotations() throws {
      let stalled = try record("--annotations", "github", "--", program, "cycle", "hang")
      #expect(stalled.status == 124)
      let lines = stalled.output.split(separator: "\n")
      #expect(lines.count == 2 && lines.first == "hanging", "\(stalled.output)")
      let title = ",title=dependency-cycle::2 operations depend on each other in a cycle%0A"
      #expect(lines.last?.hasPrefix("::error file=") == true && lines.last?.contains(title) == true)
      #expect(lines.last?.hasSuffix("%0A'RecordTestProgram' stalled for 500 ms.") == true, "\(stalled.output)")

      let ended = try record(
        "--annotations", "github", "--", "sh", "-c", #""$0" cycle; "$0" barrier; "$0" work"#, program)
      #expect(ended.status == 0)
      let kinds = ended.output.split(separator: "\n").compactMap { $0.firstMatch(of: /^::(\w+) .*title=([\w-]+)::/) }
      #expect(
        kinds.map { "\($0.1) \($0.2)" }.filter { !$0.hasPrefix("notice") } == [
          "error dependency-cycle", "warning barrier-on-idle-queue",
        ], "\(ended.output)")
    }

    @Test("an invalid timeout is refused before anything runs")
    func usage() throws {
      for value in ["0", "-1", "abc", "5m", "nan", "inf", "", "1e3", "0x10", "1.2.3", "0.0", "9999999999"] {
        let result = try workspace.record("--stall-timeout", value, "--", program, "work")
        #expect(result.status == 64 && result.output == "", "\(value): \(result)")
        #expect(
          result.errors.hasPrefix("optrace: --stall-timeout needs a number of seconds above 0, such as 120 or 0.5"),
          "\(value): \(result.errors)")
      }
      #expect(try workspace.record("--stall-timeout").status == 64)
      #expect(try workspace.record("--annotations", "gitlab", "--", program, "work").status == 64)
      #expect(try workspace.folder.names == [])
    }
  }

  @Suite("Message about a stalled process") struct StalledProcessTests {
    private let timeout: StallTimeout

    init() throws { timeout = try #require(StallTimeout(seconds: "30")) }

    /// An operation of test `testRefund` waits for itself. `testPays` runs, too; `testShips` has ended.
    private static let lines = """
      1 t1 queue q1 limit=1 "orders"
      2 t1 span #0 id=1 "OrderTests/testRefund"
      2 t2 span #0 id=2 "OrderTests/testPays"
      2 t3 span #0 id=3 "OrderTests/testShips"
      3 t3 span-ended s3
      4 t1 created #1 class="Refund"
      4 t1 within #1 span=1
      4 t1 depends #1 on=#1
      4 t1 enqueued #1 queue=q1 priority=0
      """

    private func stalled(_ lines: String, process: String) throws -> StalledProcess {
      var typed = TypedTrace()
      (typed.process, typed.isClosed, typed.heartbeat) = (process, false, 31_000_000_000)
      let trace = TraceBuilder.build(try TraceText.parse(typed.text(lines, in: .milliseconds)))
      let reading = StallReading(InputTrace(trace: trace), now: 30_000_000_000)
      return StalledProcess("x.optrace", timeout: timeout, first: reading, last: reading)
    }

    private func start(_ lines: String, process: String) throws -> String {
      let text = try stalled(lines, process: process).text
      return String(text.prefix { $0 != "\n" })
    }

    @Test("the message names the test whose work the doctor names")
    func test() throws {
      let line = try start(Self.lines, process: "ShopTests.xctest")
      #expect(line.hasPrefix("optrace: test 'OrderTests/testRefund' stalled: Stuck for "), "\(line)")
    }

    @Test("without a proven reason the message names all running tests")
    func severalTests() throws {
      let lines = Self.lines.split(separator: "\n").filter { !$0.contains("#1") }.joined(separator: "\n")
      let line = try start(lines, process: "ShopTests.xctest")
      let tests = "tests 'OrderTests/testRefund' and 'OrderTests/testPays'"
      #expect(line.hasPrefix("optrace: \(tests) stalled for 30 s: No reason is proven"), "\(line)")
    }

    @Test("the message names the program and the span of the stalled work")
    func program() throws {
      let measured = try start(Self.lines, process: "shop")
      #expect(measured.hasPrefix("optrace: 'shop' in 'OrderTests/testRefund' stalled: "), "\(measured)")
      let lines = Self.lines.split(separator: "\n").filter { !$0.contains("span") }.joined(separator: "\n")
      let plain = try start(lines, process: "shop")
      #expect(plain.hasPrefix("optrace: 'shop' stalled: Stuck for "), "\(plain)")
    }

    @Test("names in the message cannot begin a line")
    func hostile() throws {
      let text = try stalled(
        Self.lines.replacing("OrderTests/testRefund", with: #"a\u{A}::error::b"#), process: "ShopTests.xctest"
      ).text
      #expect(!text.contains("\n::error"), "\(text)")
    }
  }
#endif
