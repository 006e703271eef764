import OpTraceKernel
import OpTraceModel
package import OpTraceSamples

extension MemoryReport {
  /// What a flame graph shows: bytes in place of time.
  /// - Parameter figure: which bytes; a sample that has none of them is left out, except where each sample has all figures.
  package func profile(_ figure: Profile.Bytes, keepsAll: Bool = false) -> Profile {
    var profile = data.profile
    profile.unit = .bytes(figure)
    profile.interval = Int64(clamping: record.interval)
    profile.facts = Profile.Facts()
    profile.facts.lost = record.lost
    let (samples, owners) = (profile.samples, profile.ownerOfSamples)
    (profile.samples, profile.ownerOfSamples) = ([], [])
    for (index, allocation) in data.allocations.enumerated() {
      let weight = weight(allocation, figure)
      guard keepsAll || weight > 0 else { continue }
      var sample = samples[index]
      sample.weight = weight
      profile.samples.append(sample)
      profile.ownerOfSamples.append(owners[index])
      profile.allocationWeights.append(weights(allocation))
    }
    return profile
  }

  private func weight(_ allocation: AllocationRecord, _ figure: Profile.Bytes) -> Nanoseconds {
    switch figure {
    case .allocated: weights(allocation).bytes
    case .live: weights(allocation).liveBytes
    case .peak:
      peak.map { allocation.lives(at: $0.time) ? Self.whole(allocation.liveBytes(at: $0.time)) : 0 } ?? 0
    }
  }

  private func weights(_ allocation: AllocationRecord) -> Profile.AllocationWeight {
    var (allocated, live) = (EstimatedBytes(), EstimatedBytes())
    allocated.add(size: allocation.size, interval: allocation.interval)
    if allocation.lives(at: at) { live.add(size: allocation.blockSize(at: at), interval: allocation.interval) }
    return .init(
      count: Self.whole(allocated.count), bytes: Self.whole(allocated.bytes), liveCount: Self.whole(live.count),
      liveBytes: Self.whole(live.bytes))
  }

  /// So small that a million of them have a sum.
  private static func whole(_ value: Double) -> Int64 { Int64(min(max(value.rounded(), 0), 9e12)) }
}
