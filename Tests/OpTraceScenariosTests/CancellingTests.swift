import OpTraceModel
import OpTraceScenarios
import Testing

extension ScenarioTests {
  @Suite("Cancelling")
  struct Cancelling {
    @Test("upload-cancel: a running operation ends early when cancelled; a waiting one never executes")
    func uploadCancel() async throws {
      let run = try await RecordedRun("upload-cancel")
      let uploads = try run.operations("Upload beach.mov", "Upload garden.jpg", "Upload attic.jpg")
      let album = try run.operation("Refresh album")

      let beach = try #require(uploads[0].run)
      let request = try #require(uploads[0].cancelRequested)
      #expect(beach.lowerBound < request.time && request.time <= beach.upperBound)
      // It finishes once, on the thread that cancels. The upload's next part finds it finished.
      #expect(uploads[0].finished?.thread == request.thread)
      #expect(uploads.allSatisfy { $0.finishCount == 1 })

      #expect(uploads[1].state == .finished && uploads[1].cancelRequested == nil)
      #expect(uploads[0].isOver(before: uploads[1]), "the slot is free again")
      #expect(uploads[1].isOver(before: album))
      #expect(uploads[2].state == .cancelled && uploads[2].executionBegan == nil)
      #expect(
        run.lines.suffix(3).elementsEqual([
          run.lines.first { $0.hasPrefix("beach.mov: cancelled after ") } ?? "", "garden.jpg: complete",
          "attic.jpg: never began",
        ]))
    }

    @Test("custom-concurrent: each operation has its own thread; the cancelled one ends by itself")
    func customConcurrent() async throws {
      let run = try await RecordedRun("custom-concurrent")
      let (photos, archive) = (try run.operation("Scan Photos"), try run.operation("Scan Archive"))
      for (scan, name) in [(photos, "scan Photos"), (archive, "scan Archive")] {
        #expect(run.threadName(scan.finished?.thread) == name)
        #expect(scan.finished?.thread != scan.executionBegan?.thread)
      }
      #expect(photos.overlaps(archive))
      #expect(photos.cancelRequested == nil)
      let request = try #require(archive.cancelRequested)
      #expect(try #require(archive.run).contains(request.time))
      #expect(request.thread != archive.finished?.thread)

      let spans = run.trace.spans.filter { $0.operation == archive.id }
      #expect(spans.map(\.name) == ["files of Archive"])
      #expect(try #require(spans.first?.ended).time > request.time)
      #expect(run.lines.contains("Photos: 8 of 8 files"))
      #expect(!run.lines.contains("Archive: 40 of 40 files"))
    }

    @Test("cancel-all: the running operation is cancelled, the waiting ones never begin, later ones run")
    func cancelAll() async throws {
      let run = try await RecordedRun("cancel-all")
      let queue = try run.queue("search")
      #expect(queue.changes.map(\.kind) == [.cancelledAll])
      let moment = try #require(queue.changes.first).time

      let running = try run.operation("Search “oper”")
      #expect(try #require(running.run).contains(moment))
      #expect(running.cancelRequested != nil)
      for waiting in try run.operations("Search “opera”", "Search “operat”", "Search “operation”") {
        #expect(waiting.state == .cancelled && waiting.executionBegan == nil)
      }
      #expect(try run.operation("Read index").cancelRequested == nil)
      let later = try run.operation("Search “queue”")
      #expect(later.state == .finished && later.cancelRequested == nil)
      #expect(try #require(later.run).lowerBound > moment)
    }
  }
}
