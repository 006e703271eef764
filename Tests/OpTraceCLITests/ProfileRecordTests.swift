#if os(Linux)
  import Foundation
  import OpTraceModel
  import TestSupport
  import Testing

  /// The program burns 300 ms in `decodeImage` and 100 ms each in `encodeImage`, `hashImage` and `scoreImage`.
  @Suite("Recording with samples of processor time", .ownThread) struct ProfileRecordTests {
    private let workspace: RecordFolder

    init() throws { workspace = try RecordFolder() }

    private struct Figures: Decodable {
      struct Function: Decodable {
        var function: String
        var totalSeconds: Double
        var totalShare: Double
        var selfShare: Double
      }
      struct Work: Decodable {
        var kind: String
        var name: String
        var queue: String?
        var share: Double
        var functions: [Function]
      }
      var version: Int
      var rateHz: Double
      var samples: Int
      var lost: Int
      var cpuSeconds: Double?
      var sampledShare: Double?
      var functions: [Function]
      var work: [Work]

      func share(_ function: String) -> Double { functions.first { $0.function == function }?.totalShare ?? 0 }
    }

    private func figures(_ name: String, _ options: String...) throws -> Figures {
      let result = try Command.run(arguments: ["profile", "--json"] + options + [workspace.folder.path(name)])
      #expect(result.status == 0, "\(result.errors)")
      return try JSONDecoder().decode(Figures.self, from: Data(result.output.utf8))
    }

    private func record(_ options: String..., program: String? = nil) throws -> Command.Result {
      try Command.run(
        arguments: [workspace.folder.folder.path] + options
          + ["-o", "run.optrace", "--", try program ?? RecordFolder.program, "burn"],
        input: [], shell: RecordFolder.enter + #"exec "$optrace" record "$@""#)
    }

    /// The shares match the used processor time, apart from the program's start.
    private func expectShares(_ figures: Figures) {
      #expect(figures.version == 1 && figures.samples > 0)
      let burnt = ["decodeImage()", "encodeImage()", "hashImage()", "scoreImage()"].map { figures.share($0) }
      let all = burnt.reduce(0, +)
      #expect(all > 0.8, "\(figures.functions.prefix(8))")
      for (share, expected) in zip(burnt, [300, 100, 100, 100] as [Double]) {
        #expect(abs(share / all - expected / 600) < 0.1, "\(burnt)")
      }
      // On a busy machine samples may be lost. Lost samples are counted.
      let counted = Double(figures.samples + figures.lost) / figures.rateHz
      #expect(counted / (figures.cpuSeconds ?? .infinity) > 0.85, "\(figures)")
    }

    @Test("samples belong to the operation, block or task that used the time, and have its functions")
    func all() throws {
      let result = try record("--all", "--profile-rate", "499")
      #expect(result.status == 0)
      #expect(try Command.run("validate", workspace.folder.path("run.optrace")).status == 0)
      let figures = try figures("run.optrace")
      expectShares(figures)
      #expect(abs(figures.rateHz - 499) < 1)
      let operation = try #require(figures.work.first { $0.kind == "operation" })
      #expect(operation.name == "Converting" && operation.queue == "convert")
      #expect(operation.functions.contains { $0.function == "decodeImage()" })
      let block = try #require(figures.work.first { $0.kind == "block" }, "\(figures.work.map(\.name))")
      #expect(block.functions.contains { $0.function == "hashImage()" })
      #expect(!block.functions.contains { $0.function == "decodeImage()" })
      let task = try #require(figures.work.first { $0.kind == "task" }, "\(figures.work.map(\.name))")
      #expect(task.functions.contains { $0.function == "scoreImage()" })
      #expect(abs(operation.share / block.share - 4) < 1.6, "\(figures.work)")
      let trace = try workspace.trace("run.optrace")
      #expect(trace.operations.allSatisfy { $0.processorTime != nil })
    }

    @Test(
      "a flight recorder and timers give samples",
      arguments: [["--flight-recorder", "256K"], ["--profile-by", "timer"]])
    func ways(_ options: [String]) throws {
      let result = try Command.run(
        arguments: [workspace.folder.folder.path, "--profile", "--profile-rate", "500"] + options
          + ["-o", "run.optrace", "--", try RecordFolder.program, "burn"],
        input: [], shell: RecordFolder.enter + #"exec "$optrace" record "$@""#)
      #expect(result.status == 0)
      #expect(try Command.run("validate", workspace.folder.path("run.optrace")).status == 0)
      let figures = try figures("run.optrace")
      #expect(figures.samples > 0)
      #expect(figures.share("decodeImage()") > figures.share("encodeImage()"))
    }

    @Test("a program with statically linked Swift libraries gives samples")
    func linked() throws {
      try workspace.compile("RecordTestProgram", as: "linked", "-static-stdlib")
      let result = try record("--profile", "--profile-rate", "499", program: "./linked")
      #expect(result.status == 0)
      expectShares(try figures("run.optrace"))
    }

    @Test("summary, sql and whatif use the samples")
    func everywhere() throws {
      #expect(try record("--profile", "--profile-rate", "500").status == 0)
      let path = workspace.folder.path("run.optrace")
      let summary = try Command.run("summary", path).output
      #expect(summary.contains("Hot functions") && summary.contains("spin(_:_:)"), "\(summary)")
      let rows = try Command.run(
        "sql", path,
        "SELECT count(*) > 0, sum(weight) > 0, count(DISTINCT work_kind) FROM samples WHERE stack IN (SELECT stack FROM stacks WHERE function = 'decodeImage()')"
      )
      #expect(rows.output.contains("1"), "\(rows)")
      let faster = try Command.run("whatif", path, "--faster", "decodeImage()=2")
      #expect(faster.status == 0 && faster.output.contains("decodeImage()"), "\(faster)")
    }

    @Test("an invalid rate is refused", arguments: ["0", "1001", "-1", "x", ""])
    func rates(_ rate: String) throws {
      let result = try record("--profile-rate", rate)
      #expect(result.status == 64)
      #expect(result.errors.hasPrefix("optrace: --profile-rate needs a number from 1 to 1000\n"), "\(result.errors)")
    }
  }
#endif
