import Foundation
import OpTraceModel
import OpTraceScenarios
import TestSupport
import Testing

@Suite("Broken programs: misuse", .serialized, .ownThread)
struct BrokenMisuseTests {
  @Test("finished-without-start: an operation finishes in the queue without a start; the queue crashes")
  func finishedWithoutStart() async throws {
    let run = try await BrokenRun("finished-without-start")
    #if os(Linux)
      #expect(run.ending == .killed(signal: SIGSEGV))
    #endif
    let map = try run.operation("Download map")
    #expect(map.enqueued != nil && map.cancelRequested != nil && map.finished != nil)
    #expect(map.started == nil && map.executionBegan == nil)
    #expect(try run.operation("Download cover").state == .finished)
    #expect(try run.operations("Download comments", "Show page").map(\.state) == [.ready, .ready])
  }

  @Test("double-finish: an operation reports its finish twice")
  func doubleFinish() async throws {
    let run = try await BrokenRun("double-finish")
    #expect(run.ending == .exited(status: 0))
    let request = try run.operation("Request weather")
    #expect(request.finishCount == 2)
    #expect(try #require(request.finished).time < run.mark("The request answered.").at.time)
    #expect(try await BrokenRun("double-finish", fixed: true).operation("Request weather").finishCount == 1)
  }

  @Test("double-start: the main thread starts an operation while another holds the queue's only slot")
  func doubleStart() async throws {
    let run = try await BrokenRun("double-start")
    #if os(Linux)
      guard case .killed = run.ending else {
        Issue.record("Foundation did not stop it: \(run.ending)")
        return
      }
    #endif
    let (export, upload) = (try run.operation("Export album"), try run.operation("Upload album"))
    #expect(run.isRunning(export) && run.isRunning(upload))
    #expect(export.queue == upload.queue)
    #expect(try run.queue("exports").limit == 1)
    #expect(run.trace.thread(try #require(upload.started).thread)?.isMain == true)
    #expect(upload.executionBegan == nil)
  }

  @Test("double-start-enqueued: one operation is added to two queues")
  func doubleStartEnqueued() async throws {
    let run = try await BrokenRun("double-start-enqueued")
    #if os(Linux)
      guard case .killed = run.ending else {
        Issue.record("Foundation did not stop it: \(run.ending)")
        return
      }
    #endif
    #expect(try run.operation("Download poster").enqueueCount == 2)
    #expect(try run.operation("Download film").enqueueCount == 1)
  }

  @Test("premature-finish: a span ends after its operation, and the dependent finds no result")
  func prematureFinish() async throws {
    let run = try await BrokenRun("premature-finish")
    #expect(run.ending == .exited(status: 0))
    #expect(run.lines == ["There is nothing to show yet."])
    let load = try run.operation("Load article")
    let span = try #require(run.trace.spans.first { $0.operation == load.id })
    #expect(!load.isAsynchronous)
    #expect(try #require(span.ended).time > #require(load.finished).time)

    let twin = try await BrokenRun("premature-finish", fixed: true)
    #expect(twin.lines == ["The article is shown."])
    let patient = try twin.operation("Load article")
    let parsing = try #require(twin.trace.spans.first { $0.operation == patient.id })
    #expect(try #require(parsing.ended).time <= #require(patient.finished).time)
  }

  @Test("dependent-released: dependents are released while their prerequisite still runs")
  func dependentReleased() async throws {
    let run = try await BrokenRun("dependent-released")
    // Foundation may do anything with released memory, so the ending is not checked.
    let download = try run.operation("Download picture")
    let end = try #require(download.finished).time
    let cells = run.trace.operations.filter { $0.title.hasPrefix("Show cell ") }
    #expect(cells.count == 4)
    for cell in cells {
      #expect(cell.depends(on: download) && cell.state == .cancelled)
      #expect(try #require(cell.released).time < end)
    }
    let twin = try await BrokenRun("dependent-released", fixed: true)
    let twinEnd = try #require(twin.operation("Download picture").finished).time
    #expect(twin.trace.operations.allSatisfy { ($0.released?.time ?? .max) > twinEnd })
  }

  @Test("barrier-on-idle-queue: a barrier runs although its queue is suspended")
  func barrierOnIdleQueue() async throws {
    let run = try await BrokenRun("barrier-on-idle-queue")
    #expect(run.ending == .exited(status: 0))
    #expect(run.lines == ["Compacts a database that is locked.", "The database is unlocked."])
    let barrier = try #require(run.trace.operations.first)
    let changes = try run.queue("database").changes
    let suspended = try #require(changes.first { $0.kind == .suspended }).time
    let resumed = try #require(changes.first { $0.kind == .resumed }).time
    #expect(barrier.isBarrier && run.trace.operations.count == 1)
    #expect(try #require(barrier.enqueued).time > suspended)
    #expect(try #require(barrier.executionBegan).time < resumed)

    let twin = try await BrokenRun("barrier-on-idle-queue", fixed: true)
    #expect(twin.lines == ["The database is unlocked.", "Compacts the database."])
  }

  @Test("retained-operation: each operation's dependencies retain the finished operation before it")
  func retainedOperation() async throws {
    let run = try await BrokenRun("retained-operation")
    #expect(run.ending == .exited(status: 0))
    let reading = try run.mark("The reader reads.").at.time
    let pages = run.trace.operations
    #expect(pages.count == 6)
    #expect(pages.allSatisfy { ($0.finished?.time ?? .max) < reading })
    #expect(pages.allSatisfy { ($0.released?.time ?? .max) > reading })
    #expect(zip(pages, pages.dropFirst()).allSatisfy { $1.depends(on: $0) })

    let twin = try await BrokenRun("retained-operation", fixed: true)
    let then = try twin.mark("The reader reads.").at.time
    #expect(twin.trace.operations.dropLast().allSatisfy { ($0.released?.time ?? .max) < then })
  }

  @Test("started-before-dependency: an operation starts before its prerequisite is finished")
  func startedBeforeDependency() async throws {
    let run = try await BrokenRun("started-before-dependency")
    #expect(run.ending == .exited(status: 0))
    let (tiles, draw) = (try run.operation("Load tiles"), try run.operation("Draw map"))
    let edge = try #require(draw.dependencies.first)
    #expect(edge.on == tiles.id && edge.removed == nil)
    let start = try #require(draw.started).time
    #expect(edge.added < start)
    #expect(try #require(tiles.finished).time > start)
    #expect(draw.cancelRequested == nil && tiles.cancelRequested == nil)
    #expect(draw.overridesReady && !tiles.overridesReady)
  }
}
