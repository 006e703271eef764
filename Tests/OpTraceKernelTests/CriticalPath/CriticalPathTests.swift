import OpTraceKernel
import TestSupport
import OpTraceModel
import Testing

@Suite struct CriticalPathTests {
  private func milliseconds(_ value: Double) -> Nanoseconds { HandmadeTrace.nanoseconds(value) }

  private func expectTiles(_ path: CriticalPath, _ comment: Comment? = nil) {
    for (step, next) in zip(path.steps, path.steps.dropFirst()) {
      #expect(step.ended == next.began, comment)
    }
    for step in path.steps {
      #expect(step.waitingForDependencies >= 0 && step.waitingForSlot >= 0 && step.running >= 0, comment)
      #expect(step.waitingForThread >= 0, comment)
      let waited = step.waitingForDependencies + step.waitingForSlot + step.waitingForThread
      #expect(waited + step.running == step.duration, comment)
    }
    let waited = path.waitingForDependencies + path.waitingForSlot + path.waitingForThread
    #expect(waited + path.total == path.span, comment)
  }

  /// In an eager run an operation runs at every moment, so the running time of the path is the whole run. This oracle
  /// does not depend on how the path is found.
  @Test(arguments: [[0], [1], [2]])
  func pathCoversTheRunForAllGraphsOfFour(limits: [Int]) {
    let durations = [3, 1, 4, 2]
    for mask in 0..<64 {
      var jobs = durations.map { Scheduler.Job(duration: $0) }
      var bit = 0
      for later in 0..<4 {
        for earlier in 0..<later {
          if mask >> bit & 1 == 1 { jobs[later].after.append(earlier) }
          bit += 1
        }
      }
      let path = CriticalPath(of: Scheduler.run(jobs, limits: limits))
      expectTiles(path, "mask \(mask)")
      #expect(path.total == path.wall, "mask \(mask): \(path.steps)")
      #expect(path.share == 1)
      #expect(path.steps.first?.cause == .start)
    }
  }

  @Test func pathCoversTheRunForAllGraphsOfFive() {
    let durations = [2, 5, 1, 3, 2]
    for mask in 0..<1024 {
      var jobs = durations.enumerated().map { Scheduler.Job(duration: $0.element, queue: ($0.offset * 3 + mask) % 2) }
      var bit = 0
      for later in 0..<5 {
        for earlier in 0..<later {
          if mask >> bit & 1 == 1 { jobs[later].after.append(earlier) }
          bit += 1
        }
      }
      let path = CriticalPath(of: Scheduler.run(jobs, limits: [1, 2]))
      expectTiles(path, "mask \(mask)")
      #expect(path.total == path.wall, "mask \(mask): \(path.steps)")
    }
  }

  /// Steps name a real cause: a dependency that finished when the step began, or an operation of the same queue.
  @Test func causesMatchTheTrace() {
    for stop in 0..<14 {
      let jobs = (0..<8).map {
        Scheduler.Job(duration: 1 + $0 % 3, after: $0 > 2 ? [$0 - 3, $0 - 2] : [], queue: $0 % 2)
      }
      let trace = Scheduler.run(jobs, limits: [1, 1], stop: stop)
      let path = CriticalPath(of: trace)
      expectTiles(path, "stop \(stop)")
      for step in path.steps {
        let record = trace.operation(step.work)
        switch step.cause {
        case .start: #expect(step == path.steps.first)
        case .dependency(let before):
          #expect(record?.dependencies.contains { $0.on == before } == true)
          #expect(trace.operation(before)?.finished?.time == step.began)
        case .slot(let before):
          #expect(trace.operation(before)?.queue == record?.queue)
          #expect(trace.operation(before)?.finished?.time == step.began)
        case .submission, .signal: Issue.record("there are only operations")
        }
      }
    }
  }

  @Test func chainIsItsOwnPath() {
    var make = HandmadeTrace()
    let queue = make.queue("q", limit: 4)
    make.operation("a", on: queue, began: 0, ended: 10)
    make.operation("b", on: queue, after: [1], ready: 10, began: 11, ended: 20)
    make.operation("beside", on: queue, began: 0, ended: 19)
    let path = CriticalPath(of: make.trace)
    #expect(path.steps.map(\.work) == [OperationID(1), OperationID(2)])
    #expect(path.steps.map(\.cause) == [.start, .dependency(OperationID(1))])
    #expect(path.steps.last?.waitingForThread == milliseconds(1))
    #expect(path.total == milliseconds(19))
    #expect(path.wall == milliseconds(20))
    #expect(path.remaining.isEmpty)
  }

  @Test func slotHolderOfAFullQueueIsOnThePath() {
    var make = HandmadeTrace()
    let queue = make.queue("serial", limit: 1)
    make.operation("holder", on: queue, began: 0, ended: 50)
    make.operation("waiter", on: queue, ready: 0, began: 52, ended: 60)
    let path = CriticalPath(of: make.trace)
    #expect(path.steps.map(\.cause) == [.start, .slot(OperationID(1))])
    #expect(path.steps.last?.waitingForThread == milliseconds(2), "the rest of the wait is the holder's run")
  }

