import Foundation
import OpTrace

/// The classes of operations that random programs are made of. Each does next to nothing, and then runs `body`.
enum Works {
  /// Kinds that are traced types, and kinds that only Foundation knows.
  enum Kind: CaseIterable { case traced, block, blocks, asynchronous, task, plain, plainBlock, plainAsynchronous }

  static func make(_ kind: Kind, _ name: String, _ body: @escaping @Sendable () -> Void) -> Operation {
    switch kind {
    case .traced: return TracedWork(name, body)
    case .block: return TracedBlockOperation(name: name, block: body)
    case .blocks:
      let operation = TracedBlockOperation(name: name, block: body)
      operation.addExecutionBlock {}
      return operation
    case .asynchronous: return TracedAsyncWork(name, body)
    case .task: return TracedTaskOperation(name: name) { body() }
    case .plain: return PlainWork(name, body)
    case .plainBlock:
      let operation = BlockOperation(block: body)
      operation.name = name
      return operation
    case .plainAsynchronous: return PlainAsyncWork(name, body)
    }
  }
}

/// Sendable: the body is set before the operation is shared.
private final class TracedWork: TracedOperation, @unchecked Sendable {
  private let body: @Sendable () -> Void

  init(_ name: String, _ body: @escaping @Sendable () -> Void) {
    self.body = body
    super.init()
    setName(name)
  }

  override func main() { if !isCancelled { body() } }
}

/// Finishes on another thread. Sendable: the body is set before the operation is shared.
private final class TracedAsyncWork: TracedAsyncOperation, @unchecked Sendable {
  private let body: @Sendable () -> Void

  init(_ name: String, _ body: @escaping @Sendable () -> Void) {
    self.body = body
    super.init()
    setName(name)
  }

  override func execute() {
    DispatchQueue.global().async {
      if !self.isCancelled { self.body() }
      self.finish()
    }
  }
}

/// Sendable: the body is set before the operation is shared.
private final class PlainWork: Operation, @unchecked Sendable {
  private let body: @Sendable () -> Void

  init(_ name: String, _ body: @escaping @Sendable () -> Void) {
    self.body = body
    super.init()
    self.name = name
  }

  override func main() { if !isCancelled { body() } }
}

/// An asynchronous operation as people write it by hand. Sendable: its state is guarded by the lock.
private final class PlainAsyncWork: Operation, @unchecked Sendable {
  private enum State { case waiting, executing, finished }

  private let body: @Sendable () -> Void
  private let lock = NSLock()
  private var state = State.waiting

  init(_ name: String, _ body: @escaping @Sendable () -> Void) {
    self.body = body
    super.init()
    self.name = name
  }

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { lock.withLock { state == .executing } }
  override var isFinished: Bool { lock.withLock { state == .finished } }

  override func start() {
    guard !isCancelled else { return turn(.finished) }
    turn(.executing)
    DispatchQueue.global().async {
      self.body()
      self.turn(.finished)
    }
  }

  private func turn(_ next: State) {
    let keys = next == .executing ? ["isExecuting"] : ["isExecuting", "isFinished"]
    for key in keys { willChangeValue(forKey: key) }
    lock.withLock { state = next }
    for key in keys { didChangeValue(forKey: key) }
  }
}
