package import OpTraceModel

/// How a pool's thread comes to its work.
package enum ThreadStart: Sendable, CaseIterable {
  /// It is a new one.
  case make
  /// It slept.
  case wake
  /// It has just been through with other work.
  case handover
}

/// What the system takes between the moment at which work could begin and the moment at which it does.
package struct Latencies: Sendable, Equatable {
  /// A new thread is made.
  package var make: Nanoseconds = 0
  /// A sleeping thread is woken.
  package var wake: Nanoseconds = 0
  /// A thread takes the next work after the last.
  package var handover: Nanoseconds = 0
  /// How much they vary: the mean distance from the median of their kind.
  package var variation: Nanoseconds = 0

  package init(make: Nanoseconds = 0, wake: Nanoseconds = 0, handover: Nanoseconds = 0) {
    (self.make, self.wake, self.handover) = (make, wake, handover)
  }

  package subscript(_ start: ThreadStart) -> Nanoseconds {
    switch start {
    case .make: make
    case .wake: wake
    case .handover: handover
    }
  }
}

/// What the system took to begin operations that had all they needed, as far as that can be separated from other waiting.
struct RecordedLatencies {
  private struct Measured {
    var time: Nanoseconds
    var start: ThreadStart
  }
  private var measured: [Measured?]
  /// Longer than this it waited for something that is not in the trace.
  private static let longest: Nanoseconds = 3_000_000
  /// The same for the first work of a thread, which has to be made.
  private static let longestFirst: Nanoseconds = 20_000_000

  /// O(n log n).
  init(_ trace: Trace) {
    measured = Array(repeating: nil, count: trace.operations.count)
    var byThread: [UInt32: [Int32]] = [:]
    var finishes: [QueueID: [Nanoseconds]] = [:]
    for index in trace.operations.indices {
      if let started = trace.operations[index].started {
        byThread[started.thread.rawValue, default: []].append(Int32(clamping: index))
      }
      if let queue = trace.operations[index].queue, let finished = trace.operations[index].finished {
        finishes[queue, default: []].append(finished.time)
      }
    }
    for queue in finishes.keys { finishes[queue]?.sort() }
    for indexes in byThread.values {
      let sorted = indexes.sorted {
        (trace.operations[Int($0)].started?.time ?? 0) < (trace.operations[Int($1)].started?.time ?? 0)
      }
      var free = Nanoseconds.min
      for index in sorted.lazy.map({ Int($0) }) {
        guard let started = trace.operations[index].started?.time else { continue }
        let slot = trace.operations[index].queue.flatMap { finishes[$0] }.flatMap { Self.last($0, upTo: started) }
        measure(index, trace.operations[index].runnable, started, free: free, slot: slot)
        let returned = trace.operations[index].startReturned ?? trace.operations[index].executionEnded
        free = max(free, returned?.time ?? started)
      }
    }
  }

  private mutating func measure(
    _ index: Int, _ runnable: Nanoseconds?, _ started: Nanoseconds, free: Nanoseconds, slot: Nanoseconds?
  ) {
    guard let runnable else { return }
    let due = max(runnable, free)
    var time = started - due
    var start = free == .min ? ThreadStart.make : runnable > free ? .wake : .handover
    // It may have waited for a slot, which came free by the last finish.
    if let slot, slot > due {
      time = started - slot
      if start == .handover, span(free, slot) > 20_000 { start = .wake }
    }
    guard (0...(start == .make ? Self.longestFirst : Self.longest)).contains(time) else { return }
    measured[index] = Measured(time: time, start: start)
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
    for (index, value) in measured.enumerated() {
      guard let value else { continue }
      workload.jobs[index].latency = value.time
      workload.jobs[index].start = value.start
    }
    let make = median(.make)
    let handover = median(.handover) ?? 0
    // To wake a thread takes less than to make one.
    let wake = median(.wake) ?? min(make ?? 0, Self.usualWake)
    workload.latencies = Latencies(make: make ?? wake, wake: wake, handover: handover)
    let distances = measured.compactMap { $0 }.map { span(workload.latencies[$0.start], $0.time) }
    workload.latencies.variation = distances.isEmpty ? 0 : distances.reduce(0, +) / Nanoseconds(distances.count)
  }

  /// Where none was seen to be woken.
  private static let usualWake: Nanoseconds = 50_000

  private func median(_ start: ThreadStart) -> Nanoseconds? {
    let times = measured.compactMap { $0 }.filter { $0.start == start }.map(\.time).sorted()
    return times.isEmpty ? nil : times[times.count / 2]
  }
}
