import OpTraceKernel
package import OpTraceModel
package import OpTraceSamples

/// A place whose memory grows: what it allocated lives on, more and more of it.
package struct GrowingSite: Sendable {
  package var function: Profile.Function?
  package var line: Int?
  /// The functions outside of it, the innermost first.
  package var callers: [Profile.Function]
  /// What most of what lives is, of the program's own types if there are such; nil: not known.
  package var type: String?
  /// How many of these live.
  package var typeCount: Double
  /// What was added between a tenth of the run and its end.
  package var growth: EstimatedBytes
  package var bytesPerSecond: Double
  package var errorPerSecond: Double
  /// What lives at the end.
  package var live: EstimatedBytes
  /// The share of what it allocated that lives at the end.
  package var survivingShare: Double
  /// When what lives at the end began to gather.
  package var since: Nanoseconds
  /// Whether it is a few blocks that get larger and larger, such as an array's.
  package var isDoubling: Bool
}

/// Finds what grows. The thresholds are those that told 36 leaking runs from 72 healthy ones, with two misses and no false one.
struct MemoryGrowth {
  private static let points = [0.10, 0.32, 0.55, 0.77, 1.0]
  private static let leastBytes = 4e6
  private static let leastErrors = 4.0
  private static let leastSamples = 8
  private static let leastTime: Nanoseconds = 2_000_000_000

  /// What one site had over time.
  private struct History {
    var live = [EstimatedBytes](repeating: .init(), count: MemoryGrowth.points.count)
    /// The variance of what was added in each quarter.
    var variance = [Double](repeating: 0, count: MemoryGrowth.points.count - 1)
    var blocks = [Int](repeating: 0, count: MemoryGrowth.points.count)
    var allocated = EstimatedBytes()
    /// Of what was born in the first half, what lives at the end.
    var earlySurvivors = 0.0
    /// How long blocks lived that died in the first half, and in the second.
    var lifetimes: [[Double]] = [[], []]
    /// What lives at the end.
    var types: [String: EstimatedBytes] = [:]
    var births: [Nanoseconds] = []
  }

  private let moments: [Nanoseconds]
  private let middle: Nanoseconds
  private let end: Nanoseconds
  private let seconds: Double

  init?(from begin: Nanoseconds, to end: Nanoseconds) {
    let length = end.subtractingReportingOverflow(begin).partialValue
    guard length >= Self.leastTime else { return nil }
    moments = Self.points.map { begin + Nanoseconds(Double(length) * $0) }
    middle = begin + length / 2
    self.end = end
    seconds = Double(length) * (1 - Self.points[0]) / 1e9
  }

  /// The largest first. O(allocations).
  func sites(_ data: AllocationProfile, _ sites: MemorySites) -> [GrowingSite] {
    var histories = [History](repeating: History(), count: sites.sites.count)
    for (index, allocation) in data.allocations.enumerated() {
      note(allocation, in: &histories[sites.ofStacks[data.profile.samples[index].stack]])
    }
    let found = histories.indices.compactMap { index -> GrowingSite? in
      growing(histories[index]).map { site(index, histories[index], $0, data.profile, sites) }
    }
    return found.sorted { $0.growth.bytes > $1.growth.bytes }
  }

  private func note(_ allocation: AllocationRecord, in history: inout History) {
    history.allocated.add(size: allocation.size, interval: allocation.interval)
    guard allocation.number != nil else { return }
    var before: Double?
    for (point, moment) in moments.enumerated() {
      var now = 0.0
      if allocation.lives(at: moment) {
        let size = allocation.blockSize(at: moment)
        history.live[point].add(size: size, interval: allocation.interval)
        history.blocks[point] += 1
        now = Double(size)
      }
      if let before, point > 0 {
        let change = abs(now - before)
        if change > 0 {
          let chance = EstimatedBytes.chance(max(now, before), allocation.interval)
          history.variance[point - 1] += change * change * (1 - chance) / (chance * chance)
        }
      }
      before = now
    }
    if allocation.lives(at: end) {
      let bytes = allocation.liveBytes(at: end)
      if let type = allocation.type {
        history.types[type, default: .init()].add(size: allocation.blockSize(at: end), interval: allocation.interval)
      }
      history.births.append(allocation.time)
      if allocation.time > moments[0], allocation.time <= middle { history.earlySurvivors += bytes }
    } else if let freed = allocation.freed, freed > moments[0] {
      history.lifetimes[freed <= middle ? 0 : 1].append(Double(freed - allocation.time))
    }
  }

