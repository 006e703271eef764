import ArgumentParser
import OpTraceKernel
import OpTraceModel

/// How long nothing may move: the value of `--stall-timeout`.
struct StallTimeout: Equatable {
  let nanoseconds: Nanoseconds

  private static let longest = 1_000_000.0

  /// Nil: it is no number of seconds above 0, or longer than eleven days.
  init?(seconds text: String) {
    // `Double` would also accept hexadecimal numbers and infinity.
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }), let seconds = Double(text),
      seconds >= 0.001, seconds <= Self.longest
    else { return nil }
    nanoseconds = Nanoseconds((seconds * 1e9).rounded())
  }

  /// Throws what is wrong with such a value.
  static func check(_ text: String) throws {
    guard StallTimeout(seconds: text) == nil else { return }
    throw ValidationError(
      "--stall-timeout needs a number of seconds above 0, such as 120 or 0.5, and up to \(Int(longest)); '\(text)' is none."
    )
  }

  /// `30 s`.
  var text: String { DurationText.text(nanoseconds) }
}
