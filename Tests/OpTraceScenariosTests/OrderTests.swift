import Foundation
import OpTraceModel
import OpTraceScenarios
import Testing

extension ScenarioTests {
  @Suite("Order and overlap")
  struct Order {
    /// On a busy machine operations that may run together might not. The samples were recorded on an idle machine.
    @Test(
      "operations that may run together overlap in the samples",
      arguments: [
        ("i-love-u", ["Find “I”", "Find “Love”", "Find “U”"], 3), ("diamond", ["A", "B", "D"], 3),
        ("serial-vs-concurrent", nil, 4), ("barrier", nil, 3),
      ] as [(String, [String]?, Int)])
    func samples(name: String, titles: [String]?, together: Int) throws {
      let file = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../traces/\(name).optrace").standardized
      let operations = try TraceReader.read(path: file.path).operations.filter { titles?.contains($0.title) ?? true }
      // The operation of the serial queue runs beside the four.
      #expect(peak(operations) == together + (name == "serial-vs-concurrent" ? 1 : 0))
    }

    @Test("i-love-u: the sentence comes last with any limit", arguments: [1, 3, nil] as [Int?])
    func iLoveU(limit: Int?) async throws {
      let run = try await RecordedRun("i-love-u") { $0.limit = limit }
      #expect(run.lines == ["This is printed first!!!", "I Love U!!!"])
      let words = try run.operations("Find “I”", "Find “Love”", "Find “U”")
      let sentence = try run.operation("Print sentence")
      #expect(words.allSatisfy { $0.isOver(before: sentence) && sentence.depends(on: $0) })
      #expect(words.map(\.isAsynchronous) == [true, false, true])
      #expect(try run.queue("words").limit == limit ?? -1)
      #expect(peak(words) <= limit ?? 3)
      #expect(try run.mark("I Love U!!!").operation == sentence.id)

      // start() of an asynchronous operation returns before another thread finishes the operation.
      for word in [words[0], words[2]] {
        #expect(try #require(word.startReturned).time < #require(word.finished).time)
        #expect(word.finished?.thread != word.started?.thread)
      }
      #expect(words[1].finished?.thread == words[1].started?.thread)
    }

    @Test("diamond: nothing begins before its dependencies are finished")
    func diamond() async throws {
      let run = try await RecordedRun("diamond")
      let ends = try run.operations("A", "B", "C", "D", "E")
      let edges = [(0, 2), (1, 2), (2, 4), (3, 4)]
      for (from, to) in edges {
        #expect(ends[to].depends(on: ends[from]))
        #expect(ends[from].isOver(before: ends[to]), "\(ends[from].title) → \(ends[to].title)")
      }
      #expect(ends.reduce(0) { $0 + $1.dependencies.count } == edges.count)
      #expect(peak(ends) <= 3)
    }

    @Test("serial-vs-concurrent: the serial queue runs operations one by one in order, the other at most four at once")
    func serialVersusConcurrent() async throws {
      let run = try await RecordedRun("serial-vs-concurrent")
      let serial = run.operations(in: try run.queue("serial"))
      let concurrent = run.operations(in: try run.queue("concurrent"))
      #expect(peak(serial) == 1)
      #expect(zip(serial, serial.dropFirst()).allSatisfy { $0.isOver(before: $1) })
      #expect(peak(concurrent) <= 4)
      #expect(run.lines == ["The concurrent queue is empty.", "The serial queue is empty."])
    }

    @Test("priorities: they order ready operations and do not replace a dependency")
    func priorities() async throws {
      let run = try await RecordedRun("priorities")
      let order = run.trace.operations.sorted { ($0.run?.lowerBound ?? 0) < ($1.run?.lowerBound ?? 0) }
      #expect(
        order.map(\.title) == [
          "Alarm (very high)", "Invoices (high)", "Newsletter (normal)", "Archive (low)", "Figures (very low)",
          "Board (very high)",
        ])
      #expect(order.map(\.priority) == [8, 4, 0, -4, -8, 8])
      #expect(order[5].depends(on: order[4]))
    }

    @Test("cross-queue: an operation waits for those of another queue")
    func crossQueue() async throws {
      let run = try await RecordedRun("cross-queue")
      let report = try run.operation("Report success")
      for (download, save) in [("Download songs", "Save songs"), ("Download covers", "Save covers")] {
        let (download, save) = (try run.operation(download), try run.operation(save))
        #expect(download.queue != save.queue)
        #expect(save.depends(on: download) && download.isOver(before: save))
        #expect(report.depends(on: save) && save.isOver(before: report))
        // The thread that finishes the download makes the saving ready.
        #expect(save.ready?.thread == download.finished?.thread)
      }
      let wait = try run.wait(for: .operation(report.id))
      #expect(try #require(wait.ended) >= #require(report.finished).time)
      #expect(run.threadName(wait.thread) == "program")
    }

    @Test("barrier: it runs alone, after the earlier and before the later operations")
    func barrier() async throws {
      let run = try await RecordedRun("barrier")
      let barrier = try #require(run.trace.operations.first { $0.isBarrier })
      let before = try run.operations("Read 1", "Read 2", "Read 3")
      let after = try run.operations("Read 4", "Read 5", "Read 6")
      #expect(before.allSatisfy { $0.isOver(before: barrier) })
      #expect(after.allSatisfy { barrier.isOver(before: $0) })
      #expect(peak(before) <= 3)
      #expect(peak(after) <= 3)
      #expect(try run.mark("The catalogue is written.").operation == barrier.id)
    }

    @Test("suspend-resume: running operations continue, and nothing else begins until the queue is resumed")
    func suspendResume() async throws {
      let run = try await RecordedRun("suspend-resume")
      let queue = try run.queue("sync")
      let suspended = try #require(queue.changes.first { $0.kind == .suspended }).time
      let resumed = try #require(queue.changes.first { $0.kind == .resumed }).time
      #expect(!queue.isSuspended)
      for early in try run.operations("Sync mail", "Sync contacts") {
        let range = try #require(early.run)
        #expect(range.contains(suspended))
        #expect(range.upperBound <= resumed)
      }
      for late in try run.operations("Sync calendar", "Sync notes") {
        #expect(try #require(late.run).lowerBound >= resumed)
        // It was ready before: only the suspended queue held it back.
        #expect(try #require(late.runnable) < suspended)
      }
    }
  }
}
