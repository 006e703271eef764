import Foundation
public import Testing

extension Trait where Self == OwnThread {
  /// For tests that wait for a process, a semaphore, a queue, or anything else that blocks: each runs on a thread of its
  /// own. Those of Swift's tasks, on which tests run else, are as few as processors, and all tests share them.
  public static var ownThread: Self { OwnThread() }
}

/// The trait ``Testing/Trait/ownThread``.
///
/// The test's task prefers an executor whose jobs run on threads of their own. It stays the test's task: what is expected in
/// it, and in its child tasks, is the test's.
public struct OwnThread: SuiteTrait, TestTrait, TestScoping {
  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    // A suite as a whole, or a test whose suite has the trait as well.
    guard testCase != nil, Troubles.current == nil else { return try await body() }
    let troubles = Troubles()
    defer { troubles.report() }
    guard #available(macOS 15, iOS 18, *) else {
      return try await Troubles.$current.withValue(troubles, operation: body)
    }
    // Its turn begins and ends on its own thread: who is through must not keep others waiting until a common one is free.
    try await withTaskExecutorPreference(OwnThreads.shared) {
      await Slots.shared.take()
      defer { Slots.shared.giveBack() }
      let began = ContinuousClock.now
      defer { TestTimes.note(test, ContinuousClock.now - began) }
      try await Troubles.$current.withValue(troubles, operation: body)
    }
  }

  /// Runs what blocks outside of a test, as where it is asked whether there is to be one.
  public static func run<Value: Sendable>(_ body: @Sendable () throws -> Value) async rethrows -> Value {
    guard #available(macOS 15, iOS 18, *) else { return try body() }
    return try await withTaskExecutorPreference(OwnThreads.shared) { try body() }
  }

  /// Called by whatever blocks. Records an issue in a test that is to have the trait, and has it not.
  static func isNeeded(for what: String, _ location: SourceLocation) {
    guard #available(macOS 15, iOS 18, *) else { return }
    // Operations and plain threads run in no task; a task that prefers an executor has it, and not the common threads.
    guard withUnsafeCurrentTask(body: { $0 != nil && $0?.unownedTaskExecutor == nil }) else { return }
    Issue.record(
      "\(what) blocks a thread that all tests share: give the test the trait .ownThread", sourceLocation: location)
  }
}

/// Runs every job on a thread of its own: one that blocks holds up no other.
@available(macOS 15, iOS 18, *)
private final class OwnThreads: TaskExecutor {
  static let shared = OwnThreads()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// How many tests with threads of their own run at a time. They mostly wait, so there are more than processors.
///
/// Sendable: guarded by the lock.
private final class Slots: @unchecked Sendable {
  static let shared = Slots(max(6, 3 * ProcessInfo.processInfo.activeProcessorCount))

  private let lock = NSLock()
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ count: Int) { free = count }

  func take() async {
    await withCheckedContinuation { continuation in
      let isFree = lock.withLock {
        guard free > 0 else {
          waiting.append(continuation)
          return false
        }
        free -= 1
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  func giveBack() {
    let next: CheckedContinuation<Void, Never>? = lock.withLock {
      guard !waiting.isEmpty else {
        free += 1
        return nil
      }
      return waiting.removeFirst()
    }
    next?.resume()
  }
}
