import Foundation

/// Waits for the end of a command that runs until Ctrl-C, SIGTERM, the closing of its terminal, or until its work is done. None of these
/// is an error.
final class Ending: Sendable {
  enum Reason: Sendable { case signal, done }

  private let events = AsyncEvents()

  /// From here on these signals only end ``wait()``.
  init() {
    let signals = SignalPipe([SIGINT, SIGTERM, SIGHUP])
    let events = events
    Thread {
      _ = signals.wait()
      events.end(.signal)
    }.start()
  }

  /// Ends ``wait()``. May be called from any thread.
  func finish() { events.end(.done) }

  /// Returns the first reason.
  func wait() -> Reason { events.wait() }

  /// The condition's lock guards the reason.
  private final class AsyncEvents: @unchecked Sendable {
    private let condition = NSCondition()
    private var reason: Reason?

    func end(_ reason: Reason) {
      condition.withLock {
        if self.reason == nil { self.reason = reason }
        condition.broadcast()
      }
    }

    func wait() -> Reason {
      condition.withLock {
        while true {
          if let reason { return reason }
          condition.wait()
        }
      }
    }
  }
}
