#if os(Linux)
  import Foundation
  import OpTraceAnalysis
  import OpTraceModel
  import TestSupport
  import Testing

  /// Healthy random programs of operations, dispatch queues and tasks. A seed determines each.
  @Suite("Random programs over all layers", .ownThread) struct RandomLayersTests {
    private let folder: RecordFolder
    /// The number of programs that run in one process.
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

    /// What is wrong when the programs of these seeds run in one process. Nil if nothing is.
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

    /// The doctor's answer if the recorded process did not end.
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

    @Test("recording keeps each program's output; its trace is complete and valid, and has no finding")
    func programs() throws {
      let environment = ProcessInfo.processInfo.environment
      let first = environment["OPTRACE_SEED"].flatMap(Int.init) ?? 0
      let count = environment["OPTRACE_RANDOM_PROGRAMS"].flatMap(Int.init) ?? 100
      try compile()
      for start in stride(from: first, to: first + count, by: Self.together) {
        let seeds = start..<min(start + Self.together, first + count)
        guard let fault = try fault(seeds) else { continue }
        // Find the seeds that fail alone.
        let alone = try seeds.compactMap { seed in try self.fault(seed..<seed + 1).map { "seed \(seed): \($0)" } }
        Issue.record("seeds \(seeds): \(fault)\nalone: \(alone)")
      }
    }
  }
#endif
