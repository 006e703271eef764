import Foundation
import OpTrace
import OpTraceFormat
import OpTraceModel
import TestSupport
import Testing

/// Records of operations with an ordinary life.
@Suite(.ownThread) struct LifeTests {
  @Test func blockInQueueIsRecordedInFull() throws {
    let trace = try recorded { recorder in
      let queue = TracedOperationQueue(name: "network", maxConcurrentOperationCount: 2, recorder: recorder)
      queue.addOperation(named: "manifest") {}
      queue.waitUntilAllOperationsAreFinished()
    }
    let operation = try trace.operation(named: "manifest")
    #expect(operation.className == "TracedBlockOperation")
    #expect(operation.coverage == .full)
    #expect(operation.state == .finished)
    #expect(operation.source?.hasPrefix("OpTraceTests/LifeTests.swift:") == true)
    let queue = try #require(trace.queues.first)
    #expect(queue.name == "network" && queue.limit == 2)
    #expect(operation.queue == queue.id)
    let stamps = [
      operation.enqueued, operation.ready, operation.started, operation.executionBegan, operation.executionEnded,
      operation.finished,
    ]
    let times = stamps.compactMap { $0?.time }
    #expect(times.count == stamps.count)
    #expect(times == times.sorted())
    #expect(operation.enqueued?.thread != operation.started?.thread)
    // Foundation on Linux waits for a queue by waiting for each operation, which is recorded, too.
    #expect(trace.waits.contains { $0.target == .queue(queue.id) && $0.ended != nil })
  }

  #if os(Linux)
    /// After a crash Swift's runtime stops all threads by SIGPROF, SIGUSR1 or SIGUSR2, and prints a warning for
    /// each thread that blocks all of them.
    @Test func crashReporterCanStopTheFlusher() throws {
      _ = try recorded { _ in
        func blocks(_ mask: UInt64, _ signal: Int32) -> Bool { mask >> UInt64(signal - 1) & 1 == 1 }
        var masks: [UInt64] = []
        // The thread sets its name when it first runs. A sanitizer or the C library may block all signals for a moment.
        try eventually("keepers run, and each can be stopped") {
          masks = try blockedSignals(ofThreadsNamed: "optrace")
          return !masks.isEmpty
            && masks.allSatisfy { mask in [SIGPROF, SIGUSR1, SIGUSR2].contains { !blocks(mask, $0) } }
        }
        // The thread blocks all other signals, which belong to the program.
        for mask in masks {
          #expect([SIGUSR1, SIGTERM, SIGINT, SIGALRM].allSatisfy { blocks(mask, $0) }, "\(String(mask, radix: 16))")
        }
      }
    }

    private func blockedSignals(ofThreadsNamed name: String) throws -> [UInt64] {
      let tasks = "/proc/self/task"
      return try FileManager.default.contentsOfDirectory(atPath: tasks).compactMap { task in
        // Threads of other tests may end meanwhile.
        guard let status = try? String(contentsOfFile: "\(tasks)/\(task)/status", encoding: .utf8),
          status.hasPrefix("Name:\t\(name)\n"),
          let line = status.split(separator: "\n").first(where: { $0.hasPrefix("SigBlk:") })
        else { return nil }
        return UInt64(line.dropFirst("SigBlk:".count).drop { !$0.isHexDigit }, radix: 16)
      }
    }
  #endif

  final class Boxed<Value>: TracedOperation, @unchecked Sendable {}

