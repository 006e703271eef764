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
