import OpTraceKernel
package import OpTraceModel
import OpTraceSamples

/// What work was done for, as another capability knows it.
package protocol WorkPurposes {
  /// The kind of request that work belonged to at a time; nil: none.
  func request(of work: WorkID, at time: Nanoseconds) -> String?
  /// The ids of the innermost span around work at a time; nil: none.
  func context(of work: WorkID, at time: Nanoseconds) -> SpanRecord.Context?
}

/// Divides the samples of a growing trace among windows of time, each as long. A sample is in exactly one window: the
/// one of its time, or, if that was closed before the sample was read, the oldest that is open.
package struct ProfileWindows: Sendable {
  /// Nanoseconds.
  package let length: Nanoseconds
  private let origin: Nanoseconds
  private let purposes: @Sendable (Trace) -> any WorkPurposes
  private var open: [Int: WindowProfile] = [:]
  /// The number of the first window that is not closed.
  private var first = 0
  private var names = LabelNames()
  /// How many samples the recorder had lost when the last trace was added.
  private var lost: UInt32?

  /// - Parameters:
  ///   - length: in nanoseconds.
  ///   - origin: when the first window begins, in nanoseconds since the trace's start.
  ///   - purposes: of a trace's work.
  package init(
    every length: Nanoseconds, from origin: Nanoseconds, purposes: @escaping @Sendable (Trace) -> any WorkPurposes
  ) {
    (self.length, self.origin, self.purposes) = (max(1, length), origin, purposes)
  }

  /// Whether names were replaced because a label had too many.
  package var hasReplacedNames: Bool { names.replaced > 0 }
  /// Whether there are samples in windows that are not closed.
  package var isEmpty: Bool { open.isEmpty }

  /// Adds all samples of a trace, each with the work that it was for. O(n log n) for n samples and pieces of work.
  package mutating func add(_ trace: Trace) {
    let profile = Profile(of: trace)
    guard !profile.samples.isEmpty else { return }
    let found = labels(of: profile, in: trace)
    var rows: [Int: [Int]] = [:]
    for row in profile.samples.indices { rows[number(of: profile.samples[row].time), default: []].append(row) }
    for (number, rows) in rows.sorted(by: { $0.key < $1.key }) {
      var window = open.removeValue(forKey: number) ?? WindowProfile(begin(of: number), begin(of: number + 1))
      window.add(rows, of: profile, found, &names)
      window.addLost(newlyLost(in: trace))
      open[number] = window
    }
  }

  /// The recorder counts lost samples from its start.
  private mutating func newlyLost(in trace: Trace) -> Int {
    guard let readings = trace.profile?.readings, let first = readings.first, let last = readings.last else { return 0 }
    let before = lost ?? first.lost
    lost = max(before, last.lost)
    return Int(last.lost) - Int(before)
  }

  private func labels(of profile: Profile, in trace: Trace) -> [WindowProfile.Purpose] {
    let purposes = purposes(trace)
    return profile.samples.map { sample in
      var purpose = WindowProfile.Purpose(context: sample.span.flatMap { trace.span($0)?.context })
      guard let work = sample.work else { return purpose }
      purpose.request = purposes.request(of: work, at: sample.time)
      if purpose.context == nil { purpose.context = purposes.context(of: work, at: sample.time) }
      return purpose
    }
  }

  private func number(of time: Nanoseconds) -> Int {
    let (distance, overflow) = time.subtractingReportingOverflow(origin)
    guard !overflow, distance > 0 else { return first }
    return max(first, min(Int(distance / length), .max - 1))
  }

  private func begin(of number: Int) -> Nanoseconds {
    let (offset, overflow) = length.multipliedReportingOverflow(by: Nanoseconds(number))
    let (sum, isLate) = origin.addingReportingOverflow(offset)
    return overflow || isLate ? .max : sum
  }

  /// Closes the windows that end no later than `time`, and returns those with samples, the oldest first. O(windows).
  package mutating func close(until time: Nanoseconds) -> [WindowProfile] {
    let (distance, overflow) = time.subtractingReportingOverflow(origin)
    if !overflow, distance > 0 { first = max(first, Int(distance / length)) }
    return take { $0.ended <= time }
  }

  /// Closes all windows. `end`: when the last one ends, if it has not.
  package mutating func closeAll(at end: Nanoseconds) -> [WindowProfile] {
    first = max(first, (open.keys.max() ?? -1) + 1)
    return take(end: end) { _ in true }
  }

  private mutating func take(end: Nanoseconds = .max, _ isClosed: (WindowProfile) -> Bool) -> [WindowProfile] {
    let closed = open.filter { isClosed($0.value) }.sorted { $0.key < $1.key }
    return closed.map { number, window in
      open[number] = nil
      var window = window
      window.finish(by: end)
      return window
    }
  }
}
