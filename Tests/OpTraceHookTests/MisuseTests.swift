import OpTraceModel
import TestSupport
import Testing

/// Programs misuse operations and queues, or do what Foundation on Linux cannot handle. The records that
/// prove it are in the trace of the process that crashed, hung or was killed.
@Suite(.ownThread) struct MisuseTests {
  static let ways: [Way] = [.traced, .foreign, .instrumented, .recorded]
  /// A traced queue does not record operations that are in no queue.
  static let waysWithoutQueues: [Way] = [.traced, .instrumented, .recorded]

  private func killed(
    _ evidence: Evidence, _ way: Way, when isThere: (Trace) -> Bool
  ) throws -> Trace {
    let program = try HangingProgram(evidence, way)
    try program.follow(until: isThere)
    let (events, trace) = try program.kill()
    #expect(TraceValidator.check(events).map(\.description) == [])
    return trace
  }

  private func crashed(_ evidence: Evidence, _ way: Way) throws -> Trace {
    let (events, trace) = try HangingProgram(evidence, way).crash()
    #expect(TraceValidator.check(events).map(\.description) == [])
    return trace
  }

  private func has(_ name: String, _ isSo: @escaping (OperationRecord) -> Bool) -> (Trace) -> Bool {
    { trace in trace.operations.contains { $0.name == name && isSo($0) } }
  }

  private func isWaitedFor(_ name: String) -> (Trace) -> Bool {
    { trace in
      trace.waits.contains { wait in
        guard case .operation(let id) = wait.target, wait.ended == nil else { return false }
        return trace.operation(id)?.name == name
      }
    }
  }

  // MARK: Dependencies

  @Test(arguments: ways) func dependencyOnItselfIsRecordedBeforeTheCallHangs(_ way: Way) throws {
    let trace = try killed(.dependsOnItself, way, when: has("loop") { !$0.dependencies.isEmpty })
    let loop = try trace.operation(named: "loop")
    #expect(loop.dependencies.map(\.on) == [loop.id])
    #expect(loop.enqueued != nil && loop.started == nil)
  }

  @Test(arguments: waysWithoutQueues) func dependencyOnItselfIsRecordedBeforeAdding(_ way: Way) throws {
    let trace = try killed(.dependsOnItselfBeforeAdding, way, when: has("loop") { !$0.dependencies.isEmpty })
    let loop = try trace.operation(named: "loop")
    #expect(loop.dependencies.map(\.on) == [loop.id])
    #expect(loop.enqueued == nil)
  }

  @Test(arguments: waysWithoutQueues) func releasedDependentThatWasNeverEnqueuedIsRecorded(_ way: Way) throws {
    let trace = try killed(.dependentReleased, way, when: has("before") { $0.enqueued != nil })
    let before = try trace.operation(named: "before")
    let after = try trace.operation(named: "after")
    #expect(after.dependencies.map(\.on) == [before.id])
    #expect(after.dependencies.allSatisfy { $0.removed == nil })
    #expect(after.released != nil && after.enqueued == nil)
    #expect(before.finished == nil)
  }

  @Test(arguments: ways) func cancelledDependentIsReleasedBeforeItsDependencyFinishes(_ way: Way) throws {
    let trace = try killed(.cancelledDependentReleased, way, when: has("after") { $0.released != nil })
    let before = try trace.operation(named: "before")
    let after = try trace.operation(named: "after")
    #expect(after.dependencies.map(\.on) == [before.id])
    #expect(after.cancelRequested != nil && after.finished != nil)
    #expect(before.started != nil && before.finished == nil)
  }

  // MARK: Queues

  @Test(arguments: ways) func barrierOnAnIdleSuspendedQueueRuns(_ way: Way) throws {
    let trace = try killed(.barrierOnIdleQueue, way) { $0.barrier?.finished != nil }
    let barrier = try #require(trace.barrier)
    let enqueued = try #require(barrier.enqueued?.time)
    let queue = try #require(trace.queues.first { $0.id == barrier.queue })
    #expect(queue.changes.map(\.kind).contains(.suspended))
    #expect(queue.isSuspended)
    let suspended = try #require(queue.changes.last { $0.kind == .suspended }?.time)
    #expect(suspended <= enqueued)
    // The queue is idle: all its earlier operations are finished.
    let before = trace.operations.filter { $0.queue == queue.id && $0.id != barrier.id }
    #expect(before.map(\.name) == ["before"])
    #expect(before.allSatisfy { $0.finished.map { $0.time <= enqueued } ?? false })
  }

