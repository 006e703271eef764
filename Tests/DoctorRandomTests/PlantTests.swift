import OpTraceModel
import Testing

/// When the trace of a program with a planted deadlock shows that it hangs.
@Suite struct PlantTests {
  private static let begun = """
    optrace text 1
    process 42 "planted"
    writer "0.1.0"
    mode streaming
    wall 1790000000000000000
    monotonic 1000
    state open

    0 t1 thread t1 tid=42 "main"
    0 t2 thread t2 tid=43 "worker"
    1000 t1 queue q1 limit=1 "own queue"
    1100 t1 created #1 class="Work"
    1200 t1 named #1 "waiter"
    1300 t1 enqueued #1 queue=q1
    1400 t2 started #1
    1500 t2 began #1

    """

  private func isSettled(_ lines: String) throws -> Bool {
    let plant = try #require(Plant("7 queue-self-wait 1 0 waiter"))
    return plant.isSettled(in: TraceBuilder.build(try TraceText.parse(Self.begun + lines)))
  }

  @Test func handshakeIsNoPlantedWait() throws {
    #expect(try !isSettled(""))
    // The operation has begun, and waits for the others on a semaphore.
    let handshake = "2000 t2 blocked #1 object=0x7f0010 kind=semaphore age=0\n"
    #expect(try !isSettled(handshake))
    #expect(try !isSettled(handshake + "3000 t2 unblocked #1 object=0x7f0010 kind=semaphore\n"))
    #expect(try isSettled("3100 t2 wait-queue q1\n"))
  }

  @Test func restOfTheProgramMustBeFinished() throws {
    let other = "1600 t1 created #2 class=\"Work\"\n1700 t1 named #2 \"operation 3\"\n"
    #expect(try !isSettled(other + "3100 t2 wait-queue q1\n"))
  }

  @Test func operationThatWaitsTwiceIsOneWaiter() throws {
    let plant = try #require(Plant("7 queue-self-wait 2 0 waiter"))
    let twice = "3100 t2 wait-queue q1\n3200 t2 wait #1\n"
    #expect(try !plant.isSettled(in: TraceBuilder.build(TraceText.parse(Self.begun + twice))))
  }
}
