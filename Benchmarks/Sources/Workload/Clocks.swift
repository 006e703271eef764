import BenchmarkSupport
import Foundation

enum Clocks {
  static func read(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  static func time(_ body: () throws -> Void) rethrows -> Taken {
    let begin = (read(CLOCK_MONOTONIC), read(CLOCK_THREAD_CPUTIME_ID), read(CLOCK_PROCESS_CPUTIME_ID))
    try body()
    return Taken(
      wall: read(CLOCK_MONOTONIC) - begin.0, thread: read(CLOCK_THREAD_CPUTIME_ID) - begin.1,
      process: read(CLOCK_PROCESS_CPUTIME_ID) - begin.2)
  }
}
