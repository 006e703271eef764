import OpTraceKernel
package import OpTraceModel
package import OpTraceSamples

/// The memory that units of work allocate, and what of it lives at the trace's end, by kind.
///
/// An allocation belongs to the unit that its work belongs to (``RequestMoments``), so that a unit has what its child tasks allocate.
package struct UnitMemory: Sendable {
  /// Of all units of a kind.
  package struct Sums: Sendable {
    package var allocated = EstimatedBytes()
    /// What of it lives at the end.
    package var left = EstimatedBytes()
    /// The innermost own function that most of it is allocated in.
    package fileprivate(set) var function: Profile.Function?
  }

  private let kinds: [Sums]

  /// Nil: no allocations were sampled. O(n log n) for n allocations, units and pieces of work.
  package init?(of requests: Requests, in trace: Trace) {
    guard trace.memory?.allocations.isEmpty == false else { return nil }
    let data = AllocationProfile(of: trace)
    let moments = RequestMoments(requests, trace)
    var kinds = [Sums](repeating: Sums(), count: requests.kinds.count)
    var stacks = [[Int: Double]](repeating: [:], count: requests.kinds.count)
    for (allocation, sample) in zip(data.allocations, data.profile.samples) {
      guard let work = sample.work, let unit = moments.unit(of: work, at: allocation.time) else { continue }
      let kind = Int(requests.units[unit].kind)
      var one = EstimatedBytes()
      one.add(size: allocation.size, interval: allocation.interval)
      kinds[kind].allocated += one
      stacks[kind][sample.stack, default: 0] += one.bytes
      guard allocation.lives(at: trace.end) else { continue }
      kinds[kind].left.add(size: allocation.blockSize(at: trace.end), interval: allocation.interval)
    }
    for kind in kinds.indices { kinds[kind].function = Self.most(stacks[kind], data.profile) }
    self.kinds = kinds
  }

  /// O(1).
  /// - Parameter kind: an index in ``Requests/kinds``.
  package subscript(_ kind: Int) -> Sums { kinds[kind] }

  /// The function that most of the bytes of these stacks are charged to.
  private static func most(_ stacks: [Int: Double], _ profile: Profile) -> Profile.Function? {
    var sums: [Int: Double] = [:]
    for (index, bytes) in stacks {
      let stack = profile.stacks[index]
      guard let place = profile.chargedFrame(of: stack) else { continue }
      sums[profile.frames[stack.frames[place]].function, default: 0] += bytes
    }
    return sums.max { ($0.value, $1.key) < ($1.value, $0.key) }.map { profile.functions[$0.key] }
  }
}

extension EstimatedBytes {
  /// What one of so many has of it on average: bytes, and their standard error.
  func each(of count: Int) -> (bytes: Double, error: Double) {
    let count = Double(max(1, count))
    return (bytes / count, error / count)
  }
}
