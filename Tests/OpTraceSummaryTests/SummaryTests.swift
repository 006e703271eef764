import OpTraceKernel
import OpTraceSummary
import OpTraceFormat
import OpTraceModel
import Testing

@Suite("Summary")
struct SummaryTests {
  private func operation(
    _ id: UInt32, _ className: String = "Step", queue: UInt32? = 1, thread: UInt32 = 1, enqueued: Nanoseconds? = 0,
    ready: Nanoseconds? = nil, began: Nanoseconds? = nil, finished: Nanoseconds? = nil
  ) -> OperationRecord {
    var operation = OperationRecord(id: OperationID(id), className: className)
    let thread = ThreadID(thread)
    operation.queue = queue.map { QueueID($0) }
    operation.enqueued = enqueued.map { Stamp($0, thread) }
    operation.ready = ready.map { Stamp($0, thread) }
    operation.started = began.map { Stamp($0, thread) }
    operation.executionBegan = began.map { Stamp($0, thread) }
    operation.executionEnded = finished.map { Stamp($0, thread) }
    operation.finished = finished.map { Stamp($0, thread) }
    return operation
  }

  private func trace(_ operations: [OperationRecord], limit: Int = 2, end: Nanoseconds) -> Trace {
    var trace = Trace(header: TraceHeader())
    trace.queues = [QueueRecord(id: QueueID(1), name: "queue", initialLimit: limit)]
    trace.operations = operations
    trace.end = end
    return trace
  }

  @Test("utilisation is busy slot time divided by available slot time")
  func utilisation() {
    let operations = [
      operation(1, ready: 0, began: 0, finished: 100), operation(2, ready: 0, began: 0, finished: 50),
    ]
    let two = Summary(of: trace(operations, end: 100)).queues[0]
    #expect(two.peak == 2)
    #expect(two.busy == 150)
    #expect(two.utilisation == 0.75)
    #expect(Summary(of: trace(operations, limit: -1, end: 100)).queues[0].utilisation == 0.75, "by the peak")
    #expect(Summary(of: trace(operations, limit: 10, end: 100)).queues[0].utilisation == 0.15)
  }

  @Test("each limit counts for the time in which it was in force")
  func changedLimit() {
    var trace = trace([operation(1, ready: 0, began: 0, finished: 100)], limit: 1, end: 100)
    trace.queues[0].changes = [
      .init(time: 75, thread: ThreadID(1), kind: .limit(3)), .init(time: 500, thread: ThreadID(1), kind: .limit(9)),
    ]
    let queue = Summary(of: trace).queues[0]
    #expect(queue.capacity == 75 + 25 * 3)
    #expect(queue.limit == 9)
  }

  @Test("operations that touch do not overlap")
  func peak() {
    let operations = [
      operation(1, ready: 0, began: 0, finished: 10), operation(2, ready: 0, began: 10, finished: 20),
      operation(3, ready: 0, began: 19, finished: 30), operation(4, ready: 0, began: 40),
    ]
    #expect(Summary(of: trace(operations, end: 50)).queues[0].peak == 2)
  }

  @Test(
    "percentiles are values of the set", arguments: [(1, 1, 1), (2, 1, 2), (19, 10, 19), (20, 10, 19), (100, 50, 95)])
  func percentiles(count: Int, median: Int, p95: Int) {
    let distribution = Distribution((1...count).map { Nanoseconds($0) }.shuffled())
    #expect(distribution.count == count)
    #expect(distribution.median == Nanoseconds(median))
    #expect(distribution.p95 == Nanoseconds(p95))
    #expect(distribution.max == Nanoseconds(count))
    #expect(distribution.total == Nanoseconds(count * (count + 1) / 2))
    #expect(Distribution([]) == Distribution())
    #expect(Distribution([.max, 1]).total == .max, "a sum that does not fit traps nothing")
  }

