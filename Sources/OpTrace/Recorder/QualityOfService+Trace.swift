internal import Foundation

extension QualityOfService {
  /// The format's number, which is the same on all systems. `describe/ask.c` has it by the case's place, as it has no Swift.
  var traceValue: UInt8 {
    switch self {
    case .background: 1
    case .utility: 2
    case .userInitiated: 3
    case .userInteractive: 4
    default: 0
    }
  }
}
