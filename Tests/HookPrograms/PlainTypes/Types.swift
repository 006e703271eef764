import Foundation

typealias Work = Operation
typealias BlockWork = BlockOperation

/// An asynchronous operation as programs write it by hand: own states under a lock, announced after they have changed.
/// Sendable: `state` is only touched under `lock`.
class AsyncWork: Operation, @unchecked Sendable {
  private enum State { case idle, executing, finished }
  private let lock = NSLock()
  private var state = State.idle

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { lock.withLock { state == .executing } }
  override var isFinished: Bool { lock.withLock { state == .finished } }

  override func start() {
    guard !isCancelled else { return change(to: .finished, ["isFinished"]) }
    change(to: .executing, ["isExecuting"])
    execute()
  }

  /// Begins the work, which ends with ``finish()``.
  func execute() { finish() }

  final func finish() { change(to: .finished, ["isExecuting", "isFinished"]) }

  private func change(to next: State, _ keys: [String]) {
    for key in keys { willChangeValue(forKey: key) }
    lock.withLock { state = next }
    for key in keys { didChangeValue(forKey: key) }
  }
}
