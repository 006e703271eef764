import Foundation

/// A signal that comes twice for one wish: `timeout` sends it to the command and then to its whole group. The first has ended a
/// recorded program; the second, however late it comes, is not to end the command, which has yet to tell what was recorded. A third is.
enum RepeatedSignal {
  /// 0: none is awaited. A handler reads and writes it.
  private nonisolated(unsafe) static var awaited: Int32 = 0

  /// From here on the next one of this number does nothing.
  static func expect(_ number: Int32) {
    guard !ignores(number) else { return }
    awaited = number
    signal(number) { number in
      if RepeatedSignal.take(number) { return }
      signal(number, SIG_DFL)
      raise(number)
    }
  }

  /// Whether it is the awaited one. Safe in a handler.
  static func take(_ number: Int32) -> Bool {
    guard awaited == number else { return false }
    awaited = 0
    return true
  }

  /// What a signal does where nobody handles it any more.
  static func restore(_ number: Int32) {
    if awaited == number { expect(number) } else { signal(number, SIG_DFL) }
  }
}
