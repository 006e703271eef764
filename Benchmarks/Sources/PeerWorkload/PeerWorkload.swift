import Dispatch
import Foundation
import OpTrace

/// The work of `scripts/bench-peers`, as its other programs do it: `PeerWorkload plain|optrace COUNT FILE`. Prints the nanoseconds that the
/// spans took, on one thread, behind some that count for nothing.
@main
enum PeerWorkload {
  /// Some hundred nanoseconds that nothing can leave out.
  @inline(never) private static func step(_ seed: UInt64) -> UInt64 {
    var value = seed
    for _ in 0..<64 { value = value &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407 }
    return value
  }

  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let count = Int(arguments[2]) else {
      FileHandle.standardError.write(Data("usage: PeerWorkload plain|optrace COUNT FILE\n".utf8))
      exit(64)
    }
    let recorder =
      arguments[1] == "optrace" ? try TraceRecorder(writingTo: URL(fileURLWithPath: arguments[3])) : nil
    var value: UInt64 = 1
    func run(_ count: Int) {
      if let recorder {
        for _ in 0..<count { value = recorder.measure("step") { step(value) } }
      } else {
        for _ in 0..<count { value = step(value) }
      }
    }
    run(1000)
    let began = DispatchTime.now().uptimeNanoseconds
    run(count)
    let ended = DispatchTime.now().uptimeNanoseconds
    try recorder?.stop()
    print(ended - began, value & 1)
  }
}
