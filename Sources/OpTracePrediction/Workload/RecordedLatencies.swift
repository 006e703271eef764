import OpTraceModel

/// What the system took to begin operations that had all they needed, as far as that can be told apart from other waiting.
struct RecordedLatencies {
  private struct Measured {
    var time: Nanoseconds
    var wasWoken: Bool
  }
  private var measured: [Measured?]
  /// Longer than this it waited for something that the trace does not tell.
  private static let longest: Nanoseconds = 3_000_000
  /// The same for the first work of a thread, which has to be made.
  private static let longestFirst: Nanoseconds = 20_000_000

  /// O(n log n).
  init(_ trace: Trace) {
    measured = Array(repeating: nil, count: trace.operations.count)
    var byThread: [UInt32: [Int32]] = [:]
    var finishes: [QueueID: [Nanoseconds]] = [:]
    for place in trace.operations.indices {
      if let started = trace.operations[place].started {
        byThread[started.thread.rawValue, default: []].append(Int32(clamping: place))
      }
      if let queue = trace.operations[place].queue, let finished = trace.operations[place].finished {
        finishes[queue, default: []].append(finished.time)
      }
    }
    for queue in finishes.keys { finishes[queue]?.sort() }
    for places in byThread.values {
      let sorted = places.sorted {
        (trace.operations[Int($0)].started?.time ?? 0) < (trace.operations[Int($1)].started?.time ?? 0)
      }
      var free = Nanoseconds.min
      for place in sorted.lazy.map({ Int($0) }) {
        guard let started = trace.operations[place].started?.time else { continue }
        let slot = trace.operations[place].queue.flatMap { finishes[$0] }.flatMap { Self.last($0, upTo: started) }
        measure(place, trace.operations[place].runnable, started, free: free, slot: slot)
        let returned = trace.operations[place].startReturned ?? trace.operations[place].executionEnded
        free = max(free, returned?.time ?? started)
      }
    }
  }

  private mutating func measure(
    _ place: Int, _ runnable: Nanoseconds?, _ started: Nanoseconds, free: Nanoseconds, slot: Nanoseconds?
  ) {
    guard let runnable else { return }
    let due = max(runnable, free)
    var time = started - due
    var wasWoken = runnable > free
    // It may have waited for a slot, which came free by the last finish.
    if let slot, slot > due {
      time = started - slot
      wasWoken = span(free, slot) > 20_000
    }
    guard (0...(free == .min ? Self.longestFirst : Self.longest)).contains(time) else { return }
    measured[place] = Measured(time: time, wasWoken: wasWoken)
  }

  private static func last(_ times: [Nanoseconds], upTo limit: Nanoseconds) -> Nanoseconds? {
    var (low, high) = (0, times.count)
    while low < high {
      let middle = (low + high) / 2
      if times[middle] <= limit { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : times[low - 1]
  }

  func apply(to workload: inout Workload) {
    for (place, value) in measured.enumerated() {
      guard let value else { continue }
      workload.jobs[place].latency = value.time
      workload.jobs[place].wasWoken = value.wasWoken
    }
    workload.latencies = Latencies(wake: median { $0.wasWoken }, handover: median { !$0.wasWoken })
  }

  private func median(_ isOne: (Measured) -> Bool) -> Nanoseconds {
    let times = measured.compactMap { $0 }.filter(isOne).map(\.time).sorted()
    return times.isEmpty ? 0 : times[times.count / 2]
  }
}
