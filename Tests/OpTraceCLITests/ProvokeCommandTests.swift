#if os(Linux)
  import Foundation
  import OpTraceAnalysis
  import OpTraceModel
  import OpTraceOrders
  import TestSupport
  import Testing

  @testable import optrace_cli

  /// Deadlocks that have not happened yet are made to happen, by pauses at their places.
  @Suite("The command provoke", .ownThread) struct ProvokeCommandTests {
    private let folder: RecordFolder

    init() throws { folder = try RecordFolder() }

    private func run(_ command: String, _ words: [String]) throws -> Command.Result {
      try Command.run(
        arguments: [folder.folder.folder.path, command] + words, shell: RecordFolder.enter + #"exec "$optrace" "$@""#)
    }

    /// Records the program, and provokes what is found in its trace.
    private func provoke(
      _ name: String, as other: String? = nil, program: String? = nil, runs: Int = 4
    ) throws -> Command.Result {
      var line = try ["--", program ?? Built.program("OrderPrograms").path, name]
      let recorded = try run("record", ["--dispatch", "--tasks", "--orders", "-o", "run.optrace"] + line)
      #expect(recorded.status == 0, "\(recorded)")
      line[2] = other ?? name
      return try run(
        "provoke", ["run.optrace", "--runs", "\(runs)", "--stall-timeout", "4", "-o", "hung.optrace"] + line)
    }

    /// The trace of the run that hung.
    private func hung() throws -> Trace {
      let name = try #require(try folder.folder.names.first { $0.hasPrefix("hung") })
      return try folder.trace(name)
    }

    @Test(
      "what hangs is proven by the doctor, and its trace is kept",
      arguments: [
        ("two-locks", "lock-cycle"), ("three-locks", "lock-cycle"), ("two-queues", "dispatch-cycle"),
        ("slot-and-lock", "lock-cycle"), ("queue-and-lock", "lock-cycle"),
      ]) func happens(_ name: String, _ code: String) throws
    {
      let result = try provoke(name)
      #expect(result.status == 1, "\(result)")
      #expect(result.errors.contains("error[\(code)]") && result.errors.contains("optrace: finding 1 has happened: "))
      let trace = try hung()
      #expect(Diagnosis(of: trace).findings.contains { $0.code.rawValue == code && $0.severity == .error })
      // What has happened is not told as what may happen.
      #expect(!Diagnosis(of: trace).findings.contains { $0.code == "lock-order-inversion" })
      // On a full machine a side may come late, and hang at a lock that another one holds meanwhile.
      #expect(trace.marks.contains { $0.name.hasPrefix("optrace: held at side ") })
      #expect(try folder.folder.names.filter { $0.hasSuffix(".optrace") }.count == 2, "only the trace that hung")
    }

    @Test("where the doctor cannot prove who holds a lock, that all sides have met does") func readers() throws {
      let result = try provoke("writers")
      #expect(result.status == 1, "\(result)")
      #expect(result.errors.contains("all sides of a finding met, and nothing moved any more"))
      let found = Diagnosis(of: try hung()).findings.filter { $0.code == "lock-order-inversion" }
      #expect(found.count == 1 && found[0].explanation.hasPrefix("They have met: "), "\(found)")
    }

    @Test("tasks that fill the pool meet where they block it") func pool() throws {
      let result = try provoke("one-task-blocks", as: "many-tasks-block")
      #expect(result.status == 1, "\(result)")
      #expect(result.errors.contains("error[thread-pool-starvation]"))
    }

    @Test("what cannot hang is not provoked, and stays possible") func stays() throws {
      let result = try provoke("tasks-block-tasks", runs: 2)
      #expect(result.status == 0, "\(result)")
      #expect(
        result.errors.hasSuffix("optrace: finding 1 was not provoked in 2 runs; it stays possible\n"), "\(result)")
      #expect(try folder.folder.names == ["run.optrace"])
    }

    @Test("libraries that are linked into the program make no difference") func linked() throws {
      try folder.compile("OrderPrograms", as: "linked", "-static-stdlib")
      let result = try provoke("slot-and-lock", program: "./linked")
      #expect(result.status == 1 && result.errors.contains("error[lock-cycle]"), "\(result)")
    }

    @Test("a child that a script starts is found by the same places") func child() throws {
      let program = try Built.program("OrderPrograms").path
      let script = ["--", "sh", "-c", #""$0" two-locks; "$0" gate"#, program]
      _ = try run("record", ["--orders", "-o", "run.optrace"] + script)
      let names = try folder.folder.names.filter { $0.hasSuffix(".optrace") }
      let first = try #require(try names.first { !LatentDeadlock.all(in: try folder.trace($0)).isEmpty })
      let result = try run("provoke", [first, "--runs", "2", "--stall-timeout", "4", "-o", "hung.optrace"] + script)
      #expect(result.status == 1 && result.errors.contains("error[lock-cycle]"), "\(result)")
    }

    @Test("healthy programs have nothing to provoke", arguments: ["gate", "ordered-by-dependency", "one-order"])
    func healthy(_ name: String) throws {
      let result = try provoke(name)
      #expect(result.status == 0, "\(result)")
      #expect(
        result.errors == "optrace: nothing to provoke: 'run.optrace' shows nothing that may hang in another run\n")
    }

    @Test("what cannot be run again, or holds nothing to provoke, is refused with the usual statuses") func refused()
      throws
    {
      _ = try provoke("gate", runs: 1)
      let program = try Built.program("OrderPrograms").path
      try folder.folder.write("empty.optrace", [])
      try folder.folder.write(
        "cut.optrace", Array(Data(contentsOf: URL(fileURLWithPath: folder.folder.path("run.optrace")))[..<100]))
      _ = try run("record", ["-o", "plain.optrace", "--", program, "gate"])
      for (words, status, text) in [
        (["empty.optrace", "--", program], 65, "is empty"), (["cut.optrace", "--", program], 65, "damaged"),
        (["plain.optrace", "--", program], 65, "has no orders of locks: record it with 'optrace record --orders'"),
        (["none.optrace", "--", program], 66, "no such file"), (["run.optrace"], 64, "put '--' before it"),
        (["run.optrace", "--runs", "0", "--", program], 64, "--runs needs a number"),
        (["run.optrace", "--stall-timeout", "-1", "--", program], 64, "--stall-timeout needs a number"),
      ] as [([String], Int32, String)] {
        let result = try run("provoke", words)
        #expect(result.status == status && result.errors.contains(text), "\(words): \(result)")
      }
      let line = ["--", program, "two-locks"]
      _ = try run("record", ["--orders", "-o", "two.optrace"] + line)
      let gone = try run("provoke", ["two.optrace", "--", "./gone"])
      #expect(gone.status == 127 && gone.errors.contains("cannot run './gone'"), "\(gone)")
    }

    @Test("another build of the program is told, and not taken for one that does not hang") func rebuilt() throws {
      try folder.compile("OrderPrograms", as: "program", "-Xlinker --build-id=0x11111111")
      let line = ["--", "./program", "two-locks"]
      _ = try run("record", ["--orders", "-o", "run.optrace"] + line)
      try FileManager.default.removeItem(atPath: folder.folder.path("program"))
      try folder.compile("OrderPrograms", as: "program", "-Xlinker --build-id=0x22222222")
      let result = try run("provoke", ["run.optrace", "--runs", "2", "--stall-timeout", "4"] + line)
      #expect(result.status == 65 && result.errors.contains("'program' was built anew since"), "\(result)")
    }

    @Test("its cycle is drawn before it happens", arguments: ["svg", "dot"]) func picture(_ format: String) throws {
      _ = try run(
        "record",
        ["--orders", "--dispatch", "-o", "run.optrace", "--", Built.program("OrderPrograms").path, "slot-and-lock"])
      let drawn = try run("graph", ["--deadlock", "run.optrace", "-o", "picture.\(format)"])
      #expect(drawn.status == 0 && drawn.errors == "", "\(drawn)")
      let doctor = try run("doctor", ["run.optrace"])
      #expect(doctor.output.contains("provoke run.optrace -- PROGRAM") && doctor.status == 0, "\(doctor)")
      let text = try String(contentsOfFile: folder.folder.path("picture.\(format)"), encoding: .utf8)
      for part in ["May hang:", "would hang", "lock 1", "the only slot of", "Latent.swift:"] {
        #expect(text.contains(part), "\(part)")
      }
      _ = try run("record", ["--orders", "-o", "gate.optrace", "--", Built.program("OrderPrograms").path, "gate"])
      let nothing = try run("graph", ["--deadlock", "gate.optrace", "-o", "nothing.svg"])
      #expect(nothing.errors.contains("nothing is stuck"), "\(nothing)")
    }

    @Test("with swift test only the tests in question run") func filter() {
      let line = ["/usr/bin/swift", "test", "--parallel"]
      let words = TestFilter.words(line.map { RawText($0) }, line: line, tests: ["A/b()", "C/d"])
      let expected = ["/usr/bin/swift", "test", "--filter", #"A\/b\(\)"#, "--filter", #"C\/d"#, "--parallel"]
      #expect(words == expected.map { RawText($0) })
      #expect(TestFilter.words(line.map { RawText($0) }, line: line, tests: []) == nil)
      for other in [
        ["swift", "build"], ["swift", "test", "--filter", "X"], ["swift", "test", "--filter=X"], ["./tool"],
      ] {
        #expect(TestFilter.words(other.map { RawText($0) }, line: other, tests: ["A/b"]) == nil)
      }
    }
  }

  /// Pauses by chance.
  @Suite("The command shake", .ownThread) struct ShakeCommandTests {
    private let folder: RecordFolder

    init() throws { folder = try RecordFolder() }

    private func shake(_ words: [String]) throws -> Command.Result {
      try Command.run(
        arguments: [folder.folder.folder.path, "shake"] + words, shell: RecordFolder.enter + #"exec "$optrace" "$@""#)
    }

    @Test("a run that hangs ends the series, with its seed and its trace") func hangs() throws {
      let program = try Built.program("OrderPrograms").path
      let result = try shake([
        "--runs", "100", "--seed", "0", "--stall-timeout", "4", "-o", "hung.optrace", "--", program, "slot-and-lock",
      ])
      #expect(result.status == 1 && result.errors.contains("error[lock-cycle]"), "\(result)")
      #expect(result.errors.contains("optrace: it hung with --seed "))
      #expect(try folder.folder.names.count == 1, "no trace of a run that ended well")
    }

    @Test("a healthy program ends well, and each run names its seed", arguments: ["gate", "condition"])
    func healthy(_ name: String) throws {
      let program = try Built.program("OrderPrograms").path
      let result = try shake(["--runs", "3", "--seed", "40", "--stall-timeout", "20", "--", program, name])
      #expect(result.status == 0, "\(result)")
      for run in 0..<3 {
        #expect(result.errors.contains("optrace: run \(run + 1) of 3, seed \(40 + run): it ended well; "))
      }
      #expect(
        result.errors.hasSuffix("optrace: it did not hang in 3 runs\n") && result.output == "ended\nended\nended\n")
      #expect(try folder.folder.names == [])
    }

    @Test("wrong options are refused before anything runs") func usage() throws {
      for words in [[], ["--seed", "x", "true"], ["--runs", "0", "true"], ["--stall-timeout", "0", "true"], ["--x"]] {
        let result = try shake(words)
        #expect(result.status == 64 && result.errors.hasPrefix("optrace: "), "\(words): \(result)")
      }
      #expect(try shake(["./gone"]).status == 127)
    }
  }
#endif
