import OpTraceKernel
package import OpTraceModel

/// How units went over time: a run in slices of the same length, the same ones for all kinds, so that their charts can be compared.
package struct RequestCourse: Sendable, Equatable {
  /// What ended in one slice.
  package struct Slice: Sendable, Equatable {
    package var count = 0
    package var failed = 0
    /// Units per second.
    package var perSecond = 0.0
    /// Nil: none ended.
    package var p50: Nanoseconds?
    package var p99: Nanoseconds?
  }

  /// Work of another kind that comes back after the same time, and to which slow units lose time.
  package struct Pulse: Sendable, Equatable {
    /// An index in ``Requests/kinds``.
    package var kind: Int32
    package var beat: Requests.Beat
    /// The share of the slow units' time that is lost to it, from 0 to 1.
    package var share: Double
    /// Each time that it was done; none if these are too many to be told apart.
    package var times: [ClosedRange<Nanoseconds>]
  }

  /// Where the first slice begins, and the last one ends.
  package let first: Nanoseconds
  package let last: Nanoseconds
  /// How long a slice is. What is left at the end belongs to the last one if it is shorter than half of this.
  package let step: Nanoseconds
  package let count: Int

  private static let mostSlices: Nanoseconds = 60
  /// More times would be one grey area.
  private static let mostTimes = 120
  private static let mostPulses = 3

  /// Nil: there are no units, or they took no time. O(units).
  package init?(of units: [Requests.Unit]) {
    guard let first = units.lazy.map(\.began).min(), let last = units.lazy.map(\.ended).max(), last > first else {
      return nil
    }
    (self.first, self.last) = (first, last)
    step = Self.round(atLeast: max(1, (last - first + Self.mostSlices - 1) / Self.mostSlices))
    count = max(1, Int((last - first + step / 2) / step))
  }

  /// 1, 2 or 5 times a power of ten.
  private static func round(atLeast time: Nanoseconds) -> Nanoseconds {
    var power: Nanoseconds = 1
    while power * 10 <= time, power <= .max / 100 { power *= 10 }
    return [1, 2, 5].map { $0 * power }.first { $0 >= time } ?? 10 * power
  }

  /// When a slice begins; for ``count``, when the last one ends.
  package func start(_ slice: Int) -> Nanoseconds { slice >= count ? last : first + Nanoseconds(slice) * step }

  private func slice(at time: Nanoseconds) -> Int { min(count - 1, max(0, Int((time - first) / step))) }

  /// The slices of some units, which are of one kind. O(n log n).
  package func slices(of units: some Sequence<Requests.Unit>) -> [Slice] {
    var lengths = Array(repeating: [Nanoseconds](), count: count)
    var slices = Array(repeating: Slice(), count: count)
    for unit in units {
      let slice = slice(at: unit.ended)
      lengths[slice].append(unit.length)
      if unit.isFailed { slices[slice].failed += 1 }
    }
    for (index, found) in lengths.enumerated() where !found.isEmpty {
      let sorted = found.sorted()
      func rank(_ percent: Int) -> Nanoseconds { sorted[max(1, (sorted.count * percent + 99) / 100) - 1] }
      slices[index].count = found.count
      slices[index].perSecond = Double(found.count) * 1e9 / Double(max(1, start(index + 1) - start(index)))
      (slices[index].p50, slices[index].p99) = (rank(50), rank(99))
    }
    return slices
  }

  /// The periodic work to which the slow units of a kind lose time, the most first. `least`: less than this share is left out. O(units).
  package func pulses(for kind: Int32, in requests: Requests, least: Double) -> [Pulse] {
    var shares: [Int32: Double] = [:]
    for one in requests.blamed where one.kind == kind {
      guard let holder = one.holders.first, holder.kind >= 0, holder.kind != kind else { continue }
      shares[holder.kind, default: 0] += one.share * holder.share
    }
    let found = shares.compactMap { holder, share -> Pulse? in
      guard share >= least, let beat = requests.beats[holder] else { return nil }
      return Pulse(kind: holder, beat: beat, share: share, times: [])
    }
    return found.sorted { ($1.share, $0.kind) < ($0.share, $1.kind) }.prefix(Self.mostPulses).map { pulse in
      let times = requests.units.filter { $0.kind == pulse.kind }.map { $0.began...max($0.began, $0.ended) }
      var marked = pulse
      marked.times = times.count > Self.mostTimes ? [] : times.sorted { $0.lowerBound < $1.lowerBound }
      return marked
    }
  }
}
