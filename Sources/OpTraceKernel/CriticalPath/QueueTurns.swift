import OpTraceModel

/// When the turn of a dispatch queue became free. Queues with the same serial target share one turn; in a concurrent
/// queue only barriers take turns.
struct QueueTurns {
  private struct End {
    var time: Nanoseconds
    /// An index in `trace.blocks`.
    var index: Int
  }

  /// For each queue the one that gives its turns: the last serial one in its chain of targets, else the queue itself.
  private var decider: [DispatchQueueID: (queue: DispatchQueueID, isSerial: Bool)] = [:]
  /// Ends of blocks by the queue that gives the turns, in the order of time.
  private var ends: [DispatchQueueID: [End]] = [:]
  private var barriers: [DispatchQueueID: [End]] = [:]

  /// O(b log b) for b blocks.
  init(_ trace: Trace) {
    let known = Dictionary(trace.dispatchQueues.map { ($0.id, $0) }) { first, _ in first }
    for queue in trace.dispatchQueues {
      var result = (queue: queue.id, isSerial: false)
      var at: DispatchQueueRecord? = queue
      // At most as many hops as there are queues, because the targets of a damaged trace may form a cycle.
      for _ in known.indices {
        guard let here = at else { break }
        if here.width == 1 { result = (here.id, true) }
        at = here.target.flatMap { known[$0] }
      }
      decider[queue.id] = result
    }
    for (index, block) in trace.blocks.enumerated() {
      guard let queue = block.queue, let ended = block.ended, let by = decider[queue] else { continue }
      ends[by.queue, default: []].append(End(time: ended, index: index))
      if block.way == .barrier, !by.isSerial { barriers[by.queue, default: []].append(End(time: ended, index: index)) }
    }
    for queue in ends.keys { ends[queue]?.sort { ($0.time, $0.index) < ($1.time, $1.index) } }
    for queue in barriers.keys { barriers[queue]?.sort { ($0.time, $0.index) < ($1.time, $1.index) } }
  }

  /// The index of the block that this one waited for: the last of its queue that ended between these times. O(log b).
  func opening(for block: BlockRecord, after from: Nanoseconds, upTo to: Nanoseconds, in trace: Trace) -> Int? {
    guard from < to, let queue = block.queue, let by = decider[queue] else { return nil }
    guard let ends = (by.isSerial || block.way == .barrier ? ends : barriers)[by.queue] else { return nil }
    var (low, high) = (0, ends.count)
    while low < high {
      let middle = (low + high) / 2
      if ends[middle].time <= to { low = middle + 1 } else { high = middle }
    }
    var index = low - 1
    while index >= 0, ends[index].time > from {
      if trace.blocks[ends[index].index].id != block.id { return ends[index].index }
      index -= 1
    }
    return nil
  }
}
