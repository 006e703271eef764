#if os(Linux)
  import Foundation
  import OpTraceModel
  import TestSupport
  import Testing

  /// Dispatch blocks of a program that does not use OpTrace.
  @Suite("record --dispatch", .ownThread) struct DispatchRecordTests {
    private let folder: RecordFolder
    private let file = "run.optrace"

    init() throws { folder = try RecordFolder() }

    private func record(_ options: String...) throws -> (result: Command.Result, trace: Trace) {
      let result = try Command.run(
        arguments: [folder.folder.folder.path] + options + ["-o", file, "--", try RecordFolder.program, "dispatch"],
        shell: RecordFolder.enter + #"exec "$optrace" record "$@""#)
      #expect(result.status == 0, "\(result.errors)")
      return (result, try folder.trace(file))
    }

    @Test("each submission is recorded once, with submitter, queue, way and function") func blocks() throws {
      let (result, trace) = try record("--dispatch")
      #expect(result.output == "item\nitem\nmain\n")
      // This libdispatch has the known layout.
      #expect(!result.errors.contains("layout"), "\(result.errors)")
      #expect(trace.loss.isComplete)
      let violations = TraceValidator.check(try TraceReader.events(path: folder.folder.path(file)))
      #expect(violations.isEmpty, "\(violations)")
      func blocks(_ label: String) -> [BlockRecord] {
        let queue = trace.dispatchQueues.first { $0.label == label }
        return trace.blocks.filter { $0.queue == queue?.id && queue != nil }
      }
      let (disk, network) = (blocks("disk"), blocks("network"))
      #expect(trace.blocks.filter { $0.over == nil }.isEmpty)
      // All blocks ran except the cancelled one.
      #expect(trace.blocks.filter { $0.began == nil }.count == 1)
      let cancelled = try #require(trace.blocks.first { $0.cancelRequested != nil })
      #expect(cancelled.began == nil && cancelled.isItem && cancelled.queue == disk.first?.queue)

      // The operation submits a block, which submits another one, which finishes the operation.
      let upload = try #require(trace.operations.first)
      #expect(disk.first?.submitter == upload.id && network.first?.submitter == disk.first?.id)
      #expect(upload.finished?.thread == network.first?.began?.thread)
      let finished = try #require(upload.finished?.time)
      #expect(finished >= network.first?.began?.time ?? .max && finished <= network.first?.ended ?? .min)
      #expect(disk.first?.function?.shortName == "closure #1 in Upload.start()")
      #expect(network.first?.function?.shortName == "closure #1 in closure #1 in Upload.start()")
      #expect(trace.stacks.codeLocation(disk.first?.submittedAt)?.function == "Upload.start()")

      #expect(network.filter(\.isInGroup).count == 3 && network.filter { $0.way == .barrier }.count == 1)
      #expect(blocks("below").map(\.way) == [.notify] && disk.filter { $0.way == .after }.count == 1)
      let items = disk.filter { $0.isItem && $0.function?.shortName == "closure #5 in dispatchBlocks()" }
      #expect(items.count == 2 && items[0].code == items[1].code, "\(disk.map(\.title))")
      #expect(items[0].submittedAt != items[1].submittedAt)
      // A block that an iteration submits on any thread has the iterated block as its submitter.
      let iterated = network.filter { $0.submitter != nil && $0.submitter != disk.first?.id }
      #expect(iterated.count == 2 && iterated[0].submitter == iterated[1].submitter)
      #expect(trace.block(try #require(iterated[0].submitter))?.queue == network.first?.queue)

      let queues = Dictionary(trace.dispatchQueues.map { ($0.label, $0) }, uniquingKeysWith: { first, _ in first })
      #expect(queues["disk"]?.width == 1 && queues["network"]?.width == nil)
      #expect(queues["below"]?.target == queues["disk"]?.id && queues["disk"]?.target == nil)
      #expect(queues["com.apple.main-thread"]?.isMain == true)
    }

    @Test("a serial queue's blocks run in order, one at a time")
    func order() throws {
      let trace = try record("--dispatch", "--flight-recorder", "256K").trace
      for queue in trace.dispatchQueues where queue.width == 1 {
        let blocks = trace.blocks.filter { $0.queue == queue.id && $0.way == .async && $0.began != nil }
        let runs = blocks.map { ($0.began?.time ?? 0, $0.ended ?? 0) }
        #expect(zip(runs, runs.dropFirst()).allSatisfy { $0.1 <= $1.0 + TraceBuilder.tolerance }, "\(queue.title)")
      }
      #expect(trace.blocks.count > 10 && trace.dispatchQueues.count >= 4)
    }

    @Test("without the option no block is recorded; with it every output accepts the blocks") func outputs() throws {
      #expect(try record().trace.blocks.isEmpty)
      let trace = try record("--dispatch").trace
      func run(_ arguments: String...) throws -> Command.Result {
        try Command.run(
          arguments: [folder.folder.folder.path] + arguments, shell: RecordFolder.enter + #"exec "$optrace" "$@""#)
      }
      let summary = try run("summary", file).output
      #expect(summary.contains("\nDispatch queues\n") && summary.contains("\nBlocks\n"))
      #expect(summary.contains("  network ") && summary.contains("  closure #1 in Upload.start() "))
      let json = try run("summary", "--json", file).output
      #expect(
        json.contains("\"label\": \"network\",\n      \"width\": null,\n      \"main\": false,\n      \"blockCount\": ")
      )
      for command in ["doctor", "validate", "stacks"] { #expect(try run(command, file).status == 0, "\(command)") }
      for command in ["graph", "timeline", "report"] {
        #expect(try run(command, file, "-o", "-").status == 0, "\(command)")
      }
      let drawn = try run("graph", "--layers", "operations, dispatch", file, "-o", "-").output
      #expect(drawn.contains("class=\"dep submission\"") && drawn.contains(">network</text>"))
      #expect(!(try run("graph", file, "-o", "-").output.contains("submission\"")))
      let unknown = try run("graph", "--layers", "operations,dispach", file, "-o", "-")
      #expect(unknown.status == 64 && unknown.errors.contains("did you mean 'dispatch'?"))
      #expect(try run("graph", "--layers", "dispatch", "--deadlock", file, "-o", "-").status == 64)
      let part = try run("timeline", "--queue", "network", file, "-o", "-").output
      #expect(part.contains("\"dispatch queue network\"") && !part.contains("\"dispatch queue disk\""))
      #expect(try run("pack", file, "-o", "small.optracez").status == 0)
      #expect(try folder.trace("small.optracez").blocks == trace.blocks)
      let anonymous = try run("pack", "--anonymize", file, "-o", "none.optracez")
      let dump = try run("dump", "none.optracez", "-o", "-").output
      #expect(anonymous.status == 0 && dump.contains("dispatch-queue") && !dump.contains("network"))
    }
  }
#endif
