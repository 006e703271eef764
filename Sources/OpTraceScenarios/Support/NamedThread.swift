internal import Foundation

extension Thread {
  /// Starts a thread that has its name from its first instruction on: Foundation on Linux does not give a new thread the
  /// name that was set before its start.
  static func startNamed(_ name: String, _ body: @escaping @Sendable () -> Void) {
    let thread = Thread {
      Thread.current.name = name
      body()
    }
    thread.start()
  }
}