  @Test("operations that never ran count in their class but not in its running times")
  func classes() throws {
    var cancelled = operation(3, "Fetch", ready: 0, finished: 20)
    cancelled.cancelRequested = Stamp(10, ThreadID(1))
    cancelled.executionEnded = nil
    let operations = [
      operation(1, "Store", ready: 0, began: 10, finished: 40), operation(2, "Fetch", ready: 5, began: 5, finished: 10),
      cancelled,
    ]
    let summary = Summary(of: trace(operations, end: 40))
    #expect(summary.classes.map(\.name) == ["Store", "Fetch"])
    let fetch = try #require(summary.classes.last)
    #expect(fetch.count == 2)
    #expect(fetch.running.count == 1)
    #expect(fetch.running.total == 5)
    #expect(fetch.waitingForSlot.count == 2)
    #expect(summary.states[.cancelled] == 1)
    #expect(summary.states[.ready] == 0)
    #expect(summary.wall == 40)
  }

  @Test("a thread is busy while at least one execution is on it")
  func threads() {
    var nested = operation(2, queue: nil, thread: 7, enqueued: nil, began: 20, finished: 60)
    nested.blocks = [BlockExecution(index: 0, thread: ThreadID(8), began: 20, ended: 30)]
    var asynchronous = operation(3, thread: 9, ready: 0, began: 0, finished: 90)
    asynchronous.isAsynchronous = true
    asynchronous.executionEnded = nil
    asynchronous.startReturned = Stamp(4, ThreadID(9))
    let operations = [operation(1, thread: 7, ready: 10, began: 10, finished: 50), nested, asynchronous]
    let threads = Summary(of: trace(operations, end: 100)).threads
    #expect(threads.map(\.id) == [ThreadID(7), ThreadID(8), ThreadID(9)])
    #expect(threads.map(\.busy) == [50, 10, 4])
    #expect(threads.map(\.operations) == [2, 1, 1])
  }

  @Test("waits are summed by who waited on what")
  func waits() {
    var trace = trace([operation(1, ready: 0, began: 0, finished: 90), operation(2, ready: 0, began: 0)], end: 100)
    trace.objects = [ObjectRecord(id: ObjectID(1), kind: .semaphore, address: 16)]
    func add(_ target: WaitRecord.Target, _ thread: UInt32, _ inside: UInt32?, _ began: Int64, _ ended: Int64?) {
      trace.waits.append(
        WaitRecord(
          target: target, thread: ThreadID(thread), inside: inside.map { OperationID($0) }, began: began, ended: ended))
    }
    let semaphore = WaitRecord.Target.object(ObjectID(1))
    add(semaphore, 7, 1, 10, 15)
    add(.operation(OperationID(2)), 1, nil, 10, nil)
    add(.operation(OperationID(2)), 2, nil, 10, 20)
    add(semaphore, 8, 2, 20, 40)
    add(semaphore, 9, 1, 30, 60)
    trace.waits[4].lastSignal = .init(time: 25, thread: ThreadID(8), operation: OperationID(2))
    let waits = Summary(of: trace).waits
    #expect([waits.count, waits.unfinished] == [5, 1] && waits.total == 155)
    #expect(waits.longest.map(\.total) == [90, 35, 20, 10])
    #expect(waits.longest.map(\.count) == [1, 2, 1, 1] && waits.longest.map(\.unfinished) == [1, 0, 0, 0])
    #expect(waits.longest.map(\.max) == [90, 30, 20, 10])
    #expect(waits.longest.map { $0.operation?.rawValue } == [nil, 1, 2, nil])
    // The thread of the last wait; two threads outside of operations are two waiters.
    #expect(waits.longest.map(\.thread.rawValue) == [1, 9, 8, 2])
    #expect(waits.longest.map(\.lastSignal?.time) == [nil, 25, nil, nil])
    #expect(waits.longest[1].targetName == "semaphore 1" && waits.longest[1].object?.address == 16)
    let two = Summary(of: trace, slowestCount: 1).waits
    #expect(two.longest.count == 1 && two.count == 5)
  }

  @Test("the slowest operations come first, as many as requested")
  func slowest() {
    let operations = (1...5).map { operation(UInt32($0), ready: 0, began: 0, finished: Nanoseconds($0 % 3 * 10)) }
    let summary = Summary(of: trace(operations, end: 100), slowestCount: 3)
    #expect(summary.slowest.map(\.id.rawValue) == [2, 5, 1])
  }
}