  private enum Way { case steadily, doubling }

  /// How it grows; nil: it does not, as far as samples tell.
  private func growing(_ history: History) -> Way? {
    let live = history.live.map(\.bytes)
    let growth = (live.last ?? 0) - live[0]
    guard growth > Self.leastBytes, history.live.last?.samples ?? 0 > 0 else { return nil }
    if doubles(history) { return .doubling }
    let error = history.variance.reduce(0, +).squareRoot()
    guard growth > Self.leastErrors * error, history.live.last?.samples ?? 0 >= Self.leastSamples else { return nil }
    let quarters = history.variance.indices.map {
      (added: live[$0 + 1] - live[$0], error: history.variance[$0].squareRoot())
    }
    guard quarters.dropFirst().allSatisfy({ $0.added > $0.error && $0.added > 0 }) else { return nil }
    guard let last = quarters.last, last.added >= 0.4 * growth / Double(quarters.count) else { return nil }
    return history.earlySurvivors >= growth / 4 || liveLonger(history) ? .steadily : nil
  }

  private func liveLonger(_ history: History) -> Bool {
    let medians = history.lifetimes.map { times in
      times.count < Self.leastSamples ? nil : times.sorted()[times.count / 2]
    }
    guard let early = medians[0], let late = medians[1] else { return false }
    return late >= 1.5 * early
  }

  /// A few blocks, which are replaced by ever larger ones.
  private func doubles(_ history: History) -> Bool {
    guard let most = history.blocks.max(), (1...4).contains(most) else { return false }
    let live = history.live.map(\.bytes)
    var doublings = 0
    for (before, now) in zip(live, live.dropFirst()) {
      if now < before { return false }
      if now >= 1.8 * max(before, 1e5) { doublings += 1 }
    }
    return doublings >= 2
  }

  /// The type that says most: one of the program's, though the elements that it keeps may be larger; else the one with half of the bytes.
  private static func telling(
    _ types: [String: EstimatedBytes], of all: Double
  ) -> (name: String, count: Double)? {
    func largest(_ types: [String: EstimatedBytes]) -> (key: String, value: EstimatedBytes)? {
      types.max { ($0.value.bytes, $1.key) < ($1.value.bytes, $0.key) }
    }
    let own = types.filter { name, sum in
      sum.samples >= leastOfType && !systemModules.contains { name.hasPrefix($0) } && name.contains(".")
    }
    if let most = largest(own) { return (most.key, most.value.count) }
    guard let most = largest(types), most.value.bytes >= all / 2 else { return nil }
    return (most.key, most.value.count)
  }

  private static let leastOfType = 3
  private static let systemModules = [
    "Swift.", "_Concurrency.", "Foundation.", "FoundationEssentials.", "FoundationInternationalization.", "Dispatch.",
    "Synchronization.", "_StringProcessing.",
  ]

  private func site(
    _ index: Int, _ history: History, _ way: Way, _ profile: Profile, _ sites: MemorySites
  ) -> GrowingSite {
    let live = history.live.last ?? .init()
    var growth = EstimatedBytes()
    growth.add(
      bytes: live.bytes - history.live[0].bytes, count: max(0, live.count - history.live[0].count),
      variance: history.variance.reduce(0, +), samples: live.samples)
    let births = history.births.sorted()
    let type = Self.telling(history.types, of: live.bytes)
    return GrowingSite(
      function: sites.sites[index].function.map { profile.functions[$0] }, line: sites.lines[index],
      callers: sites.callers[index].map { profile.functions[$0] },
      type: type?.name, typeCount: type?.count ?? 0, growth: growth,
      bytesPerSecond: growth.bytes / seconds, errorPerSecond: growth.error / seconds, live: live,
      survivingShare: history.allocated.bytes > 0 ? min(1, live.bytes / history.allocated.bytes) : 0,
      since: births.isEmpty ? moments[0] : births[births.count / 20], isDoubling: way == .doubling)
  }
}
