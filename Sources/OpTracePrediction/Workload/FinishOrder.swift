import OpTraceModel

/// Operations in the order in which they finished.
struct FinishOrder {
  let all: [(time: Nanoseconds, job: Int32)]

  /// O(n log n).
  init(_ trace: Trace) {
    var list: [(time: Nanoseconds, job: Int32)] = []
    list.reserveCapacity(trace.operations.count)
    for place in trace.operations.indices {
      if let finished = trace.operations[place].finished { list.append((finished.time, Int32(clamping: place))) }
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
