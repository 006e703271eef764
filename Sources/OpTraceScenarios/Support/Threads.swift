internal import Dispatch
internal import Foundation

/// Waits that keep serving the main run loop.
enum MainThread {
  static func wait(for group: DispatchGroup) {
    serve {
      group.wait(timeout: .now()) == .success
    } otherwise: {
      group.wait()
    }
  }

  static func wait(forFinished queue: OperationQueue) {
    serve {
      queue.operationCount == 0
    } otherwise: {
      queue.waitUntilAllOperationsAreFinished()
    }
  }

  /// On the main thread: serves its run loop, and with it the main queue, until the condition holds. Whoever else waits
  /// just waits.
  private static func serve(until isDone: () -> Bool, otherwise wait: () -> Void) {
    guard Thread.isMainThread else { return wait() }
    while !isDone() {
      _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05))
    }
  }
}

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
