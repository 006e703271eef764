import Foundation
public import Testing

/// Values that come from any thread, in order.
///
/// Sendable: guarded by the lock.
public final class Log<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private let arrived = DispatchSemaphore(value: 0)
  private var values: [Value] = []

  public init() {}

  /// Of those that ``next(_:)`` has not taken.
  public var all: [Value] { lock.withLock { values } }

  @Sendable public func add(_ value: Value) {
    lock.withLock { values.append(value) }
    arrived.signal()
  }

  public func reset() { lock.withLock { values = [] } }

  public struct NothingCame: Error {}

  /// Waits for the first that was not taken yet, and takes it.
  public func next(_ location: SourceLocation = #_sourceLocation) throws -> Value {
    OwnThread.isNeeded(for: "a log", location)
    while arrived.wait(timeout: .now() + patience) == .success {
      // Nil: it was thrown away by `reset()`.
      if let value = lock.withLock({ values.isEmpty ? nil : values.removeFirst() }) { return value }
    }
    throw NothingCame()
  }
}

/// Counts from any thread.
///
/// Sendable: guarded by the lock.
public final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var number = 0

  public init() {}

  public var value: Int { lock.withLock { number } }
  public func add(_ count: Int = 1) { lock.withLock { number += count } }
}
