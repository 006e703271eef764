internal import COpTrace
internal import Foundation

/// Recorders that are left when the process exits are stopped then.
enum RecorderExit {
  private static let stopAtExit: Void = {
    atexit {
      // Not by `stop()`: the process may end in a signal handler, which has interrupted any code, and that takes locks.
      optrace_stop_at_exit()
      optrace_hooks_pass()
    }
  }()

  static func prepare() { _ = stopAtExit }
}
