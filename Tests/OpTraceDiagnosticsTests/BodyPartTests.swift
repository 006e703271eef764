import OpTraceModel
import Testing

@testable import OpTraceDiagnostics

/// The operations of a trace that belong to the body on thread 2.
@Suite struct BodyPartTests {
  private func part(_ lines: String, since: Int = 0) throws -> Trace {
    BodyPart(of: try typedTrace(lines), threads: [102], since: Nanoseconds(since) * 1_000_000).trace
  }

  private let queues = """
    1 t1 queue q1 limit=1 "one"
    1 t1 queue q2 limit=1 "other"
    1 t1 queue q3 limit=1 main "main"

    """

  @Test func operationsThatTheBodysThreadEnqueuesBelongToIt() throws {
    let part = try part(queues + enqueued(1, 1, at: 10, on: 2) + enqueued(2, 2, at: 11, on: 3))
    #expect(part.operations.map(\.id.rawValue) == [1])
    #expect(part.queues.map(\.name) == ["one"])
  }

  @Test func operationsThatTheBodysOperationsEnqueueBelongToIt() throws {
    let part = try part(
      queues + enqueued(1, 1, at: 10, on: 2) + """
        20 t4 started #1
        20 t4 began #1

        """ + enqueued(2, 2, at: 21, on: 4) + """
          22 t4 ended #1
          22 t4 finished #1
          22 t4 start-returned #1

          """ + enqueued(3, 3, at: 23, on: 4))
    // The thread was doing something else when #3 was enqueued.
    #expect(part.operations.map(\.id.rawValue) == [1, 2])
  }

  @Test func queuesDependenciesAndWaitsConnectOperations() throws {
    let part = try part(
      queues + enqueued(1, 1, at: 10, on: 2) + enqueued(2, 1, at: 11, on: 3) + enqueued(3, 2, at: 12, on: 3) + """
        13 t3 depends #3 on=#2
        14 t4 created #4 class="Work"
        15 t2 wait #4
        16 t5 created #5 class="Work"
        17 t5 wait #5

        """)
    #expect(part.operations.map(\.id.rawValue) == [1, 2, 3, 4])
    #expect(part.waits.map(\.target) == [.operation(OperationID(4))])
  }

  @Test func mainQueueConnectsNothing() throws {
    let part = try part(queues + enqueued(1, 3, at: 10, on: 2) + enqueued(2, 3, at: 11, on: 3))
    #expect(part.operations.map(\.id.rawValue) == [1])
    #expect(part.queues.map(\.name) == ["main"])
  }

  @Test func earlierThreadWithTheSameNumberDoesNotCount() throws {
    let part = try part(queues + enqueued(1, 1, at: 10, on: 2) + enqueued(2, 2, at: 30, on: 2), since: 20)
    #expect(part.operations.map(\.id.rawValue) == [2])
  }
}
