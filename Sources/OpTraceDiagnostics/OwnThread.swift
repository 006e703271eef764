internal import COpTraceSignals
internal import Foundation
import OpTraceModel

/// A thread that is not the program's, and no work of dispatch, which may have no thread left.
enum OwnThread {
  /// Which signals a thread takes, besides those that come of its own faults.
  enum Signals {
    /// None, or this one alone: the program's go to the program's threads.
    case none
    case only(Int32)
    /// What it takes over from the calling thread: it runs the program's code.
    case inherited
  }

  static func start(_ name: String, _ signals: Signals = .none, _ body: @escaping @Sendable () -> Void) {
    let number: Int32
    switch signals {
    case .inherited: return thread(name, body).start()
    case .none: number = 0
    case .only(let signal): number = signal
    }
    // What it reads it reads alone: others would be of dispatch.
    let thread = thread(name) { SideBySide.$processors.withValue(1, operation: body) }
    // It takes over our mask: setting its own it would be late.
    var before = optrace_signal_mask()
    optrace_signal_mask_set(number, &before)
    thread.start()
    optrace_signal_mask_restore(&before)
  }

  private static func thread(_ name: String, _ body: @escaping @Sendable () -> Void) -> Thread {
    let thread = Thread(block: body)
    thread.name = name
    thread.stackSize = stackSize
    return thread
  }

  /// As the main thread's is: the program's handlers and bodies run here.
  private static let stackSize = 8 << 20
}
