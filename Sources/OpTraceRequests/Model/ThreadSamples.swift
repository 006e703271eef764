import OpTraceKernel
import OpTraceModel

/// Samples of processor time by thread, to look up those of a stretch.
struct ThreadSamples {
  private let trace: Trace
  private var rows: [ThreadID: [Int32]] = [:]

  /// O(samples).
  init(_ trace: Trace) {
    self.trace = trace
    for index in trace.samples.indices { rows[trace.samples[index].thread, default: []].append(Int32(index)) }
  }

  /// The stacks that were sampled in a stretch. O(log samples + result).
  func stacks(on thread: ThreadID, _ from: Nanoseconds, _ to: Nanoseconds) -> [FrameID?] {
    guard let rows = rows[thread] else { return [] }
    let first = rows.firstSorted { trace.samples[Int($0)].time >= from }
    return rows[first...].prefix { trace.samples[Int($0)].time < to }.map { trace.samples[Int($0)].at }
  }
}
