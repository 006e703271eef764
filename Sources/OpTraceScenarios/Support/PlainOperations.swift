internal import Foundation

extension BlockOperation {
  /// Foundation's own, with a name for people.
  static func named(_ name: String, _ block: @escaping @Sendable () -> Void) -> BlockOperation {
    let operation = BlockOperation(block: block)
    operation.name = name
    return operation
  }
}

extension OperationQueue {
  /// Foundation's own, with a name for people.
  static func named(
    _ name: String, limit: Int = OperationQueue.defaultMaxConcurrentOperationCount
  ) -> OperationQueue {
    let queue = OperationQueue()
    queue.name = name
    queue.maxConcurrentOperationCount = limit
    return queue
  }
}

/// An asynchronous operation as programs write it by hand, and right: states of its own under a lock, announced when they
/// have changed. The broken programs derive from it, each with one mistake.
///
/// Sendable: `state` is only touched under `lock`.
class HandmadeOperation: Operation, @unchecked Sendable {
  private enum State { case idle, executing, finished }
  private let lock = NSLock()
  private var state = State.idle

  init(_ name: String) {
    super.init()
    self.name = name
  }

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { lock.withLock { state == .executing } }
  override var isFinished: Bool { lock.withLock { state == .finished } }

  override func start() {
    if isCancelled { return finish() }
    change(to: .executing, announcing: ["isExecuting"])
    execute()
  }

  /// Begins the work, which ends with ``finish()``.
  func execute() { finish() }

  final func finish() { change(to: .finished, announcing: ["isExecuting", "isFinished"]) }

  private func change(to next: State, announcing keys: [String]) {
    for key in keys { willChangeValue(forKey: key) }
    lock.withLock { state = next }
    for key in keys { didChangeValue(forKey: key) }
  }
}
