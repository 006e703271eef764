import Dispatch
import Foundation

/// Ends when somebody calls ``finish()``.
final class Async: Operation, @unchecked Sendable {
  private let body: @Sendable (Async) -> Void
  private let lock = NSLock()
  private var state = 0

  init(_ body: @escaping @Sendable (Async) -> Void) { self.body = body }

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { lock.withLock { state == 1 } }
  override var isFinished: Bool { lock.withLock { state == 2 } }

  override func start() {
    guard !isCancelled else { return set(2, "isFinished") }
    set(1, "isExecuting")
    body(self)
  }

  func finish() {
    willChangeValue(forKey: "isFinished")
    set(2, "isExecuting")
    didChangeValue(forKey: "isFinished")
  }

  private func set(_ value: Int, _ key: String) {
    willChangeValue(forKey: key)
    lock.withLock { state = value }
    didChangeValue(forKey: key)
  }
}

/// As people write them.
final class Plain: Operation, @unchecked Sendable {
  private let body: Then
  init(_ body: @escaping Then) { self.body = body }
  override func main() { body() }
}

extension Program {
  /// Some operations in some queues, which depend on those before them.
  func operate(_ node: Node, _ then: @escaping Then) {
    let children = node.children + (node.chance(40, percent: 50) ? [node.child(5), node.child(6)] : [])
    var operations: [Operation] = []
    for (number, child) in children.enumerated() {
      let operation = operation(child)
      operation.name = "operation \(number)"
      for other in operations where child.chance(UInt64(50 + number), percent: 30) { operation.addDependency(other) }
      if child.chance(41, percent: 10) { operation.cancel() }
      operation.queuePriority = child.chance(42, percent: 20) ? .high : .normal
      operations.append(operation)
    }
    let last = BlockOperation(block: then)
    for operation in operations { last.addDependency(operation) }
    for operation in operations + [last] { keep(operation) }
    let held = node.chance(43, percent: 20) ? OperationQueue() : nil
    held?.isSuspended = true
    let queues = operationQueues[node.inside]
    let isLastOnMain = node.chance(45, percent: 20)
    if isLastOnMain { OperationQueue.main.addOperation(last) }
    for (operation, child) in zip(operations, children) {
      add(operation, to: held ?? queues[child.number(44, below: queues.count)])
    }
    if !isLastOnMain { add(last, to: queues[node.number(46, below: 3)]) }
    guard let held else { return }
    keep(held)
    concurrent.async { held.isSuspended = false }
  }

  /// Adds it, and makes the queue look at its operations again. Foundation on Linux does not start an operation that becomes ready
  /// on one thread while another thread adds it. The main queue can't be made to look: there, nothing may become ready meanwhile.
  private func add(_ operation: Operation, to queue: OperationQueue) {
    queue.addOperation(operation)
    queue.maxConcurrentOperationCount = queue.maxConcurrentOperationCount
  }

  private func operation(_ node: Node) -> Operation {
    switch node.number(47, below: 5) {
    case 0: return BlockOperation { [self] in count(node.leaf) }
    case 1:
      let operation = BlockOperation { [self] in count(node.leaf) }
      operation.addExecutionBlock { [self] in count(node) }
      return operation
    case 2: return Plain { [self] in count(node.leaf) }
    case 3: return Async { [self] operation in perform(node.insideOfOperation) { operation.finish() } }
    default:
      return Async { [self] operation in
        Task {
          await run(node.insideOfOperation)
          operation.finish()
        }
      }
    }
  }
}
