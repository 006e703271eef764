import OpTraceFormat
import OpTraceModel
import OpTraceScenarios
import TestSupport
import Testing

@Suite("Broken programs: stalls without a cycle", .serialized, .ownThread)
struct BrokenStallTests {
  @Test("orphan-dependency: an operation waits for one that was never enqueued")
  func orphanDependency() async throws {
    let run = try await BrokenRun("orphan-dependency")
    #expect(run.isSilent)
    let (download, resize) = (try run.operation("Download picture"), try run.operation("Resize picture"))
    #expect(resize.depends(on: download) && resize.enqueued != nil && resize.state == .pending)
    #expect(download.enqueued == nil && download.started == nil && download.finished == nil && download.released == nil)
    #expect(try run.operation("Read account").state == .finished)
    #expect(try run.operation("Show picture").state == .pending)
  }

  @Test("queue-suspended: operations stay ready in a suspended queue; the running ones end")
  func queueSuspended() async throws {
    let run = try await BrokenRun("queue-suspended")
    #expect(run.isSilent)
    let uploads = try run.queue("uploads")
    #expect(uploads.isSuspended)
    #expect(uploads.changes.filter { $0.kind == .suspended || $0.kind == .resumed }.map(\.kind) == [.suspended])
    let suspended = try #require(uploads.changes.last { $0.kind == .suspended })
    #expect(!run.titles { $0.state == .ready }.isEmpty)
    #expect(run.titles { run.isRunning($0) } == [])
    #expect(run.trace.operations.allSatisfy { ($0.enqueued?.time ?? 0) < suspended.time })
    #expect(try run.operation("Report uploads").state == .pending)
    #expect(run.lines == ["The network is away.", "The network is back."])
  }

  @Test("queue-suspended-limit: operations stay ready in a queue without slots")
  func queueSuspendedLimit() async throws {
    let run = try await BrokenRun("queue-suspended-limit")
    #expect(run.isSilent)
    #expect(try run.queue("index").limit == 0)
    #expect(run.trace.operations.map(\.state) == [.ready, .ready, .ready])
  }

  @Test("never-finished: start() returns, and the operation never finishes")
  func neverFinished() async throws {
    let run = try await BrokenRun("never-finished")
    #expect(run.isSilent)
    let photo = try run.operation("Download photo")
    #expect(photo.isAsynchronous && photo.startReturned != nil && photo.finishSeen == nil && photo.finished == nil)
    #expect(try run.operation("Download logo").state == .finished)
    let show = try run.operation("Show page")
    #expect(show.state == .pending && show.depends(on: photo))
    #expect(try run.mark("The server has no such file.").operation == photo.id)
  }

  @Test("never-finished-unannounced: an operation finishes without notifying its queue")
  func neverFinishedUnannounced() async throws {
    let run = try await BrokenRun("never-finished-unannounced")
    #expect(run.isSilent)
    let scan = try run.operation("Scan folder")
    #expect(scan.startReturned != nil && scan.finishSeen != nil && scan.finished == nil)
    let show = try run.operation("Show files")
    #expect(show.state == .pending && show.depends(on: scan))
  }

