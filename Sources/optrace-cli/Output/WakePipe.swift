import Foundation
import OpTraceProcesses

/// Wakes a thread that polls.
struct WakePipe: ~Copyable, Sendable {
  private let pipe: SystemPipe

  init?() {
    guard let pipe = SystemPipe() else { return nil }
    for end in [pipe.start, pipe.end] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    self.pipe = pipe
  }

  /// To be polled for input.
  var descriptor: Int32 { pipe.start }

  func signal() {
    var byte: UInt8 = 0
    // If the pipe is full, the thread will wake anyway.
    _ = write(pipe.end, &byte, 1)
  }

  func clear() {
    var bytes: [UInt8] = Array(repeating: 0, count: 64)
    while read(pipe.start, &bytes, bytes.count) > 0 {}
  }
}
