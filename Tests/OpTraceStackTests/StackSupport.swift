import CStackTestSupport
import Foundation
import TestSupport
import Testing

#if os(Linux)

  /// Records what a C function complains about; null: nothing.
  func expectNothing(
    _ complaint: UnsafePointer<CChar>?, _ what: String = "", _ location: SourceLocation = #_sourceLocation
  ) {
    if let complaint { Issue.record("\(what) \(String(cString: complaint))", sourceLocation: location) }
  }

  /// A random seed, which is printed, and the ones after it.
  func seeds(_ count: Int) -> [UInt64] {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("OpTraceStackTests: the seed is \(seed)")
    return (0..<UInt64(count)).map { seed &+ $0 }
  }

#endif
