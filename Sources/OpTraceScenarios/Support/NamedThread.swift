internal import Dispatch
internal import Foundation

extension Thread {
  /// Starts a thread that has its name before its first line runs. Foundation on Linux hands a name on to the system only
  /// when `start()` has returned, and one that comes from another thread may take effect late: so the thread names
  /// itself, after that.
  static func startNamed(_ name: String, _ body: @escaping @Sendable () -> Void) {
    let hasStarted = DispatchSemaphore(value: 0)
    let thread = Thread {
      hasStarted.wait()
      Thread.current.name = name
      body()
    }
    thread.start()
    hasStarted.signal()
  }
}
