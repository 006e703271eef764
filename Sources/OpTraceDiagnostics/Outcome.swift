internal import Foundation

/// How a body ended, or that it will not: the first result counts.
///
/// Sendable: all that changes is guarded by `condition`.
final class Outcome<Value: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private var result: Result<Value, any Error>?
  private var continuation: CheckedContinuation<Value, any Error>?

  func settle(_ result: Result<Value, any Error>) {
    condition.lock()
    guard self.result == nil else { return condition.unlock() }
    self.result = result
    let continuation = continuation
    self.continuation = nil
    condition.broadcast()
    condition.unlock()
    continuation?.resume(with: result)
  }

  /// Called once at most.
  func resume(_ continuation: CheckedContinuation<Value, any Error>) {
    condition.lock()
    guard let result else {
      self.continuation = continuation
      return condition.unlock()
    }
    condition.unlock()
    continuation.resume(with: result)
  }

  /// Blocks the thread. The main thread serves its run loop meanwhile, and with it `OperationQueue.main`.
  func wait() throws -> Value {
    if Thread.isMainThread {
      while !isSettled { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.02)) }
    }
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let result { return try result.get() }
      condition.wait()
    }
  }

  private var isSettled: Bool {
    condition.lock()
    defer { condition.unlock() }
    return result != nil
  }
}
