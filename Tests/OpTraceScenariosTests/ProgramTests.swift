import OpTraceModel
import OpTraceScenarios
import Testing

extension ScenarioTests {
  @Suite("Whole programs")
  struct Programs {
    private static let session = ["SyncLock", "SaveSession", "RefreshToken"]

    @Test("photo-import: 27 operations on three queues keep their limits and their dependencies")
    func photoImport() async throws {
      let run = try await RecordedRun("photo-import")
      #expect(run.trace.operations.count == 27)
      for (name, limit) in [("network", 4), ("imaging", 2), ("store", 1)] {
        let queue = try run.queue(name)
        #expect(queue.limit == limit)
        #expect(peak(run.operations(in: queue)) <= limit)
      }
      #expect(run.trace.operations.allSatisfy { $0.finished != nil })
      #expect(run.trace.operations.filter { $0.state == .cancelled }.map(\.title) == ["Decode 5"])
      let deselected = try run.operation("Download 5")
      #expect(try #require(deselected.run).contains(#require(deselected.cancelRequested).time))
      for operation in run.trace.operations where operation.cancelRequested == nil {
        for dependency in operation.dependencies {
          let other = try #require(run.trace.operation(dependency.on))
          #expect(other.isOver(before: operation), "\(other.title) → \(operation.title)")
        }
      }
      // There are more requests than slots, so at least one download waited for another operation's slot.
      let network = run.operations(in: try run.queue("network"))
      let waited = network.filter { $0.title.hasPrefix("Download") }.contains { download in
        guard let runnable = download.runnable, let began = download.run?.lowerBound else { return false }
        return network.contains { (runnable..<began).contains($0.run?.upperBound ?? .max) }
      }
      #expect(waited)
      #expect(try run.operation("NotifyUI").finished?.time == run.trace.operations.compactMap(\.finished?.time).max())
    }

    @Test("photo-import --stuck: the session's operations form a cycle, the rest runs")
    func stuck() async throws {
      let run = try await RecordedRun("photo-import") {
        $0.isStuck = true
        $0.timeout = 1.2
      }
      try expectCycle(Self.session, in: run)
      #expect(try run.operation("Migrate v7").state == .finished)
      #expect(Set(try Self.session.map { try run.operation($0).queue }).count == 2)
    }

    @Test("deadlock: three operations form a cycle, a thread waits for them, and the program still ends")
    func deadlock() async throws {
      let run = try await RecordedRun("deadlock") { $0.timeout = 0.3 }
      try expectCycle(["Refresh token", "Load profile", "Open session"], in: run)
      #expect(run.trace.operations.filter { $0.finished != nil }.map(\.title) == ["Load settings"])
      let wait = try run.wait(for: .queue(try run.queue("account").id))
      #expect(wait.ended == nil)
      #expect(run.threadName(wait.thread) == "waits for ever")
      #expect(run.lines == ["Gave up: 3 operations are unfinished."])
      // After the last operation, the program only waits.
      let settings = try #require(run.operation("Load settings").finished).time
      #expect(run.trace.end - settings >= 300_000_000)
    }

    /// Each operation depends on the next, the last on the first. None has begun.
    private func expectCycle(_ titles: [String], in run: RecordedRun) throws {
      let operations = try titles.map { try run.operation($0) }
      for (operation, next) in zip(operations, operations.dropFirst() + operations.prefix(1)) {
        #expect(operation.depends(on: next), "\(operation.title) → \(next.title)")
        #expect(operation.started == nil && operation.finished == nil)
        #expect(operation.state == .pending)
      }
    }

    @Test("every scenario has a unique name, and a summary that fits a line")
    func table() {
      #expect(Set(Scenario.all.map(\.name)).count == Scenario.all.count)
      for scenario in Scenario.all {
        #expect(scenario.name.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil)
        #expect((20...110).contains(scenario.summary.count), "\(scenario.name)")
        #expect(scenario.summary.hasSuffix("."))
      }
      #expect(Scenario.named("diamond")?.name == "diamond")
      #expect(Scenario.named("Diamond") == nil)
    }
  }
}
