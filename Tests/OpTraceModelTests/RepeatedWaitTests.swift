import OpTraceModel
import Testing

/// A ring forgets the end of a wait and keeps its beginning, when a later wait for the same is open.
@Test func aThreadDoesNotWaitTwiceForOneThing() throws {
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
