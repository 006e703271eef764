import Foundation
import OpTrace
import OpTraceAnalysis
import OpTraceModel
import TestSupport
import Testing

@testable import OpTraceDiagnostics

/// A plain serial queue whose operation waits for a later one of the same queue. Never returns.
@Sendable func waitForOneself() {
  let queue = OperationQueue()
  queue.name = "self"
  queue.maxConcurrentOperationCount = 1
  let inner = BlockOperation {}
  inner.name = "inner"
  let outer = BlockOperation { inner.waitUntilFinished() }
  outer.name = "outer"
  queue.addOperations([outer, inner], waitUntilFinished: true)
}

@Suite(.ownThread) struct DetectionTests {
  struct Refusal: Error {}

  @Test func returnsWhatTheBodyReturns() throws {
    let sum = try withDeadlockDetection { _ in
      let queue = OperationQueue()
      let numbers = Log<Int>()
      for number in 1...4 { queue.addOperation { numbers.add(number) } }
      queue.waitUntilAllOperationsAreFinished()
      return numbers.all.reduce(0, +)
    }
    #expect(sum == 10)
    #expect(throws: Refusal.self) { try withDeadlockDetection { _ in throw Refusal() } }
  }

  @Test func throwsTheDoctorsFindings() throws {
    let error = try #require(throws: DeadlockError.self) {
      try withDeadlockDetection(after: .seconds(60)) { _ in waitForOneself() }
    }
    #expect(error.findings.map(\.code) == ["queue-self-wait"])
    #expect(error.description.hasPrefix("error[queue-self-wait]: "))
    #expect(error.description.contains("'outer'"))
    #expect(error.localizedDescription == error.description)
    #expect(error.report.queues.contains("queue 'self' (limit 1): 1 executing, 1 "))
  }

  @Test func findsDependencyCycles() throws {
    let error = try #require(throws: DeadlockError.self) {
      try withDeadlockDetection(after: .seconds(60)) { recorder in
        let queue = TracedOperationQueue(name: "cycle", recorder: recorder)
        let (one, other) = (TracedBlockOperation(name: "one") {}, BlockOperation {})
        one.addDependency(other)
        other.addDependency(one)
        queue.addOperations([one, other], waitUntilFinished: true)
      }
    }
    #expect(error.findings.map(\.code) == ["dependency-cycle"])
  }

  @Test func bodyBehindASuspendedQueueFailsAtOnce() throws {
    let error = try #require(throws: DeadlockError.self) {
      try withDeadlockDetection(after: .seconds(60)) { _ in
        let queue = OperationQueue()
        queue.name = "held"
        queue.isSuspended = true
        queue.addOperation {}
        queue.waitUntilAllOperationsAreFinished()
      }
    }
    #expect(error.findings.map(\.code) == ["queue-suspended"])
  }

  @Test func bodyThatResumesItsQueueLaterDoesNotFail() throws {
    let result = try withDeadlockDetection { _ in
      let queue = OperationQueue()
      queue.isSuspended = true
      queue.addOperation {}
      // Long enough for several checks.
      Thread.sleep(forTimeInterval: 1)
      queue.isSuspended = false
      queue.waitUntilAllOperationsAreFinished()
      return queue.operationCount
    }
    #expect(result == 0)
  }

  @Test func longSilenceIsProof() throws {
    let gate = Gate()
    let error = try #require(throws: DeadlockError.self) {
      try withDeadlockDetection(after: .milliseconds(400)) { _ in
        let queue = OperationQueue()
        queue.name = "held"
        queue.isSuspended = true
        queue.addOperation {}
        // This wait is not recorded.
        gate.wait()
      }
    }
    #expect(error.findings.map(\.code) == ["queue-suspended"])
    gate.open()
  }

  /// By then the recorder has taken a snapshot. In it two threads sleep that may continue: the body's and the
  /// detection's.
  @Test func silenceAfterASnapshotIsProof() throws {
    let error = try #require(throws: DeadlockError.self) {
      try withDeadlockDetection(after: .seconds(3)) { _ in
        let queue = OperationQueue()
        queue.name = "held"
        queue.isSuspended = true
        queue.addOperation {}
        Thread.sleep(forTimeInterval: 300)
      }
    }
    #expect(error.findings.map(\.code) == ["queue-suspended"])
  }

  @Test func timeoutThrowsAStallError() throws {
    let gate = Gate()
    let error = try #require(throws: StallError.self) {
      try withDeadlockDetection(timeout: .milliseconds(300)) { _ in
        let queue = OperationQueue()
        queue.name = "busy"
        queue.addOperation { gate.wait() }
        queue.waitUntilAllOperationsAreFinished()
      }
    }
    #expect(
      error.description.hasPrefix("the body has not returned within 300 ms, and no deadlock is proven\n\noptrace: "))
    #expect(error.code == .notProven)
    #expect(error.report?.queues.contains("queue 'busy' (") == true)
    gate.open()
  }

  @Test func unreadableTraceProvesNothing() {
    let error = StallError(timeout: .seconds(2), result: .failure(TraceError(file: "run.optrace", .noSuchFile)))
    #expect(error.code == .notReadable && error.report == nil)
    #expect(
      error.description
        == "the body has not returned within 2 s, and the trace cannot be read to check for a deadlock: run.optrace: no such file"
    )
  }

  @Test func concurrentBodiesDoNotReportEachOther() async throws {
    let (isIn, isFound) = (Gate(), Gate())
    // This body waits only at a gate while the other one hangs.
    async let healthy = Self.restingBody(isIn, isFound)
    isIn.wait()
    let error = #expect(throws: DeadlockError.self) { try Self.hangingBody() }
    // Open the gate here, not after the await, which may take long while the other body is silent.
    isFound.open()
    #expect(error?.findings.map(\.code) == ["queue-self-wait"])
    #expect(try await healthy)
  }

  private static func hangingBody() throws { try withDeadlockDetection { _ in waitForOneself() } }

  private static func restingBody(_ isIn: Gate, _ isFound: Gate) throws -> Bool {
    try withDeadlockDetection { _ in
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      let first = BlockOperation {
        isIn.open()
        isFound.wait()
      }
      let second = BlockOperation {}
      second.addDependency(first)
      queue.addOperations([first, second], waitUntilFinished: true)
      return second.isFinished
    }
  }

  @Test func asynchronousBodiesReturnThrowAndAreChecked() async throws {
    let value = try await withDeadlockDetection { recorder in
      let queue = TracedOperationQueue(name: "tasks", recorder: recorder)
      let done = Log<Int>()
      await withTaskGroup { group in
        for number in 1...3 {
          group.addTask {
            await withCheckedContinuation { continuation in
              queue.addOperation {
                done.add(number)
                continuation.resume()
              }
            }
          }
        }
      }
      return done.all.count
    }
    #expect(value == 3)
    await #expect(throws: Refusal.self) {
      try await withDeadlockDetection { _ in
        await Task.yield()
        throw Refusal()
      }
    }
    let error = await #expect(throws: DeadlockError.self) {
      try await withDeadlockDetection(after: .seconds(60)) { _ in
        await Task.yield()
        waitForOneself()
      }
    }
    #expect(error?.findings.map(\.code) == ["queue-self-wait"])
  }

  @Test func cancellingTheTaskCancelsTheBody() async throws {
    let began = Gate()
    let task = Task {
      try await withDeadlockDetection { _ in
        began.open()
        try await Task.sleep(for: .seconds(600))
      }
    }
    began.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @TaskLocal static var colour = "none"

  @Test func bodySeesTaskLocalValues() async throws {
    try await Self.$colour.withValue("green") {
      let asynchronous = try await withDeadlockDetection { _ async in Self.colour }
      #expect(asynchronous == "green")
      let blocking = try Self.blocking()
      #expect(blocking == "green")
    }
  }

  private static func blocking() throws -> String { try withDeadlockDetection { _ in colour } }
}