  @Test func queueWithAFreeSlotGivesNoCause() {
    var make = HandmadeTrace()
    let queue = make.queue("wide", limit: 2)
    make.operation("other", on: queue, began: 0, ended: 50)
    make.operation("late", on: queue, ready: 0, began: 52, ended: 60)
    let path = CriticalPath(of: make.trace)
    #expect(path.steps.map(\.work) == [OperationID(2)])
    #expect(path.steps.first?.waitingForSlot == 0)
    #expect(path.steps.first?.waitingForThread == milliseconds(52))
  }

  @Test func limitAtTheStartOfTheOperationCounts() {
    var make = HandmadeTrace()
    let queue = make.queue("q", limit: 2)
    make.operation("other", on: queue, began: 0, ended: 50)
    make.operation("waiter", on: queue, ready: 0, began: 50, ended: 60)
    make.trace.queues[0].changes = [
      QueueRecord.Change(time: milliseconds(10), thread: ThreadID(1), kind: .limit(1)),
      QueueRecord.Change(time: milliseconds(55), thread: ThreadID(1), kind: .limit(2)),
    ]
    #expect(CriticalPath(of: make.trace).steps.map(\.cause) == [.start, .slot(OperationID(1))])
  }

  @Test func barrierCountsAsASlot() {
    var make = HandmadeTrace()
    let queue = make.queue("wide")
    make.operation("before", on: queue, began: 0, ended: 30)
    let barrier = make.operation("barrier", on: queue, ready: 0, began: 30, ended: 40)
    make[barrier].isBarrier = true
    make.operation("behind", on: queue, ready: 0, began: 40, ended: 70)
    let path = CriticalPath(of: make.trace)
    #expect(path.steps.map(\.cause) == [.start, .slot(OperationID(1)), .slot(OperationID(2))])
  }

  /// Foundation on Linux makes operations behind a barrier ready only when the barrier is over.
  @Test func barrierThatDelaysReadinessIsOnThePath() {
    var make = HandmadeTrace()
    let queue = make.queue("wide", limit: 3)
    make.operation("before", on: queue, began: 0, ended: 30)
    make.operation("dependency", on: queue, began: 0, ended: 10)
    let barrier = make.operation("barrier", on: queue, ready: 31, began: 32, ended: 40)
    make[barrier].isBarrier = true
    make.operation("behind", on: queue, after: [2], enqueued: 1, ready: 41, began: 42, ended: 70)
    let path = CriticalPath(of: make.trace)
    #expect(path.steps.map(\.cause) == [.start, .slot(OperationID(1)), .slot(barrier)])
    #expect(path.steps.last?.waitingForDependencies == milliseconds(1))
    expectTiles(path)
  }

  @Test func laterBarrierIsNoCause() {
    var make = HandmadeTrace()
    let queue = make.queue("wide")
    make.operation("late", on: queue, enqueued: 0, ready: 50, began: 50, ended: 60)
    let barrier = make.operation("barrier", on: queue, enqueued: 10, ready: 10, began: 10, ended: 45)
    make[barrier].isBarrier = true
    #expect(CriticalPath(of: make.trace).steps.map(\.cause) == [.start])
  }

  @Test func removedDependencyIsNoCause() {
    var make = HandmadeTrace()
    let queue = make.queue("q", limit: 4)
    make.operation("a", on: queue, began: 0, ended: 10)
    let second = make.operation("b", on: queue, after: [1], ready: 12, began: 12, ended: 20)
    make[second].dependencies[0].removed = HandmadeTrace.nanoseconds(5)
    #expect(CriticalPath(of: make.trace).steps.map(\.work) == [second])
  }

  @Test func pendingOperationsFollowExecutingOnes() {
    let path = CriticalPath(of: PhotoImport.stuck())
    #expect(path.works.map(\.rawValue) == [1, 2, 5, 10, 15, 16, 20, 21, 26])
    #expect(path.remaining.map(\.rawValue) == [20, 21, 26])
    #expect(path.total == milliseconds(2540))
    #expect(path.wall == milliseconds(2600))
    expectTiles(path)
  }

  @Test func withoutExecutingWorkThePathEndsAtTheLastFinish() {
    var make = HandmadeTrace(end: 100)
    let queue = make.queue("q", limit: 4)
    make.operation("done", on: queue, began: 0, ended: 10)
    make.operation("a", on: queue, after: [1, 3])
    make.operation("b", on: queue, after: [2])
    let path = CriticalPath(of: make.trace)
    #expect(path.works == [OperationID(1)])
    #expect(path.wall == milliseconds(100))
  }

  @Test func operationsWithoutDurationEndTheWalk() {
    var make = HandmadeTrace()
    let queue = make.queue("q", limit: 1)
    make.operation("a", on: queue, after: [2], ready: 5, began: 5, ended: 5)
    make.operation("b", on: queue, after: [1], ready: 5, began: 5, ended: 5)
    let path = CriticalPath(of: make.trace)
    #expect(path.steps.count == 2)
    expectTiles(path)
  }

  @Test func emptyTraceHasNoPath() {
    let path = CriticalPath(of: HandmadeTrace().trace)
    #expect(path.works.isEmpty && path.total == 0 && path.share == 0 && path.span == 0)
  }
}
