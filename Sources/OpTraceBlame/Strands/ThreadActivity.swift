import OpTraceKernel
package import OpTraceModel

/// What threads waited for, and where they used a processor.
package struct ThreadActivity {
  /// A wait of a thread.
  struct Wait {
    var began: Nanoseconds
    var ended: Nanoseconds
    /// An index among the trace's waits; with `isHoldup`, among its holdups.
    var index: Int32
    var isHoldup: Bool
  }

  private let trace: Trace
  private var waits: [ThreadID: [Wait]] = [:]
  private var samples: [ThreadID: [Int32]] = [:]

  /// O(n log n) for n waits and samples.
  init(_ trace: Trace) {
    self.trace = trace
    for (index, wait) in trace.waits.enumerated() { add(wait, index, isHoldup: false) }
    for (index, wait) in trace.holdups.enumerated() { add(wait, index, isHoldup: true) }
    for thread in waits.keys { waits[thread]?.sort { ($0.began, -$0.ended) < ($1.began, -$1.ended) } }
    for index in trace.samples.indices {
      samples[trace.samples[index].thread, default: []].append(Int32(clamping: index))
    }
  }

  private mutating func add(_ wait: WaitRecord, _ index: Int, isHoldup: Bool) {
    waits[wait.thread, default: []].append(
      Wait(began: wait.began, ended: wait.ended ?? trace.end, index: Int32(clamping: index), isHoldup: isHoldup))
  }

  /// The outermost waits of a thread in a stretch, without overlap. O(log waits + result).
  func waits(on thread: ThreadID, _ from: Nanoseconds, _ to: Nanoseconds) -> [Wait] {
    guard let all = waits[thread] else { return [] }
    var first = all.firstSorted { $0.began >= from }
    // A wait that began before may last.
    for _ in 0..<8 where first > 0 {
      if all[first - 1].ended > from { first -= 1 } else { break }
    }
    var found: [Wait] = []
    for wait in all[first...] {
      if wait.began >= to { break }
      guard wait.ended > max(from, found.last?.ended ?? .min) else { continue }
      found.append(wait)
    }
    return found
  }

  /// The samples of a thread in a stretch: when, and their stacks. O(log samples + result).
  func samples(on thread: ThreadID, _ from: Nanoseconds, _ to: Nanoseconds) -> [(time: Nanoseconds, at: FrameID?)] {
    guard let rows = samples[thread] else { return [] }
    let first = rows.firstSorted { trace.samples[Int($0)].time >= from }
    return rows[first...].prefix { trace.samples[Int($0)].time < to }
      .map { (trace.samples[Int($0)].time, trace.samples[Int($0)].at) }
  }

  /// The stacks that were sampled in a stretch. O(log samples + result).
  package func stacks(on thread: ThreadID, _ from: Nanoseconds, _ to: Nanoseconds) -> [FrameID?] {
    samples(on: thread, from, to).map(\.at)
  }

  /// Whether processor time was sampled.
  var areSampled: Bool { trace.profile != nil && !trace.samples.isEmpty }
}
