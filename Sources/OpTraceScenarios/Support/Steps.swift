internal import Foundation
internal import OpTrace

/// Work that holds its thread: reading a file, decoding an image. Ends early when it is cancelled.
///
/// Sendable: the stored properties are constants.
class Step: TracedOperation, @unchecked Sendable {
  let seconds: TimeInterval

  init(_ name: String, seconds: TimeInterval, file: StaticString = #fileID, line: UInt = #line) {
    self.seconds = seconds
    super.init()
    setName(name, file: file, line: line)
  }

  override func main() {
    let end = Date(timeIntervalSinceNow: seconds)
    while !isCancelled, end.timeIntervalSinceNow > 0 {
      Thread.sleep(until: min(end, Date(timeIntervalSinceNow: 0.02)))
    }
  }
}

/// Work that is done elsewhere, such as a request to a server: no thread is held until the answer comes. Ends early when
/// it is cancelled.
///
/// Sendable: `isOver` is only touched under `lock`; the other stored properties are constants.
class Request: TracedAsyncOperation, @unchecked Sendable {
  let seconds: TimeInterval
  private let lock = NSLock()
  private var isOver = false

  init(_ name: String, seconds: TimeInterval, file: StaticString = #fileID, line: UInt = #line) {
    self.seconds = seconds
    super.init()
    setName(name, file: file, line: line)
  }

  override func execute() {
    // Cancelled between the start and here.
    if isCancelled { return end() }
    Callbacks.shared.after(seconds) { self.end() }
  }

  override func cancel() {
    super.cancel()
    if isExecuting { end() }
  }

  /// The answer, or the cancelling, whichever comes first.
  private func end() {
    let isFirst = lock.withLock {
      defer { isOver = true }
      return !isOver
    }
    if isFirst { finish() }
  }
}
