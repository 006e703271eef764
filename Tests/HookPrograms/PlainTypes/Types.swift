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

/// The same in another fashion: announced by key paths, and `start()` calls `main()`.
/// Sendable: `state` is only touched under `lock`.
class PathWork: Operation, @unchecked Sendable {
  private let lock = NSLock()
  private var state = (executing: false, finished: false)

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { lock.withLock { state.executing } }
  override var isFinished: Bool { lock.withLock { state.finished } }

  override func start() {
    guard !isCancelled else { return finish() }
    willChangeValue(for: \.isExecuting)
    lock.withLock { state = (true, false) }
    didChangeValue(for: \.isExecuting)
    main()
  }

  override func main() { execute() }

  func execute() { finish() }

  final func finish() {
    willChangeValue(for: \.isExecuting)
    willChangeValue(for: \.isFinished)
    lock.withLock { state = (false, true) }
    didChangeValue(for: \.isExecuting)
    didChangeValue(for: \.isFinished)
  }
}

/// One that announces no more than it must: that it is finished.
/// Sendable: `isOver` is only touched under `lock`.
class SilentWork: Operation, @unchecked Sendable {
  private let lock = NSLock()
  private var isOver = false

  override var isAsynchronous: Bool { true }
  override var isFinished: Bool { lock.withLock { isOver } }
  override func start() { isCancelled ? finish() : execute() }

  func execute() { finish() }

  final func finish() {
    willChangeValue(forKey: "isFinished")
    lock.withLock { isOver = true }
    didChangeValue(forKey: "isFinished")
  }
}