  @Test("cancelled-never-finished: start() of a cancelled operation returns, and the slot stays taken")
  func cancelledNeverFinished() async throws {
    let run = try await BrokenRun("cancelled-never-finished")
    #expect(run.isSilent)
    let comments = try run.operation("Download comments")
    let (cancelled, started) = (try #require(comments.cancelRequested), try #require(comments.started))
    #expect(cancelled.time < started.time)
    #expect(comments.executionBegan == nil && comments.startReturned != nil && comments.finished == nil)
    #expect(try run.operation("Show page").state == .ready)
    #expect(try run.queue("downloads").limit == 1)
  }

  @Test("cancelled-never-finished-running: an operation is cancelled while it executes and never finishes")
  func cancelledNeverFinishedRunning() async throws {
    let run = try await BrokenRun("cancelled-never-finished-running")
    #expect(run.isSilent)
    let old = try run.operation("Search “que”")
    let (began, cancelled) = (try #require(old.executionBegan), try #require(old.cancelRequested))
    #expect(began.time < cancelled.time)
    #expect(old.startReturned != nil && old.finished == nil)
    #expect(try run.operation("Search “queue”").state == .ready)
  }
}

@Suite("Broken programs: blocked by Foundation or the system", .serialized, .ownThread)
struct BrokenFoundationTests {
  @Test("readiness-override: an operation never gets ready although its dependencies are finished")
  func readinessOverride() async throws {
    let run = try await BrokenRun("readiness-override")
    #expect(run.isSilent)
    let send = try run.operation("Send message")
    #expect(try run.operation("Compose message").state == .finished)
    #expect(send.dependencies.count == 1 && send.ready == nil && send.started == nil)
    #expect(send.overridesReady)
    #expect(try run.operation("Empty drafts").state == .pending)
    #expect(run.titles { run.isRunning($0) } == [])
  }

  @Test("removed-dependency-stuck: an operation never gets ready after an unfinished dependency was removed")
  func removedDependencyStuck() async throws {
    let run = try await BrokenRun("removed-dependency-stuck")
    #expect(run.isSilent)
    let (show, original) = (try run.operation("Show picture"), try run.operation("Load original"))
    let edge = try #require(show.dependencies.first { $0.on == original.id })
    let (removed, finished) = (try #require(edge.removed), try #require(original.finished))
    #expect(removed < finished.time)
    #expect(try run.operation("Load preview").state == .finished)
    #expect(show.ready == nil && show.started == nil && !show.overridesReady)
  }

  @Test("barrier-reentry: adding a cancelled operation behind a barrier blocks the queue")
  func barrierReentry() async throws {
    let run = try await BrokenRun("barrier-reentry")
    #expect(run.isSilent)
    let barrier = try #require(run.trace.operations.first { $0.isBarrier })
    let query = try run.operation("Query totals")
    let (added, pending) = (try #require(query.enqueued), try #require(barrier.enqueued))
    #expect(pending.time < added.time)
    #expect(try #require(query.cancelRequested).time < added.time)
    #expect(barrier.started == nil && query.started == nil)
    #expect(run.trace.thread(try #require(query.addingSince).thread)?.isMain == true)
    let read = try run.operation("Read rows")
    // It finished, but its start() has not returned.
    #expect(read.finished != nil && read.startReturned == nil)
    // The program hangs before its next line, which would wait for the queue.
    #expect(run.trace.waits.isEmpty)
  }

  @Test("thread-pool-starvation: while all threads wait, the pool gets one more thread each second")
  func threadPoolStarvation() async throws {
    let run = try await BrokenRun("thread-pool-starvation")
    #expect(run.ending == .exited(status: 0))
    #expect(run.lines == ["All thumbnails are made."])
    let library = try run.operation("Load library")
    let start = try #require(library.started)
    let thumbnails = run.trace.operations.filter { $0.title.hasPrefix("Thumbnail ") }
    // It was ready to run before the last thumbnail got a thread.
    #expect(try #require(library.runnable) < #require(thumbnails.compactMap(\.started?.time).max()))
    for thumbnail in thumbnails {
      #expect(try #require(thumbnail.executionBegan).time < start.time)
      let wait = try #require(run.trace.waits.first { $0.inside == thumbnail.id })
      #expect(try #require(wait.ended) > #require(library.executionBegan).time)
      guard case .object(let id) = wait.target else {
        Issue.record("\(thumbnail.title) waits for no object")
        continue
      }
      #expect(run.trace.object(id)?.kind == .semaphore)
    }
    // The system adds a thread after the pool has been idle for a second.
    let starts = (thumbnails + [library]).compactMap(\.started?.time).sorted()
    let late = zip(starts, starts.dropFirst()).filter { $1 - $0 > 900_000_000 }
    #expect(late.count >= 1)
  }
}
