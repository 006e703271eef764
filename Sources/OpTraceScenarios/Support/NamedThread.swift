internal import Dispatch
internal import Foundation

extension Thread {
  /// Starts a thread that has its name before its first line runs. Foundation on Linux hands a name on to the system only
  /// when `start()` has returned: one that is set before is lost, one that the thread gives itself may come too early.
  static func startNamed(_ name: String, _ body: @escaping @Sendable () -> Void) {
    let isNamed = DispatchSemaphore(value: 0)
    let thread = Thread {
      isNamed.wait()
      body()
    }
    thread.start()
    thread.name = name
    isNamed.signal()
  }
}
