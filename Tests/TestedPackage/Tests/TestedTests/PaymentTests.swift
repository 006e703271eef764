import Foundation
import Tested
import Testing

// They run at the same time, on the same threads, and go from one to another.
@Suite struct Payments {
  @Test func synchronous() { work("synchronous", 2) }

  @Test func hops() async throws {
    for _ in 0..<20 {
      work("hops")
      await Task.yield()
    }
  }

  @Test func others() async throws {
    for _ in 0..<20 {
      work("others")
      try await Task.sleep(nanoseconds: 100_000)
    }
  }

  @Test func children() async {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<5 { group.addTask { work("children") } }
    }
    async let one: Void = work("children")
    await one
  }

  @Test func inherited() async {
    await Task { work("inherited") }.value
    await Task.detached { work("nobody's") }.value
  }

  /// One operation gives the other to the queue, on a thread that knows of no test.
  @Test func operationsOfOperations() {
    let queue = OperationQueue()
    queue.addOperation(named("operations") { queue.addOperation(named("operations")) })
    queue.waitUntilAllOperationsAreFinished()
  }

  @Test(arguments: ["a", "b", "c"]) func many(_ name: String) async {
    work("many " + name)
    await Task.yield()
    work("many " + name)
  }

  @Test("a test with a name of its own") func entitled() { work("entitled") }

  @Test func fails() {
    work("fails")
    #expect(Bool(false))
  }

  /// Nothing is recorded of what it waits for.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["HANGS"] == "Testing")) func hangs() async {
    await withCheckedContinuation { never = $0 }
  }

  @Test(.disabled()) func disabled() { work("disabled") }

  @Suite struct Nested {
    @Test func deep() throws {
      work("deep")
      struct Wrong: Error {}
      throw Wrong()
    }
  }
}

@Test func free() { work("free") }

/// Nobody resumes it. It is kept, or the runtime would say that it leaks.
nonisolated(unsafe) var never: CheckedContinuation<Void, Never>?
