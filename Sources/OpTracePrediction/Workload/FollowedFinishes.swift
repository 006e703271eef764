import OpTraceModel

/// Whether a thread of the program's own goes on when operations end: it waits for them in a way that is not recorded, as with a semaphore outside of
/// operations. Taken to be so where most of its pauses end right after a finish.
struct FollowedFinishes {
  private struct Pause {
    /// The index of its piece of running among the thread's steps.
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

  /// Turns pauses into waits; true: there were some. O(steps).
  func apply(to steps: inout [Workload.Step]) -> Bool {
    let followed = pauses.filter { $0.followed != nil }
    guard !followed.isEmpty, followed.count * 3 >= pauses.count * 2 else { return false }
    var result: [Workload.Step] = []
    result.reserveCapacity(steps.count + followed.count)
    var next = followed.makeIterator()
    var pause = next.next()
    for (index, step) in steps.enumerated() {
      if index == pause?.step, let (job, rest) = pause?.followed {
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

/// Operations in the order in which they finished.
struct FinishOrder {
  let all: [(time: Nanoseconds, job: Int32)]

  /// O(n log n).
  init(_ trace: Trace) {
    var list: [(time: Nanoseconds, job: Int32)] = []
    list.reserveCapacity(trace.operations.count)
    for index in trace.operations.indices {
      if let finished = trace.operations[index].finished { list.append((finished.time, Int32(clamping: index))) }
    }
    all = list.sorted { ($0.time, $0.job) < ($1.time, $1.job) }
  }

  /// The last that finished before a moment. O(log n).
  func last(before time: Nanoseconds) -> (time: Nanoseconds, job: Int32)? {
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle].time < time { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : all[low - 1]
  }
}
