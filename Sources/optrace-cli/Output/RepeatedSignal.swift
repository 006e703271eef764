import Foundation

/// A signal that comes twice for one request: `timeout` sends it to the command and then to its whole group. The first
/// has ended a recorded program. The second, however late it comes, must not end the command, which still has to report
/// what was recorded. A third one does.
enum RepeatedSignal {
  /// The awaited signal; 0: none. A handler reads and writes it.
  private nonisolated(unsafe) static var awaited: Int32 = 0

  /// From now on, ignores the next signal with this number.
  static func expect(_ number: Int32) {
    guard !ignores(number) else { return }
    awaited = number
    signal(number) { number in
      if RepeatedSignal.take(number) { return }
      signal(number, SIG_DFL)
      raise(number)
    }
  }

  /// Whether this is the awaited signal. Safe in a handler.
  static func take(_ number: Int32) -> Bool {
    guard awaited == number else { return false }
    awaited = 0
    return true
  }

  /// Restores the default action of a signal.
  static func restore(_ number: Int32) {
    if awaited == number { expect(number) } else { signal(number, SIG_DFL) }
  }
}
