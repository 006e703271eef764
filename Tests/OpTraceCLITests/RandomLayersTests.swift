#if os(Linux)
  import Foundation
  import OpTraceAnalysis
  import OpTraceModel
  import TestSupport
  import Testing

  /// Healthy programs that seeds make up, over operations, dispatch queues and tasks, compiled as people compile them.
  @Suite("Random programs over all layers", .ownThread) struct RandomLayersTests {
    private let folder: RecordFolder
    /// So many programs run in one process.
    private static let together = 20

    init() throws { folder = try RecordFolder() }

    private func compile() throws {
      let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("RandomLayersProgram").path
      let made = try Command.run(
        folder.folder.folder.path, sources,
        shell: RecordFolder.enter + #"swiftc -swift-version 6 -O "$1"/*.swift -o layers"#)
      try #require(made.status == 0, "\(made)")
    }

    /// What is wrong with the programs of these seeds, in one process; nil: nothing.
    private func fault(_ seeds: Range<Int>) throws -> String? {
      let result = try Command.run(
        arguments: [folder.folder.folder.path, "\(seeds.lowerBound)", "\(seeds.count)"],
        shell: RecordFolder.enter + """
          rm -f run.optrace
          ./layers "$@" >alone
          echo "status $?" >>alone
          timeout -s KILL 300 "$optrace" record --dispatch --tasks -o run.optrace -- ./layers "$@" >recorded
          echo "status $?" >>recorded
          diff alone recorded
          """)
      guard result.status == 0 else {
        return "recorded, it does something else: \(result.output)\(result.errors)\(try whyItStands())"
      }
      let events = try TraceReader.events(path: folder.folder.path("run.optrace"))
      let violations = TraceValidator.check(events)
      if !violations.isEmpty { return "\(violations.prefix(5))" }
      let trace = TraceBuilder.build(events)
      if !trace.header.isClosed || !trace.loss.isComplete { return "not all is there: \(trace.loss)" }
      let told = Diagnosis(of: trace).findings.filter {
        $0.severity != .note && DoctorRule.of($0.code)?.symptom != .slow
      }
      return told.isEmpty ? nil : "\(told.map { "\($0.code): \($0.title). \($0.explanation)" })"
    }

    /// What the doctor says if the recorded process did not end.
    private func whyItStands() throws -> String {
      try Command.run(
        folder.folder.folder.path,
        shell: RecordFolder.enter + """
          grep -q 'status 137' recorded || exit 0
          "$optrace" doctor run.optrace
          "$optrace" stacks run.optrace
          """
      ).output
    }

    @Test("recorded, each does what it does by itself; nothing is lost, contradicts itself, or is found to be wrong")
    func programs() throws {
      let environment = ProcessInfo.processInfo.environment
      let first = environment["OPTRACE_SEED"].flatMap(Int.init) ?? 0
      let count = environment["OPTRACE_RANDOM_PROGRAMS"].flatMap(Int.init) ?? 100
      try compile()
      for start in stride(from: first, to: first + count, by: Self.together) {
        let seeds = start..<min(start + Self.together, first + count)
        guard let fault = try fault(seeds) else { continue }
        // Which of them it is, if one does it alone.
        let alone = try seeds.compactMap { seed in try self.fault(seed..<seed + 1).map { "seed \(seed): \($0)" } }
        Issue.record("seeds \(seeds): \(fault)\nalone: \(alone)")
      }
    }
  }
#endif
