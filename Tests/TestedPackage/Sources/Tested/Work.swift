import Foundation

/// Operations of such a name, on a queue of their own; all are over when it returns.
public func work(_ name: String, _ count: Int = 1) {
  let queue = OperationQueue()
  queue.name = name
  for _ in 0..<count { queue.addOperation(named(name)) }
  queue.waitUntilAllOperationsAreFinished()
}

public func named(_ name: String, _ body: @escaping @Sendable () -> Void = {}) -> Operation {
  let operation = BlockOperation(block: body)
  operation.name = name
  return operation
}

/// Never returns: an operation waits for one that needs its slot.
public func waitForItself() {
  let queue = OperationQueue()
  queue.maxConcurrentOperationCount = 1
  let inner = named("inner")
  queue.addOperation(
    named("outer") {
      queue.addOperation(inner)
      inner.waitUntilFinished()
    })
  queue.waitUntilAllOperationsAreFinished()
}
