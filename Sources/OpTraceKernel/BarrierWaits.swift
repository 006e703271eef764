public import OpTraceModel

/// Which waits of operations a barrier caused: waits of operations behind a barrier, and of barriers themselves, which
/// wait for everything added before them.
///
/// Foundation makes some of these ready only after the barrier, and others before it, so ``OperationTimes`` counts the
/// wait either as one for dependencies or as one for a slot.
public struct BarrierWaits: Sendable {
  /// The barriers of each queue, in the order in which they were added.
  private var barriers: [QueueID: [Barrier]] = [:]

  private struct Barrier {
    var enqueued: Nanoseconds
    /// When it and all barriers before it were finished; `.max` if one never was.
    var over: Nanoseconds
  }

  /// O(n) for n operations, and O(b log b) for b barriers.
  public init(in trace: Trace) {
    trace.operations.withUnsafeBufferPointer { operations in
      for index in operations.indices where operations[index].isBarrier {
        guard let queue = operations[index].queue, let enqueued = operations[index].enqueued?.time else { continue }
        let over = operations[index].finished?.time ?? .max
        barriers[queue, default: []].append(Barrier(enqueued: enqueued, over: over))
      }
    }
    for queue in barriers.keys {
      barriers[queue]?.sort { $0.enqueued < $1.enqueued }
      var over = Nanoseconds.min
      for index in barriers[queue, default: []].indices {
        over = max(over, barriers[queue]?[index].over ?? over)
        barriers[queue]?[index].over = over
      }
    }
  }

  /// Which of an operation's two waits a barrier makes.
  public struct Parts: OptionSet, Sendable {
    /// One bit for each part.
    public let rawValue: UInt8
    /// The parts whose bits are set.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// A barrier caused ``OperationTimes/waitingForDependencies``: the operation has no dependencies.
    public static let dependencies = Self(rawValue: 1)
    /// A barrier caused ``OperationTimes/waitingForSlot``.
    public static let slot = Self(rawValue: 2)
  }

  /// The waits of this operation that a barrier caused; none for one that was never added to a queue. O(log b).
  public func parts(of operation: borrowing OperationRecord) -> Parts {
    guard let queue = operation.queue, let own = barriers[queue], let enqueued = operation.enqueued?.time else {
      return []
    }
    let over = operation.isBarrier ? .max : lastEnd(of: own, before: enqueued)
    var parts: Parts = []
    if over > enqueued, operation.dependencies.isEmpty { parts.insert(.dependencies) }
    if let runnable = operation.runnable, over > runnable { parts.insert(.slot) }
    return parts
  }

  /// When all barriers that had been added before were finished.
  private func lastEnd(of own: [Barrier], before enqueued: Nanoseconds) -> Nanoseconds {
    var low = 0
    var high = own.count
    while low < high {
      let middle = (low + high) / 2
      if own[middle].enqueued < enqueued { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? own[low - 1].over : .min
  }
}
