import OpTraceKernel
package import OpTraceModel

/// How much memory lived over time, by sampled blocks.
package struct LiveCurve: Sendable {
  /// A change at a time.
  private struct Step: Sendable {
    var time: Nanoseconds
    var bytes: Double
  }

  /// In the order of time.
  private let steps: [Step]
  /// What lived after each step.
  private let sums: [Double]

  /// O(n log n).
  package init(_ allocations: [AllocationRecord]) {
    var steps: [Step] = []
    steps.reserveCapacity(allocations.count * 2)
    for allocation in allocations where allocation.number != nil {
      var size = allocation.liveBytes(at: allocation.time)
      steps.append(Step(time: allocation.time, bytes: size))
      for change in allocation.changes {
        let next = allocation.liveBytes(at: change.time)
        steps.append(Step(time: change.time, bytes: next - size))
        size = next
      }
      if let freed = allocation.freed { steps.append(Step(time: freed, bytes: -size)) }
    }
    steps.sort { $0.time < $1.time }
    self.steps = steps
    var sum = 0.0
    sums = steps.map { step in
      sum += step.bytes
      return sum
    }
  }

  /// What lived after each change, in the order of time; changes at the same time are one. O(n).
  package var values: [(time: Nanoseconds, bytes: Double)] {
    sums.indices.compactMap { index in
      let isLast = index + 1 == sums.count || steps[index + 1].time > steps[index].time
      return isLast ? (steps[index].time, max(0, sums[index])) : nil
    }
  }

  /// O(log n).
  package func live(at time: Nanoseconds) -> Double {
    let next = steps.firstSorted { $0.time > time }
    return next > 0 ? max(0, sums[next - 1]) : 0
  }

  /// When most lived; nil: nothing ever did. O(n).
  package var peak: Nanoseconds? {
    // Of several such the first.
    values.reduce(nil as (time: Nanoseconds, bytes: Double)?) { best, next in
      best.map { next.bytes > $0.bytes } ?? true ? next : best
    }?.time
  }
}

extension AllocationRecord {
  /// The bytes that its block stands for at a time, while it lives.
  package func liveBytes(at time: Nanoseconds) -> Double {
    let size = blockSize(at: time)
    return size == 0 ? 0 : Double(size) / EstimatedBytes.chance(Double(size), interval)
  }

  /// What the allocator takes for the block, at least: whole units of 16 bytes with a word of its own.
  package func heldBytes(at time: Nanoseconds) -> Double {
    let size = blockSize(at: time)
    guard size > 0 else { return 0 }
    return Double(max(32, (size + 8 + 15) / 16 * 16)) / EstimatedBytes.chance(Double(size), interval)
  }
}
