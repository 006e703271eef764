#if os(Linux)
  import Foundation
  import OpTraceModel
  import TestSupport
  import Testing

  /// `plugin_run` calls `first_work` in one library and `second_work`, at the same address, in the other.
  @Suite("Libraries that are loaded where another one was", .ownThread) struct SwappedLibraryTests {
    private let workspace: RecordFolder

    init() throws { workspace = try RecordFolder() }

    private func record(_ options: String...) throws -> Trace {
      let sources = RecordFolder.sources.appendingPathComponent("SwappedPlugins").path
      let made = try Command.run(
        workspace.folder.folder.path, sources,
        shell: RecordFolder.enter + #"""
          for name in first second; do
            clang -O1 -shared -fPIC -DWORK=${name}_work "$1/plugin.c" -o $name.so || exit
          done
          swiftc -O "$1/main.swift" -o swap
          """#)
      try #require(made.status == 0, "\(made)")
      let result = try Command.run(
        arguments: [workspace.folder.folder.path] + options + ["-o", "run.optrace", "./swap", "."],
        shell: RecordFolder.enter + #"exec "$optrace" record "$@""#)
      #expect(result.status == 0 && result.output.hasPrefix("one place\n"), "\(result)")
      return try workspace.trace("run.optrace")
    }

    @Test("each sample has the names of the library that was loaded")
    func samples() throws {
      let trace = try record("--dispatch", "--profile", "--profile-rate", "500", "--stacks", "all")
      var counts: [String: Int] = [:]
      for sample in trace.samples {
        let functions = trace.stacks.stack(sample.at).compactMap { trace.stacks.function(of: $0)?.shortName }
        let block = trace.blocks.first { block in
          guard let began = block.began?.time, let ended = block.ended else { return false }
          return began <= sample.time && sample.time <= ended
        }
        guard let queue = block?.queue.flatMap({ trace.dispatchQueue($0)?.label }) else { continue }
        let other = queue == "first" ? "second" : "first"
        #expect(!functions.contains("\(other)_work"), "\(queue): \(functions)")
        if functions.contains("\(queue)_work") { counts[queue, default: 0] += 1 }
      }
      guard trace.profile?.refused == nil else { return }
      #expect(counts["first", default: 0] > 40 && counts["second", default: 0] > 40, "\(counts)")
    }
  }
#endif
