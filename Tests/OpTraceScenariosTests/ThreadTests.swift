import OpTraceModel
import OpTraceScenarios
import Testing

extension ScenarioTests {
  @Suite("Threads, waits and spans")
  struct Threads {
    @Test("async-wait: the faulty operation finishes before its data arrives, the correct ones after it")
    func asyncWait() async throws {
      let run = try await RecordedRun("async-wait")
      let hasty = try run.operation("Hasty download")
      let late = try run.mark("Hasty download: the data is here")
      #expect(late.operation == hasty.id)
      #expect(try #require(hasty.finished).time < late.at.time)
      #expect(try run.mark("Hasty download: waited until it is finished").at.time < late.at.time)

      for title in ["Patient download", "Download by hand"] {
        let download = try run.operation(title)
        let data = try run.mark("\(title): the data is here").at
        #expect(try #require(download.run).lowerBound < data.time)
        #expect(try #require(download.finished).time >= data.time)
        #expect(download.finished?.thread == data.thread)
        #expect(try #require(run.wait(for: .operation(download.id)).ended) >= data.time)
      }
    }

    @Test("async-wait: an operation started by hand runs without a queue and does not block the caller")
    func byHand() async throws {
      let run = try await RecordedRun("async-wait")
      let manual = try run.operation("Download by hand")
      #expect(manual.queue == nil && manual.enqueued == nil)
      #expect(run.threadName(manual.started?.thread) == "program")
      #expect(try #require(manual.startReturned).time < #require(manual.finished).time)
      #expect(
        try run.mark("Download by hand: start() has returned").at.time
          < run.mark("Download by hand: the data is here").at.time)
    }

    @Test("block-fan-out: the blocks run together, and the operation finishes with the last block")
    func blockFanOut() async throws {
      let run = try await RecordedRun("block-fan-out")
      let (four, sheet) = (try run.operation("Four thumbnails"), try run.operation("Contact sheet"))
      #expect(Set(four.blocks.map(\.index)) == [0, 1, 2, 3])
      let range = try #require(four.run)
      let last = try four.blocks.map { try #require($0.ended) }.max()
      #expect(four.blocks.allSatisfy { range.contains($0.began) })
      #expect(try #require(last) <= range.upperBound)
      #expect(four.isOver(before: sheet))
      if hasSeveralProcessors {
        #expect(Set(four.blocks.map(\.thread)).count > 1)
        let first = try four.blocks.map { try #require($0.ended) }.min()
        #expect(four.blocks.count { $0.began < first ?? 0 } > 1, "no two at the same time")
      }
    }

    @Test("main-hop: a background operation adds another to the main queue while it runs")
    func mainHop() async throws {
      let run = try await RecordedRun("main-hop")
      let main = try run.queue("main")
      #expect(main.isMain)
      #expect(!(try run.queue("background").isMain))
      for picture in ["cover", "map"] {
        let (load, show) = (try run.operation("Load \(picture)"), try run.operation("Show \(picture)"))
        #expect(show.queue == main.id)
        #expect(show.enqueued?.thread == load.executionBegan?.thread)
        #expect(try #require(load.run).contains(#require(show.enqueued).time))
        #expect(show.state == .finished)
      }
      #expect(peak(run.operations(in: main)) == 1)
    }

    @Test("tickets: fifty tickets are sold once each, and waits for the lock are recorded")
    func tickets() async throws {
      let run = try await RecordedRun("tickets")
      let windows = try run.operations("Window Beijing", "Window Shanghai")
      #expect(windows[0].queue != windows[1].queue)
      let sales = run.trace.spans.filter { $0.name.hasPrefix("sell ticket ") }
      #expect(sales.count == 50)
      #expect(Set(sales.map(\.name)).count == 50)
      let ranges = try sales.map { $0.began.time..<(try #require($0.ended).time) }.sorted {
        $0.lowerBound < $1.lowerBound
      }
      #expect(
        zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }, "two in the office at once")
      let waits = run.trace.spans.filter { $0.name == "wait for the lock" }
      #expect(waits.count == 52)
      guard hasSeveralProcessors else { return }
      for window in windows {
        #expect(sales.contains { $0.operation == window.id })
        // At least once it waits until the other window's sale ends.
        let others = sales.filter { $0.operation != window.id }
        let isBlocked = waits.filter { $0.operation == window.id }.contains { wait in
          others.contains { sale in
            guard let sold = sale.ended?.time, let got = wait.ended?.time else { return false }
            return sale.began.time < wait.began.time && wait.began.time < sold && sold <= got
          }
        }
        #expect(isBlocked)
      }
      #expect(windows[0].overlaps(windows[1]))
    }
  }
}