  @Test("the modules of classes are recorded, and a ring keeps them", arguments: [false, true])
  func modules(isRing: Bool) throws {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(
      writingTo: scratch.file(), configuration: isRing ? .flightRecorder(capacity: 128 * 1024) : .streaming)
    let queue = TracedOperationQueue(name: "q", recorder: recorder)
    queue.addOperations([Boxed<Int>(), BlockOperation {}], waitUntilFinished: true)
    for _ in 0..<(isRing ? 20 : 1) {
      queue.addOperations((0..<300).map { _ in SyncWork(name: "next") { _ in } }, waitUntilFinished: true)
    }
    try recorder.stop()
    let events = try TraceReader.events(path: scratch.file().path)
    #expect(TraceValidator.check(events).isEmpty)
    let trace = TraceBuilder.build(events)
    #expect(isRing == (trace.loss.overwrittenBytes > 0))
    func module(_ name: String) -> String? { trace.operations.first { $0.className == name }?.classModule }
    #expect(module("SyncWork") == "OpTraceTests")
    // A ring does not keep finished operations.
    if !isRing { #expect(module("Boxed<Int>") == "OpTraceTests") }
    #if os(Linux)
      if !isRing { #expect(module("BlockOperation") == "Foundation") }
    #endif
    // Each class is described once, and this is no thread's sign of life.
    let described = events.filter { $0.kind == EventKind.classDescribed.rawValue }.map { $0.word1 & 0xFFFF }
    #expect(described.count >= 3 && Set(described).count == described.count)
    #expect(!trace.threads.contains { $0.id.rawValue == 0 })
  }

  @Test func dependentBecomesReadyOnTheThreadOfItsLastDependency() throws {
    let gate = Gate()
    let trace = try recorded { recorder in
      let first = SyncWork(name: "first") { _ in gate.wait() }
      let second = AsyncWork(name: "second") { $0.finish() }
      second.addDependency(first)
      let a = TracedOperationQueue(name: "a", recorder: recorder)
      let b = TracedOperationQueue(name: "b", recorder: recorder)
      b.addOperation(second)
      a.addOperation(first)
      gate.open()
      second.waitUntilFinished()
    }
    let first = try trace.operation(named: "first")
    let second = try trace.operation(named: "second")
    #expect(second.dependencies.map(\.on) == [first.id])
    #expect(second.isAsynchronous && !first.isAsynchronous)
    #expect(second.ready?.thread == first.finished?.thread)
    let finished = try #require(first.finished), ready = try #require(second.ready)
    let began = try #require(second.executionBegan)
    #expect(finished.time <= ready.time && ready.time <= began.time)
  }

  @Test func readingIsReadyDoesNotChangeTheReadyTime() throws {
    let gate = Gate()
    let trace = try recorded { recorder in
      let queue = TracedOperationQueue(maxConcurrentOperationCount: 1, recorder: recorder)
      let waiting = SyncWork(name: "waiting") { _ in }
      queue.addOperations([SyncWork(name: "holder") { _ in gate.wait() }, waiting], waitUntilFinished: false)
      recorder.mark("asking")
      for _ in 0..<10 { #expect(waiting.isReady) }
      // A dependency makes the operation not ready, and its finish makes it ready again.
      let late = SyncWork(name: "late") { _ in }
      waiting.addDependency(late)
      #expect(!waiting.isReady)
      recorder.mark("blocked")
      late.start()
      recorder.mark("free")
      gate.open()
      waiting.waitUntilFinished()
    }
    let ready = try #require(try trace.operation(named: "waiting").ready)
    let marks = trace.marks.map(\.at.time)
    #expect(marks.count == 3 && marks[1] < ready.time && ready.time < marks[2])
    #expect(try trace.operation(named: "waiting").enqueueCount == 1)
  }

  @Test func dependencyThatFinishesWhileItsDependentIsAddedWakesIt() throws {
    /// Is not ready while it is added, and lets its dependency finish before the queue gets that answer.
    final class Unlucky: TracedOperation, @unchecked Sendable {
      let isAsked = Log<Bool>()
      override var isReady: Bool {
        let answer = super.isReady
        if !answer, isAsked.all.isEmpty, let dependency = dependencies.first, name == "added" {
          isAsked.add(true)
          let done = Gate()
          Thread {
            dependency.start()
            done.open()
          }.start()
          done.wait()
        }
        return answer
      }
    }
    let trace = try recorded { recorder in
      for several in [false, true] {
        let queue = TracedOperationQueue(recorder: recorder)
        let operation = Unlucky()
        operation.addDependency(SyncWork { _ in })
        operation.name = "added"
        if several {
          queue.addOperations([operation], waitUntilFinished: false)
        } else {
          queue.addOperation(operation)
        }
        #expect(operation.isAsked.all == [true])
        try eventually("it is finished") { operation.isFinished }
      }
    }
    #expect(trace.operations.filter { $0.name == "added" && $0.state == .finished }.count == 2)
  }

  @Test func dependencyThatWasNeverEnqueuedIsRecorded() throws {
    let trace = try recorded { recorder in
      let orphan = SyncWork(name: "orphan") { _ in }
      let waiting = SyncWork(name: "waiting") { _ in }
      waiting.addDependency(orphan)
      let queue = TracedOperationQueue(recorder: recorder)
      queue.addOperation(waiting)
      waiting.cancel()
      waiting.waitUntilFinished()
      withExtendedLifetime(orphan) {}
    }
    let orphan = try trace.operation(named: "orphan")
    #expect(orphan.enqueued == nil && orphan.coverage == .full)
    #expect(try trace.operation(named: "waiting").dependencies.map(\.on) == [orphan.id])
    #expect(try trace.operation(named: "waiting").state == .cancelled)
  }

  @Test func longChainOfUnenqueuedDependenciesIsDescribedWithoutRecursion() throws {
    // Foundation itself can release a chain of 10,000 without a stack overflow.
    var operations = (0..<8_000).map { _ in SyncWork { _ in } }
    for index in 1..<operations.count { operations[index].addDependency(operations[index - 1]) }
    let trace = try recorded { recorder in
      let queue = TracedOperationQueue(recorder: recorder)
      queue.isSuspended = true
      operations[7_999].cancel()
      queue.addOperation(operations[7_999])
      queue.isSuspended = false
      operations[7_999].waitUntilFinished()
    }
    #expect(trace.operations.count == 8_000)
    for operation in operations.reversed() {
      for dependency in operation.dependencies { operation.removeDependency(dependency) }
    }
    operations.removeAll()
  }

  @Test func severalBlocksOverlapOnTheirOwnThreads() throws {
    let trace = try recorded { recorder in
      let queue = TracedOperationQueue(recorder: recorder)
      let gates = (Gate(), Gate())
      let operation = TracedBlockOperation(name: "fan") {
        gates.0.open()
        gates.1.wait()
      }
      operation.addExecutionBlock {
        gates.1.open()
        gates.0.wait()
      }
      queue.addOperation(operation)
      operation.waitUntilFinished()
    }
    let blocks = try trace.operation(named: "fan").blocks
    #expect(blocks.count == 2)
    #expect(Set(blocks.map(\.thread)).count == 2)
    let ends = blocks.compactMap(\.ended)
    #expect(ends.count == 2)
    #expect(blocks.allSatisfy { block in ends.allSatisfy { block.began < $0 } })
  }

  @Test func barrierBlockIsItsOwnOperation() throws {
    let gate = Gate()
    let trace = try recorded { recorder in
      let queue = TracedOperationQueue(name: "q", recorder: recorder)
      queue.addOperation(named: "before") { gate.wait() }
      queue.addBarrierBlock {}
      queue.addOperation(named: "after") {}
      gate.open()
      queue.waitUntilAllOperationsAreFinished()
    }
    let barrier = try #require(trace.operations.first { $0.isBarrier })
    let before = try #require(try trace.operation(named: "before").finished)
    let after = try #require(try trace.operation(named: "after").executionBegan)
    let began = try #require(barrier.executionBegan), ended = try #require(barrier.executionEnded)
    #expect(before.time <= began.time && ended.time <= after.time)
  }

  @Test func queueControlIsRecorded() throws {
    let trace = try recorded { recorder in
      do {
        let queue = TracedOperationQueue(name: "old", maxConcurrentOperationCount: 1, recorder: recorder)
        queue.isSuspended = true
        queue.addOperation(named: "doomed") {}
        queue.maxConcurrentOperationCount = 3
        queue.name = "new"
        queue.qualityOfService = .utility
        queue.cancelAllOperations()
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
      }
      // Dispatch may hold the queue a little longer than the last operation lasts.
      try eventually("the queue is released") {
        try TraceReader.read(path: recorder.url.path).queues.first?.released != nil
      }
    }
    let queue = try #require(trace.queues.first)
    #expect(queue.initialLimit == 1 && queue.limit == 3 && queue.name == "new" && queue.quality == .utility)
    #expect(queue.changes.map(\.kind) == [.suspended, .limit(3), .cancelledAll, .resumed])
    #expect(try trace.operation(named: "doomed").state == .cancelled)
    #expect(queue.released != nil)
  }

  @Test func marksAndSpansBelongToTheExecutingOperation() throws {
    let trace = try recorded { recorder in
      let queue = TracedOperationQueue(recorder: recorder)
      let sums = Log<Int>()
      queue.addOperation(named: "work") {
        recorder.mark("half way")
        sums.add(recorder.measure("sum") { 1 + 2 })
      }
      queue.waitUntilAllOperationsAreFinished()
      #expect(sums.all == [3])
      recorder.mark("outside")
    }
    let work = try trace.operation(named: "work").id
    #expect(trace.marks.map(\.name) == ["half way", "outside"])
    #expect(trace.marks.map(\.operation) == [work, nil])
    #expect(trace.spans.map(\.name) == ["sum"])
    #expect(trace.spans.map(\.operation) == [work])
    #expect(trace.spans[0].ended != nil)
  }

  @Test func measureRethrowsAndHasAnAsyncForm() async throws {
    struct Failure: Error {}
    let scratch = try Scratch()
    let recorder = try TraceRecorder(writingTo: scratch.file())
    #expect(throws: Failure.self) { try recorder.measure("fails") { throw Failure() } }
    let value = await recorder.measure("sleeps") {
      await Task.yield()
      return 7
    }
    #expect(value == 7)
    try recorder.stop()
    let trace = try TraceReader.read(path: scratch.file().path)
    #expect(trace.spans.map(\.name) == ["fails", "sleeps"])
    #expect(trace.spans.allSatisfy { $0.ended != nil })
  }

  @Test func foreignOperationIsRecordedInFull() throws {
    let trace = try recorded { recorder in
      let queue = TracedOperationQueue(recorder: recorder)
      let foreign = BlockOperation {}
      foreign.name = "foreign"
      let traced = SyncWork(name: "traced") { _ in }
      traced.addDependency(foreign)
      queue.addOperations([traced, foreign], waitUntilFinished: true)
    }
    let foreign = try trace.operation(named: "foreign")
    #expect(foreign.coverage == .full && foreign.className == "BlockOperation" && foreign.enqueued != nil)
    // `start()` may not have returned: the queue wakes its waiters before, and then the recorder may be stopped.
    let stamps = [
      foreign.ready, foreign.started, foreign.executionBegan, foreign.executionEnded, foreign.finished,
    ]
    #expect(!stamps.contains(nil))
    #expect(foreign.startCount == 1 && foreign.finishCount == 1)
    #expect(try trace.operation(named: "traced").dependencies.map(\.on) == [foreign.id])
  }

  @Test func twoRecordersCanRunAtTheSameTime() throws {
    let scratch = try Scratch()
    let recorders = try [
      TraceRecorder(writingTo: scratch.file("a.optrace")), TraceRecorder(writingTo: scratch.file("b.optrace")),
    ]
    let first = SyncWork(name: "first") { _ in }
    let second = SyncWork(name: "second") { _ in }
    second.addDependency(first)
    TracedOperationQueue(name: "a", recorder: recorders[0]).addOperations([first], waitUntilFinished: true)
    TracedOperationQueue(name: "b", recorder: recorders[1]).addOperations([second], waitUntilFinished: true)
    for recorder in recorders { try recorder.stop() }
    let a = try TraceReader.read(path: scratch.file("a.optrace").path)
    let b = try TraceReader.read(path: scratch.file("b.optrace").path)
    #expect(a.operations.map(\.name) == ["first"])
    #expect(Set(b.operations.map(\.name)) == ["first", "second"])
    #expect(try b.operation(named: "first").coverage == .external)
    #expect(try b.operation(named: "second").dependencies.map(\.on) == [b.operation(named: "first").id])
  }

  @Test func releaseOfOperationsIsRecorded() throws {
    let trace = try recorded { recorder in
      let queue = TracedOperationQueue(recorder: recorder)
      var operation: SyncWork? = SyncWork(name: "short") { _ in }
      if let operation { queue.addOperations([operation], waitUntilFinished: true) }
      operation = nil
      // The queue releases the operation on its own thread.
      try eventually("the queue is empty") { queue.operationCount == 0 }
      queue.addOperations([SyncWork { _ in }], waitUntilFinished: true)
    }
    #expect(try trace.operation(named: "short").finished != nil)
  }

  @Test func smallRunLeavesASmallFile() throws {
    let scratch = try Scratch()
    let recorder = try TraceRecorder(writingTo: scratch.file())
    let queue = TracedOperationQueue(name: "q", maxConcurrentOperationCount: 1, recorder: recorder)
    for index in 0..<10 { queue.addOperation(named: "operation \(index)") {} }
    queue.waitUntilAllOperationsAreFinished()
    try recorder.stop()
    let attributes = try FileManager.default.attributesOfItem(atPath: scratch.file().path)
    let size = try #require(attributes[.size] as? Int)
    #expect(size < 32 * 1024)
    #expect((attributes[.posixPermissions] as? Int) == 0o600)
  }

  @Test func hostileNamesSurvive() throws {
    let names = ["</title><script>\"\n", "\u{0}\u{7}", "שלום", "🏄‍♂️", String(repeating: "ä", count: 5000), ""]
    let trace = try recorded { recorder in
      let queue = TracedOperationQueue(name: "\u{0}\"\\", maxConcurrentOperationCount: 1, recorder: recorder)
      for name in names { queue.addOperation(named: name) {} }
      queue.waitUntilAllOperationsAreFinished()
    }
    #expect(trace.operations.map(\.name) == names.map { $0.count > 1000 ? String($0.prefix(512)) : $0 })
    #expect(trace.queues.first?.name == "\u{0}\"\\")
  }

  @Test func monotonicClockGivesTheSameOrder() throws {
    let trace = try recorded(.init(clock: .monotonic)) { recorder in
      let queue = TracedOperationQueue(name: "q", maxConcurrentOperationCount: 1, recorder: recorder)
      for index in 0..<5 { queue.addOperation(named: "\(index)") { usleep(200) } }
      queue.waitUntilAllOperationsAreFinished()
    }
    let began = trace.operations.compactMap { $0.executionBegan?.time }
    #expect(began.count == 5 && began == began.sorted())
    #expect(trace.operations.allSatisfy { ($0.created ?? .max) <= ($0.enqueued?.time ?? 0) })
  }
}
