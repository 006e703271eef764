import OpTraceKernel
import OpTraceModel

/// How much processor time the process had used by a time: interpolated linearly between readings.
struct SampledUsage {
  private struct Reading {
    var time: Nanoseconds
    var used: Nanoseconds
    var lost: Int
  }

  private var readings: [Reading]

  /// O(samples + readings).
  init(_ trace: Trace, _ profile: ProfileRecord) {
    readings = profile.readings.map { Reading(time: $0.time, used: $0.used, lost: Int($0.lost)) }
    // Readings count from the beginning of sampling. Only the file of a flight recorder may not include that.
    guard trace.header.mode == .streaming, let first = readings.first, first.used > 0 || first.lost > 0 else { return }
    let earliest = trace.samples.first.map { max(0, $0.time - profile.period) } ?? 0
    readings.insert(Reading(time: min(earliest, first.time), used: 0, lost: 0), at: 0)
  }

  /// The time that the readings cover; nil: there are none.
  var known: ClosedRange<Nanoseconds>? {
    guard let first = readings.first, let last = readings.last, first.time < last.time else { return nil }
    return first.time...last.time
  }

  /// Nanoseconds of processor time. O(log readings).
  func used(_ begin: Nanoseconds, _ end: Nanoseconds) -> Nanoseconds { max(0, used(by: end) - used(by: begin)) }

  /// Lost samples, in all stretches between readings that overlap the time. O(log readings).
  func lost(_ begin: Nanoseconds, _ end: Nanoseconds) -> Int {
    guard let last = readings.last else { return 0 }
    let before = max(0, index { $0.time > begin } - 1)
    let after = min(readings.count - 1, index { $0.time >= end })
    guard before <= after, begin <= last.time else { return 0 }
    return max(0, readings[after].lost - readings[before].lost)
  }

  private func used(by time: Nanoseconds) -> Nanoseconds {
    let next = index { $0.time > time }
    guard next > 0 else { return readings.first?.used ?? 0 }
    let reading = readings[next - 1]
    guard next < readings.count, readings[next].time > reading.time else { return reading.used }
    let share = Double(time - reading.time) / Double(readings[next].time - reading.time)
    return reading.used + Nanoseconds((Double(readings[next].used - reading.used) * share).rounded())
  }

  /// The index of the first reading that satisfies a condition which all later ones satisfy; the count if none does.
  private func index(_ isBehind: (Reading) -> Bool) -> Int {
    var (low, high) = (0, readings.count)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(readings[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
