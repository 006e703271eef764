import OpTraceModel

/// The bodies of operations that never ran: as long as the median of their class.
struct UnseenBodies {
  private let trace: Trace
  private let medians: [String: Nanoseconds]

  /// O(n log n).
  init(_ trace: Trace, _ bodies: [[Workload.Step]?]) {
    self.trace = trace
    guard bodies.contains(where: { $0 == nil }) else {
      medians = [:]
      return
    }
    var times: [String: [Nanoseconds]] = [:]
    for place in trace.operations.indices {
      guard let began = trace.operations[place].executionBegan, let finished = trace.operations[place].finished else {
        continue
      }
      times[trace.operations[place].kind, default: []].append(finished.time - began.time)
    }
    medians = times.mapValues { values in
      let sorted = values.sorted()
      return sorted[sorted.count / 2]
    }
  }

  /// Nil: it is not known to have a body, as with operations that are only named.
  func steps(of place: Int) -> [Workload.Step]? {
    guard trace.operations[place].enqueued != nil, trace.operations[place].finished == nil else { return nil }
    let job = Int32(clamping: place)
    return [.begin(job), .run(medians[trace.operations[place].kind] ?? 0), .finish(job)]
  }
}
