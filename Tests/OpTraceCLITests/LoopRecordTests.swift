#if os(Linux)
  import Foundation
  import OpTraceModel
  import TestSupport
  import Testing

  /// Event loops of unchanged programs, with shared or statically linked Swift libraries.
  @Suite("Recording event loops", .ownThread) struct LoopRecordTests {
    private let workspace: RecordFolder

    init() throws { workspace = try RecordFolder() }

    private func record(_ options: String, _ linked: String = "") throws -> Trace {
      try workspace.compile("LoopProgram", as: "loops", linked)
      let result = try Command.run(
        workspace.folder.folder.path,
        shell: RecordFolder.enter + #"exec "$optrace" record \#(options) -o loops.optrace -- ./loops"#)
      try #require(result.status == 0, "\(result)")
      let path = workspace.folder.path("loops.optrace")
      #expect(TraceValidator.check(try TraceReader.events(path: path)).isEmpty)
      return try workspace.trace("loops.optrace")
    }

    @Test(
      "a run loop's long turns have their lengths, and libdispatch's own thread is marked",
      arguments: ["", "-static-stdlib"])
    func loops(_ linked: String) throws {
      for options in ["--dispatch", "--tasks"] {
        let trace = try record(options, linked)
        let main = try #require(trace.loops.first { trace.thread($0.thread)?.isMain == true })
        // Each turn handled at least one timer, and turns do not overlap.
        #expect(!main.isManager && main.longTurns.count >= 5)
        #expect(main.longTurns.allSatisfy { ($0.ended ?? trace.end) - $0.began >= 19_000_000 || $0.ended == nil })
        #expect(main.longest >= 19_000_000 && main.busy >= 150_000_000 && main.idle > 0)
        let others = trace.loops.filter { $0.thread != main.thread }
        #expect(others.contains { $0.isManager && $0.turns > 0 })
      }
    }

    @Test("event loops are recorded only with --dispatch or --tasks")
    func off() throws { #expect(try record("").loops.isEmpty) }
  }
#endif
