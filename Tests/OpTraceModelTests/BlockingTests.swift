import OpTraceFormat
import OpTraceModel
import Testing

/// Waits for semaphores, groups, dispatch queues and conditions in traces with missing records. The golden texts cover
/// complete traces.
@Suite struct BlockingTests {
  private func events(_ lines: String, header: String = "") throws -> TraceEvents {
    try TraceText.parse(
      """
      optrace text 1
      process 100 "blocking"
      writer "1.0.0"
      mode streaming
      wall 0
      monotonic 0
      state closed
      \(header)
      0 t1 thread t1 tid=100 "main"
      0 t2 thread t2 tid=102 "worker"
      0 t9 thread t9 tid=109 "flusher"
      100 t1 created #1 class="Load"
      200 t2 started #1
      210 t2 began #1
      \(lines)
      """)
  }

  @Test func endOfAnOperationEndsItsWaits() throws {
    let waits = TraceBuilder.build(
      try events(
        """
        3000 t9 blocked #1 object=0x10 kind=group age=100 thread=t2
        3010 t9 blocked #1 object=0x20 kind=semaphore age=50 thread=t1
        9000 t2 ended #1
        """, header: "lost no-space 1")
    ).waits
    #expect(waits.map(\.began) == [1400, 2210])
    #expect(waits.map(\.ended) == [9000, nil], "what the other thread waits for is unfinished")
  }

  @Test func newWaitForAnObjectEndsTheEarlierOne() throws {
    let waits = TraceBuilder.build(
      try events(
        """
        3000 t9 blocked #1 object=0x10 kind=semaphore age=100 thread=t2
        8000 t9 blocked #1 object=0x10 kind=semaphore age=100 thread=t2
        """, header: "overwritten 100")
    ).waits
    #expect(waits.map(\.began) == [1400, 6400])
    #expect(waits.map(\.ended) == [6400, nil])
  }

  @Test func missingRecordsAreNoViolation() throws {
    let lines = """
      1000 t2 unblocked #1 object=0x10 kind=semaphore
      1010 t2 signalled #5 object=0x10 kind=semaphore age=1 thread=t7
      1100 t1 blocked #1 object=0x10 kind=semaphore age=1
      1110 t2 signalled #5 object=0x20 kind=semaphore age=1
      """
    #expect(TraceValidator.check(try events(lines, header: "overwritten 100")).map(\.description) == [])
    #expect(
      TraceValidator.check(try events(lines)).map(\.rule) == [
        .unmatchedEnd, .undefinedThread, .undefinedOperation, .missingBefore,
      ])
  }

  @Test func forgottenSignallerIsNotAddedAsAnOperation() throws {
    let trace = TraceBuilder.build(
      try events(
        """
        1000 t2 blocked #1 object=0x10 kind=semaphore age=1
        1010 t2 signalled #5 object=0x10 kind=semaphore age=1 thread=t1
        1020 t2 unblocked #1 object=0x10 kind=semaphore
        """, header: "overwritten 100"))
    #expect(trace.operations.map(\.id) == [OperationID(1)])
    #expect(trace.waits.first?.endSignal?.operation == OperationID(5))
  }

  /// Two objects may have the same address, and differ only in their kind.
  @Test func objectsAreNumberedInOrderOfFirstUse() throws {
    let trace = TraceBuilder.build(
      try events(
        """
        1000 t2 blocked #1 object=0x10 kind=semaphore age=1
        1010 t2 unblocked #1 object=0x10 kind=semaphore
        1020 t2 blocked #1 object=0x10 kind=queue age=1
        1030 t2 object-named object=0x10 "db"
        1040 t2 unblocked #1 object=0x10 kind=queue
        1050 t2 blocked #1 object=0x10 kind=semaphore age=1
        1060 t2 unblocked #1 object=0x10 kind=semaphore
        """))
    #expect(trace.objects.map(\.title) == ["semaphore 1", "dispatch queue db"])
    #expect(trace.waits.map(\.target) == [1, 2, 1].map { .object(ObjectID($0)) })
    #expect(
      trace.object(ObjectID(2))?.address == 0x10 && trace.object(ObjectID(3)) == nil && trace.object(ObjectID(0)) == nil
    )
  }

  /// The largest age means at least that age; the time stays small enough for readers to add up.
  @Test func largestAgeIsKept() throws {
    let waits = TraceBuilder.build(
      try events("5000 t9 blocked #1 object=0x10 kind=group age=\(Layout.largestAge) thread=t2")
    ).waits
    #expect(waits.map(\.began) == [5000 - Nanoseconds(Layout.largestAge) * 16])
  }

  @Test(arguments: [
    ("blocked #1 object=16", "expected an address such as `0x1f`, found `16`"),
    ("blocked #1 object=0x1000000000000", "281474976710656 does not fit `object`, which has 48 bits"),
    (
      "blocked #1 kind=door",
      "expected a kind of object (semaphore, group, queue, condition, adding, sleep, disk, call, mutex, rwlock, inheriting), found `door`"
    ),
    ("blocked #1 thread=3", "expected a thread such as `t1`, found `3`"),
    ("blocked #1 thread=t16777216", "16777216 does not fit `thread`, which has 24 bits"),
  ]) func invalidWaitFieldsGiveAMessage(_ line: String, _ message: String) throws {
    let error = #expect(throws: TraceError.self) { try events("1000 t2 " + line) }
    #expect(error?.description.hasSuffix(": " + message) == true, "\(String(describing: error))")
  }
}

/// A ring may lose the end of a wait and keep its beginning while a later wait for the same operation is open.
@Test func threadDoesNotWaitTwiceForOneOperation() throws {
  let text = """
    optrace text 1
    process 100 "test"
    writer "1.0.0"
    mode flight-recorder capacity=65536
    wall 1700000000000000000
    monotonic 5000000
    state open

    0 t1 thread t1 tid=100 "main"
    0 t1 queue q1 limit=1 "q"
    10 t1 wait-queue q1
    20 t1 wait-queue q1
    """
  let waits = TraceBuilder.build(try TraceText.parse(text + "\n")).waits
  #expect(waits.map(\.began) == [10, 20])
  #expect(waits.map(\.ended) == [20, nil])
}
