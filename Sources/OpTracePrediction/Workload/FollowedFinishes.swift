import OpTraceModel

/// Whether a thread of the program's own goes on when operations end: it waits for them in a way that is not recorded, as with a semaphore outside of
/// operations. Taken to be so where most of its pauses end right after a finish.
struct FollowedFinishes {
  private struct Pause {
    /// The place of its piece of running among the thread's steps.
    var step: Int
    var followed: (job: Int32, rest: Nanoseconds)?
  }
  private var pauses: [Pause] = []

  /// Shorter ones are work.
  private static let shortest: Nanoseconds = 1_000_000
  /// A thread that is woken goes on within this time.
  private static let near: Nanoseconds = 300_000

  /// The thread did nothing that was recorded from one moment to the other. O(log n).
  mutating func note(gap step: Int, from: Nanoseconds, to: Nanoseconds, _ finishes: FinishOrder) {
    guard span(from, to) >= Self.shortest else { return }
    var pause = Pause(step: step)
    if let last = finishes.last(before: to), last.time > from, span(last.time, to) <= Self.near {
      pause.followed = (last.job, span(last.time, to))
    }
    pauses.append(pause)
  }

  /// Makes waits of the pauses, and tells whether it has. O(steps).
  func apply(to steps: inout [Workload.Step]) -> Bool {
    let followed = pauses.filter { $0.followed != nil }
    guard !followed.isEmpty, followed.count * 3 >= pauses.count * 2 else { return false }
    var result: [Workload.Step] = []
    result.reserveCapacity(steps.count + followed.count)
    var next = followed.makeIterator()
    var pause = next.next()
    for (place, step) in steps.enumerated() {
      if place == pause?.step, let (job, rest) = pause?.followed {
        result.append(.awaitJob(job))
        result.append(.pause(rest))
        pause = next.next()
      } else {
        result.append(step)
      }
    }
    steps = result
    return true
  }
}
