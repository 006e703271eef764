/// Converts ticks into nanoseconds since the trace's start: piecewise linear between calibrations, and with the last
/// slope after the last one. With only one calibration, the estimated rate of the clock is used.
struct ClockMap {
  struct Calibration: Equatable {
    var ticks: UInt64
    var monotonic: UInt64
  }

  private struct Segment {
    var ticks: UInt64
    /// Nanoseconds since the trace's start.
    var time: Nanoseconds
    var nanosecondsPerTick: Double
  }

  private var segments: [Segment] = []
  private var last = 0

  /// A clock whose tick is a nanosecond.
  init(nanosecondsFrom startTicks: UInt64) {
    segments = [Segment(ticks: startTicks, time: 0, nanosecondsPerTick: 1)]
  }

  /// A `ticksPerSecond` of 0 means a nanosecond per tick.
  init(start: Calibration, others: [Calibration], ticksPerSecond: UInt64) {
    let estimate = ticksPerSecond == 0 ? 1 : 1e9 / Double(ticksPerSecond)
    var knots = [start]
    // Ignore a calibration that goes backwards on either clock.
    for next in others.sorted(by: { $0.ticks < $1.ticks }) {
      let previous = knots[knots.count - 1]
      if next.ticks > previous.ticks, next.monotonic > previous.monotonic { knots.append(next) }
    }
    for (index, knot) in knots.enumerated() {
      var slope = segments.last?.nanosecondsPerTick ?? estimate
      if index + 1 < knots.count {
        let next = knots[index + 1]
        slope = Double(next.monotonic - knot.monotonic) / Double(next.ticks - knot.ticks)
      }
      let time = TimeBounds.clamp(Nanoseconds(bitPattern: knot.monotonic &- start.monotonic))
      segments.append(Segment(ticks: knot.ticks, time: time, nanosecondsPerTick: slope))
    }
  }

  /// Continues after `ticks` with what is known of both clocks by now. Times up to there have been handed out, and do
  /// not change (though old bends may be forgotten). Later times approach the right ones within a second, and never go
  /// back. A correction at once would turn a small error shortly before a calibration into a large error of the rate.
  mutating func learn(_ calibrations: [Calibration], from ticks: UInt64, start: Calibration) {
    guard !isIdentity, let latest = calibrations.max(by: { $0.ticks < $1.ticks }), latest.ticks > start.ticks,
      latest.monotonic > start.monotonic
    else { return }
    let now = time(ticks)
    // Use the rate of the last ten seconds or more, because the system's clock may be slewed.
    let least = Self.baseline / nanosecondsPerTick
    let reference =
      calibrations.filter {
        $0.ticks < latest.ticks && $0.monotonic < latest.monotonic && Double(latest.ticks - $0.ticks) >= least
      }
      .max { $0.ticks < $1.ticks } ?? start
    let rate = Double(latest.monotonic - reference.monotonic) / Double(latest.ticks - reference.ticks)
    let length = max(1, min(1e15, Self.steering / rate))
    let known = Double(Nanoseconds(bitPattern: latest.monotonic &- start.monotonic))
    let wanted = known + (Double(Int64(bitPattern: ticks &- latest.ticks)) + length) * rate
    let slope = max(rate / 2, min(rate * 2, (wanted - Double(now)) / length))
    segments.removeAll { $0.ticks >= ticks }
    segments.removeFirst(max(0, segments.count - Self.kept))
    segments.append(Segment(ticks: ticks, time: now, nanosecondsPerTick: slope))
    let (end, overflow) = ticks.addingReportingOverflow(UInt64(length))
    if !overflow {
      let time = TimeBounds.clamp(now &+ Nanoseconds(max(0, min(0x1p60, length * slope))))
      segments.append(Segment(ticks: end, time: time, nanosecondsPerTick: rate))
    }
    last = 0
  }

  private static let baseline = 10e9
  private static let steering = 1e9

  /// How many past segments are kept.
  private static let kept = 64

  /// Whether every tick is a nanosecond, so that ages need no conversion.
  var isIdentity: Bool { segments.count == 1 && segments[0].nanosecondsPerTick == 1 }

  /// The rate around the last converted time.
  var nanosecondsPerTick: Double { segments[last].nanosecondsPerTick }

  /// The time for a tick; negative before the start. O(1) for ticks near the last one.
  mutating func time(_ ticks: UInt64) -> Nanoseconds {
    while last + 1 < segments.count, ticks >= segments[last + 1].ticks { last += 1 }
    while last > 0, ticks < segments[last].ticks { last -= 1 }
    let segment = segments[last]
    let distance = Int64(bitPattern: ticks &- segment.ticks)
    if segment.nanosecondsPerTick == 1 { return TimeBounds.clamp(segment.time &+ distance) }
    let exact = (Double(distance) * segment.nanosecondsPerTick).rounded()
    return TimeBounds.clamp(segment.time &+ Int64(max(-0x1p62, min(0x1p62, exact))))
  }
}
