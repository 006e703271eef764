#if os(Linux)
  import Foundation
  import OpTraceAnalysis
  import OpTraceFormat
  import OpTraceModel
  import TestSupport
  import Testing

  /// Programs that end well, with both halves of a deadlock, and healthy ones that look alike: what is recorded of them, and what the
  /// doctor says.
  @Suite("record --orders", .ownThread) struct OrderRecordTests {
    private let folder: RecordFolder
    private let file = "run.optrace"

    init() throws { folder = try RecordFolder() }

    private func record(
      _ name: String, _ options: [String] = ["--orders", "--dispatch", "--tasks"], program: String? = nil
    ) throws -> Trace {
      let program = try program ?? Built.program("OrderPrograms").path
      let result = try Command.run(
        arguments: [folder.folder.folder.path] + options + ["-o", file, "--", program, name],
        shell: RecordFolder.enter + #"exec "$optrace" record "$@""#)
      #expect(result.status == 0 && result.output.hasSuffix("ended\n"), "\(name): \(result.errors)")
      #expect(TraceValidator.check(try TraceReader.events(path: folder.folder.path(file))).isEmpty)
      return try folder.trace(file)
    }

    private func inversions(_ trace: Trace) -> [Finding] {
      Diagnosis(of: trace).findings.filter { $0.code == "lock-order-inversion" }
    }

    private static let latentPrograms = [
      "two-locks", "three-locks", "two-queues", "slot-and-lock", "queue-and-lock", "writers",
    ]
    private static let healthyPrograms = [
      "gate", "ordered-by-dependency", "ordered-by-submission", "same-strand", "try-lock", "readers",
      "parent-before-child", "before-the-threads", "recursive", "condition", "one-order", "semaphore-as-lock",
    ]

    @Test("both halves of a deadlock are told, with their places", arguments: latentPrograms)
    func halves(_ name: String) throws {
      let found = inversions(try record(name))
      #expect(found.count == 1, "\(found.map(\.title))")
      let finding = try #require(found.first)
      #expect(finding.severity == .warning && finding.certainty == .possible)
      #expect(finding.evidence.contains { $0.text.contains("Latent.swift:") || $0.text.contains("Support.swift:") })
    }

    @Test("healthy programs are not accused", arguments: healthyPrograms)
    func healthy(_ name: String) throws {
      #expect(inversions(try record(name)).map(\.title) == [])
    }

    @Test("only with the option, and only what the program itself took") func option() throws {
      let without = try record("two-locks", ["--dispatch"])
      #expect(without.orders.isEmpty && without.handovers.isEmpty && without.orderLoss == nil)
      let trace = try record("two-locks", ["--orders"])
      #expect(trace.orderLoss?.isNothing == true)
      #expect(trace.orders.filter(\.isOrder).count == 2, "\(trace.orders)")
      for order in trace.orders {
        let sighting = try #require(order.sightings.first)
        #expect(trace.stacks.ownFrame(sighting.at) != nil)
        #expect(trace.thread(sighting.thread) != nil)
      }
    }

    @Test("a flight recorder keeps orders") func ring() throws {
      #expect(inversions(try record("two-locks", ["--orders", "--flight-recorder", "256K"])).count == 1)
    }

    @Test("libraries that are linked into the program make no difference") func linked() throws {
      try folder.compile("OrderPrograms", as: "linked", "-static-stdlib")
      let trace = try record("slot-and-lock", program: "./linked")
      #expect(inversions(trace).count == 1)
      #expect(
        trace.orders.allSatisfy { $0.sightings.allSatisfy { $0.at == nil || trace.stacks.ownFrame($0.at) != nil } })
    }

    @Test("who blocks a task, and who lets it go on, is told by place") func handovers() throws {
      let trace = try record("tasks-block-tasks")
      let tasks = trace.handovers.filter { handover in
        handover.kind == .semaphore
          && [handover.waiter, handover.signaller].allSatisfy { $0.map { trace.task($0) != nil } ?? false }
      }
      #expect(tasks.count == 1 && tasks[0].count == 5 && !tasks[0].isLock, "\(trace.handovers)")
      #expect(Diagnosis(of: trace).findings.count { $0.code == "blocking-in-task" } == 1)
      let asLock = try record("semaphore-as-lock")
      #expect(Diagnosis(of: asLock).findings.allSatisfy { $0.code != "blocking-in-task" })
      let locks = asLock.handovers.filter { $0.waiter.map { asLock.task($0) != nil } ?? false }
      #expect(locks.allSatisfy { $0.isLock })
    }
  }
#endif