  @Test(arguments: ways) func waitForTheQueueEndsBeforeItsBarrierEnds(_ way: Way) throws {
    func waits(_ trace: Trace) -> [WaitRecord] {
      trace.waits.filter { wait in trace.queues.contains { wait.target == .queue($0.id) } }
    }
    let trace = try killed(.barrierOutlivesTheWait, way) { trace in waits(trace).contains { $0.ended != nil } }
    let barrier = try #require(trace.barrier)
    let wait = try #require(waits(trace).first)
    #expect(barrier.queue.map { wait.target == .queue($0) } == true)
    #expect(barrier.started.map { $0.time <= wait.began } == true)
    #expect(wait.ended != nil && barrier.finished == nil)
  }

  @Test(arguments: ways) func suspendingAndResumingAreRecorded(_ way: Way) throws {
    let trace = try killed(.suspendedForGood, way, when: isWaitedFor("waits"))
    let queue = try #require(trace.queues.first)
    let changes = queue.changes.filter { $0.kind != .limit(3) }
    #expect(changes.map(\.kind) == [.suspended, .resumed, .suspended])
    #expect(queue.isSuspended)
    let waits = try trace.operation(named: "waits")
    #expect(waits.ready != nil && waits.started == nil)
  }

  @Test(arguments: ways) func limitOfZeroIsRecorded(_ way: Way) throws {
    let trace = try killed(.limitOfZero, way, when: isWaitedFor("waits"))
    let queue = try #require(trace.queues.first)
    #expect(queue.changes.last?.kind == .limit(0))
    #expect(queue.limit == 0)
    let waits = try trace.operation(named: "waits")
    #expect(waits.ready != nil && waits.started == nil)
  }

  // MARK: Starting and finishing

  @Test(arguments: ways) func startingAnEnqueuedOperationByHandIsRecorded(_ way: Way) throws {
    let owned = try crashed(.startedInAQueue, way).operation(named: "owned")
    #expect(owned.enqueueCount == 1 && owned.startCount == 1)
    // It started on the thread that added it, while the queue was suspended: the queue did not start it.
    #expect(owned.started?.thread == owned.enqueued?.thread)
    #expect(owned.executionBegan == nil && owned.startReturned == nil)
  }

  @Test(arguments: waysWithoutQueues) func startingTwiceIsRecorded(_ way: Way) throws {
    let trace = try killed(.startedTwice, way, when: has("twice") { $0.startCount == 2 })
    let twice = try trace.operation(named: "twice")
    #expect(twice.finishCount == 1 && twice.enqueueCount == 0)
  }

  @Test(arguments: ways) func addingTwiceIsRecorded(_ way: Way) throws {
    let twice = try crashed(.addedTwice, way).operation(named: "twice")
    #expect(twice.enqueueCount == 2 && twice.startCount == 0)
  }

  @Test(arguments: [Way.foreign, .instrumented, .recorded]) func finishingBeforeTheStartIsRecorded(_ way: Way) throws {
    let program = try HangingProgram(.finishedBeforeStart, way)
    try program.follow(until: has("early") { $0.finished != nil })
    let early = try program.kill().trace.operation(named: "early")
    #expect(early.enqueued != nil && early.started == nil && early.cancelRequested == nil)
    #expect(early.coverage == .full)
  }

  /// An operation that did nothing differs from an asynchronous one that continues: its code never began.
  @Test(arguments: [Way.foreign, .instrumented, .recorded])
  func cancelledOperationReturnsFromStartWithoutExecuting(_ way: Way) throws {
    let trace = try killed(
      .cancelledAndNeverFinished, way,
      when: { trace in ["slow", "lazy"].allSatisfy { self.has($0) { $0.startReturned != nil }(trace) } })
    let lazy = try trace.operation(named: "lazy")
    #expect(lazy.cancelRequested != nil && lazy.started != nil && lazy.isAsynchronous)
    #expect(lazy.executionBegan == nil && lazy.finished == nil)
    let slow = try trace.operation(named: "slow")
    #expect(slow.executionBegan != nil && slow.finished == nil)
  }
}
