import OpTraceFormat
import OpTraceModel
import OpTraceScenarios
import TestSupport
import Testing

@Suite("Broken programs: slow", .serialized, .ownThread)
struct BrokenSlowTests {
  @Test("priority-inversion: the dependency of the urgent operation runs last")
  func priorityInversion() async throws {
    for isFixed in [false, true] {
      let run = try await BrokenRun("priority-inversion", fixed: isFixed)
      #expect(run.ending == .exited(status: 0))
      let (fetch, show) = (try run.operation("Fetch page"), try run.operation("Show page"))
      #expect(show.depends(on: fetch) && show.priority == 8)
      #expect(fetch.priority == (isFixed ? 8 : -8))
      let others = run.trace.operations.filter { $0.title.hasPrefix("Prefetch ") }
      #expect(others.count == 5)
      #expect(others.allSatisfy { isFixed ? fetch.isOver(before: $0) : $0.isOver(before: fetch) })
    }
  }

  @Test("blocking-wait: both slot holders wait while others are ready")
  func blockingWait() async throws {
    let run = try await BrokenRun("blocking-wait")
    #expect(run.ending == .exited(status: 0))
    let download = try run.operation("Download photo")
    let rotations = run.trace.operations.filter { $0.title.hasPrefix("Rotate ") }
    #expect(rotations.count == 3)
    for thumbnail in try run.operations("Make small thumbnail", "Make large thumbnail") {
      let wait = try #require(run.trace.waits.first { $0.inside == thumbnail.id })
      #expect(wait.target == .operation(download.id))
      #expect(try #require(wait.ended) >= #require(download.finished).time)
      #expect(
        rotations.allSatisfy { ($0.runnable ?? .max) < wait.ended ?? 0 && ($0.started?.time ?? 0) > wait.ended ?? 0 })
    }
    let statistics = try run.operation("Send statistics")
    let wait = try #require(run.trace.waits.first { $0.inside == statistics.id })
    let object: ObjectID? = if case .object(let id) = wait.target { id } else { nil }
    #expect(object.flatMap { run.trace.object($0)?.kind } == .semaphore)
    #expect(run.threadName(wait.endSignal?.thread) == "callbacks")

    let twin = try await BrokenRun("blocking-wait", fixed: true)
    #expect(twin.trace.waits.allSatisfy { $0.inside == nil || $0.ended != nil })
    let late = try twin.operation("Download photo")
    #expect(twin.trace.waits.allSatisfy { $0.inside == nil || $0.target != .operation(late.id) })
  }

  @Test("serial-bottleneck: operations run one at a time while others are ready; the fixed queue has no such limit")
  func serialBottleneck() async throws {
    let run = try await BrokenRun("serial-bottleneck")
    #expect(run.ending == .exited(status: 0))
    let photos = run.operations(in: try run.queue("decode"))
    #expect(photos.count == 8 && peak(photos) == 1)
    let last = try #require(photos.compactMap(\.run?.upperBound).max())
    #expect(try #require(run.operation("Show album").run).lowerBound >= last)
    let begins = photos.compactMap(\.run?.lowerBound).sorted()
    #expect(photos.allSatisfy { ($0.runnable ?? .max) < begins[3] })

    let twin = try await BrokenRun("serial-bottleneck", fixed: true)
    #expect(try twin.queue("decode").limit != 1)
  }

  @Test("dependency-chain-cost: each operation waits for the previous one, and nothing runs most of the time")
  func dependencyChainCost() async throws {
    let run = try await BrokenRun("dependency-chain-cost")
    #expect(run.ending == .exited(status: 0))
    let rows = run.trace.operations
    #expect(rows.count == 2000)
    #expect(zip(rows, rows.dropFirst()).allSatisfy { $1.depends(on: $0) && $0.isOver(before: $1) })
    let running = rows.compactMap { $0.run.map { $0.upperBound - $0.lowerBound } }.reduce(0, +)
    let (first, last) = (try #require(rows.first?.run), try #require(rows.last?.run))
    #expect(running < (last.upperBound - first.lowerBound) / 4)

    let twin = try await BrokenRun("dependency-chain-cost", fixed: true)
    #expect(twin.trace.operations.allSatisfy { $0.dependencies.isEmpty })
    #expect(zip(twin.trace.operations, twin.trace.operations.dropFirst()).allSatisfy { $0.isOver(before: $1) })
  }
}
