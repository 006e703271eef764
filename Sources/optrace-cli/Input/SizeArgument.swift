import ArgumentParser
import OpTrace

/// A size on the command line: `512K`, `64M`, `4G`; without a unit it is bytes.
struct SizeArgument: ExpressibleByArgument {
  var bytes: UInt64

  init?(argument: String) {
    guard let bytes = TraceRecorder.bytes(argument) else { return nil }
    self.bytes = UInt64(bytes)
  }

  /// The next larger size in a unit that makes it short.
  static func text(_ bytes: UInt64) -> String {
    let (unit, name): (UInt64, String) = bytes > 1 << 30 ? (1 << 30, "G") : (1 << 20, "M")
    return "\(bytes / unit + (bytes % unit > 0 ? 1 : 0))\(name)"
  }
}
