import OpTraceModel
import OpTraceScenarios
import TestSupport
import Testing

/// Each program hangs and is ended after two silent seconds. The programs are in several suites, which run at once.
@Suite("Broken programs: cycles", .serialized, .ownThread)
struct BrokenCycleTests {
  @Test("dependency-cycle: three operations on two queues form a cycle, and one waits behind it")
  func dependencyCycle() async throws {
    let run = try await BrokenRun("dependency-cycle")
    #expect(run.isSilent)
    let cycle = try run.operations("Refresh token", "Open database", "Load profile")
    for (operation, next) in zip(cycle, cycle.dropFirst() + cycle.prefix(1)) {
      #expect(operation.depends(on: next), "\(operation.title) → \(next.title)")
      #expect(operation.state == .pending && operation.started == nil)
    }
    #expect(Set(cycle.map(\.queue)).count == 2)
    #expect(cycle.allSatisfy { $0.source?.contains("DependencyCycle.swift:") == true })
    #expect(try run.operation("Read settings").state == .finished)
    let show = try run.operation("Show profile")
    #expect(show.depends(on: cycle[2]) && show.state == .pending)
  }

  @Test("dependency-cycle-self: the trace has the edge that the hanging call adds")
  func dependencyCycleSelf() async throws {
    let run = try await BrokenRun("dependency-cycle-self")
    #expect(run.isSilent)
    let (page, catalogue) = (try run.operation("Load page 1"), try run.operation("Load catalogue"))
    #expect(page.dependencies.map(\.on) == [catalogue.id, page.id])
    #expect(page.depends(on: page) && page.enqueued != nil && page.started == nil)
    #expect(catalogue.finished != nil)
    // The program hangs in that call, before it adds its next page.
    #expect(run.trace.operations.count == 2)
  }

  @Test("queue-self-wait: the holder of the only slot waits for an operation behind it")
  func queueSelfWait() async throws {
    let run = try await BrokenRun("queue-self-wait")
    #expect(run.isSilent)
    let (save, journal) = (try run.operation("Save order"), try run.operation("Write journal"))
    #expect(try run.queue("database").limit == 1)
    #expect(save.queue == journal.queue)
    #expect(run.isRunning(save))
    #expect(journal.state == .ready)
    #expect(try run.openWait(for: journal, inside: save).thread == save.executionBegan?.thread)
    let confirm = try run.operation("Confirm order")
    #expect(confirm.state == .pending && confirm.depends(on: save))
  }

  @Test("wait-cycle: the holder of each queue's slot waits for a slot of the other queue")
  func waitCycle() async throws {
    let run = try await BrokenRun("wait-cycle")
    #expect(run.isSilent)
    let (importing, rename) = (try run.operation("Import photos"), try run.operation("Rename album"))
    let (update, covers) = (try run.operation("Update album"), try run.operation("Reload covers"))
    #expect(run.isRunning(importing) && run.isRunning(rename))
    #expect(update.queue == rename.queue && covers.queue == importing.queue && update.queue != covers.queue)
    #expect(update.state == .ready && covers.state == .ready)
    _ = try run.openWait(for: update, inside: importing)
    _ = try run.openWait(for: covers, inside: rename)
    #expect(run.trace.queues.map(\.limit) == [1, 1])
  }

  @Test("wait-cycle-mutual: two executing operations wait for each other")
  func waitCycleMutual() async throws {
    let run = try await BrokenRun("wait-cycle-mutual")
    #expect(run.isSilent)
    let (upload, download) = (try run.operation("Upload notes"), try run.operation("Download notes"))
    #expect(run.isRunning(upload) && run.isRunning(download))
    _ = try run.openWait(for: download, inside: upload)
    _ = try run.openWait(for: upload, inside: download)
    #expect(try run.operation("Merge notes").state == .pending)
    #expect(try run.queue("sync").limit == 4)
  }

  @Test("lock-cycle: both operations execute and do not finish")
  func lockCycle() async throws {
    let run = try await BrokenRun("lock-cycle")
    #expect(run.isSilent)
    let (save, spend) = (try run.operation("Save wages"), try run.operation("Spend savings"))
    #expect(run.isRunning(save) && run.isRunning(spend))
    #expect(try run.queue("bank").limit == 2)
  }

  @Test("lock-cycle-wait: the main thread waits for an executing operation")
  func lockCycleWait() async throws {
    let run = try await BrokenRun("lock-cycle-wait")
    #expect(run.isSilent)
    let refresh = try run.operation("Refresh cache")
    #expect(run.isRunning(refresh))
    let wait = try run.wait(for: .operation(refresh.id))
    #expect(wait.ended == nil && run.trace.thread(wait.thread)?.isMain == true)
  }

  @Test("main-thread-deadlock: the main thread waits for an operation that waits for the main queue")
  func mainThreadDeadlock() async throws {
    let run = try await BrokenRun("main-thread-deadlock")
    #expect(run.isSilent)
    let (render, show) = (try run.operation("Render report"), try run.operation("Show progress"))
    let queue = try #require(show.queue.flatMap { run.trace.queue($0) })
    #expect(queue.isMain)
    #expect(show.state == .ready && run.isRunning(render))
    _ = try run.openWait(for: show, inside: render)
    let wait = try run.wait(for: .queue(try run.queue("background").id))
    #expect(wait.ended == nil)
    #expect(run.trace.thread(wait.thread)?.isMain == true)
  }
}
