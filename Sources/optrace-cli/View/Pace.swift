import Foundation

/// How often work may be done so that it takes no more than a share of one processor.
struct Pace {
  let share: Double
  /// The shortest time between two runs, in seconds.
  let least: Double
  private var next = 0.0

  init(share: Double, least: Double = 0) { (self.share, self.least) = (share, least) }

  /// Seconds until the work may be done again.
  var wait: Double { max(0, next - Self.now) }

  /// Taken before the work.
  struct Start {
    fileprivate let time = Pace.now
    fileprivate let processorTime = Pace.processorTime
  }

  /// Notes that the work, or a part of it, was done. The more it has cost, the later it may be done again.
  mutating func spent(since start: Start) {
    let cost = Self.processorTime - start.processorTime
    next = max(start.time + least, max(next, start.time) + cost / share)
  }

  private static var now: Double { seconds(CLOCK_MONOTONIC) }
  /// The processor time of all threads of this process.
  private static var processorTime: Double { seconds(CLOCK_PROCESS_CPUTIME_ID) }

  private static func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
