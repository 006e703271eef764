package import OpTraceModel

/// For each operation and block the one whose slot it got, by the rule of ``CriticalPath``. For an operation that is the last holder of
/// the slot, or a barrier before it; for a block the one that its serial dispatch queue ran before.
package struct SlotHolders {
  /// For each operation, by index, the holder; -1: it waited for nobody's slot.
  package private(set) var ofOperations: [Int32]
  /// For each block, by index, the holder; -1 as above.
  package private(set) var ofBlocks: [Int32]

  /// O(n log n).
  package init(_ trace: Trace) {
    ofOperations = [Int32](repeating: -1, count: trace.operations.count)
    ofBlocks = [Int32](repeating: -1, count: trace.blocks.count)
    let members = QueueMembers(trace)
    for queue in members.queues {
      let indexes = members[queue]
      let releases = SlotReleases(indexes, of: trace, queue: trace.queue(queue))
      for index in indexes {
        guard let enqueued = trace.operations[index].enqueued?.time, let began = trace.operations[index].began?.time,
          let runnable = trace.operations[index].runnable
        else { continue }
        let opening = releases.opening(for: index, in: trace, from: enqueued, runnable: runnable, upTo: began)
        if let opening { ofOperations[index] = Int32(clamping: opening.index) }
      }
    }
    guard !trace.blocks.isEmpty else { return }
    let turns = QueueTurns(trace)
    for index in trace.blocks.indices {
      guard let from = trace.blocks[index].runnable, let to = trace.blocks[index].began?.time else { continue }
      if let holder = turns.opening(for: trace.blocks[index], after: from, upTo: to, in: trace) {
        ofBlocks[index] = Int32(clamping: holder)
      }
    }
  }
}

/// When the slots of one queue became free, and whether operations may have been waiting for them.
struct SlotReleases {
  private struct Release {
    var time: Nanoseconds
    /// An index in `trace.operations`.
    var index: Int
  }

  /// Sorted by time.
  private var releases: [Release] = []
  /// For each release the latest one up to it before which the queue was full. -1: none.
  private var latestFull: [Int32] = []
  /// For each release the latest one up to it that ended a barrier. -1: none. Empty: the queue has no barriers.
  private var latestBarrier: [Int32] = []

  /// O(m log m) for m operations of the queue.
  init(_ indexes: some Collection<Int>, of trace: Trace, queue: QueueRecord?) {
    func began(_ index: Int) -> Nanoseconds? {
      (trace.operations[index].started ?? trace.operations[index].executionBegan)?.time
    }
    releases.reserveCapacity(indexes.count)
    for index in indexes {
      guard let began = began(index), let finished = trace.operations[index].finished?.time else { continue }
      releases.append(Release(time: max(began, finished), index: index))
    }
    releases.sort { ($0.time, $0.index) < ($1.time, $1.index) }
    // Allocated only now, because sorting takes memory too.
    var begins: [Nanoseconds] = []
    begins.reserveCapacity(indexes.count)
    for index in indexes { if let began = began(index) { begins.append(began) } }
    begins.sort()

    var limit = queue?.initialLimit ?? -1
    var changes = (queue?.changes ?? [])[...]
    var begun = 0
    var ended = 0
    var full: Int32 = -1
    var barrier: Int32 = -1
    latestFull.reserveCapacity(releases.count)
    let hasBarriers = indexes.contains { trace.operations[$0].isBarrier }
    for (number, release) in releases.enumerated() {
      while let change = changes.first, change.time < release.time {
        if case .limit(let value) = change.kind { limit = value }
        changes.removeFirst()
      }
      while begun < begins.count, begins[begun] < release.time { begun += 1 }
      while ended < number, releases[ended].time < release.time { ended += 1 }
      if limit > 0, begun - ended >= limit { full = Int32(number) }
      if trace.operations[release.index].isBarrier { barrier = Int32(number) }
      latestFull.append(full)
      if hasBarriers { latestBarrier.append(barrier) }
    }
  }

  /// The operation whose end, at `to` at the latest, gave the one at `waiter` its slot: the latest one that freed a
  /// slot of a full queue after `runnable`, or that ended after `from` and one of the two is a barrier which the other
  /// had to wait for.
  ///
  /// A barrier delays readiness too, so it may have ended before `runnable`. O(log m), apart from barriers that were
  /// enqueued later than the waiter.
  func opening(
    for waiter: Int, in trace: Trace, from: Nanoseconds, runnable: Nanoseconds, upTo to: Nanoseconds
  ) -> (index: Int, time: Nanoseconds)? {
    var low = 0
    var high = releases.count
    while low < high {
      let middle = (low + high) / 2
      if releases[middle].time <= to { low = middle + 1 } else { high = middle }
    }
    let isBarrier = trace.operations[waiter].isBarrier
    let enqueued = trace.operations[waiter].enqueued?.time ?? .min
    let byBarrier = search(
      from: low - 1, after: from, { isBarrier ? $0 : latestBarrier.isEmpty ? -1 : Int(latestBarrier[$0]) }
    ) { index in
      index != waiter && (trace.operations[index].enqueued?.time ?? .max) <= enqueued
    }
    let bySlot = search(from: low - 1, after: runnable, { Int(latestFull[$0]) }) { $0 != waiter }
    let latest = max(byBarrier ?? -1, bySlot ?? -1)
    return latest < 0 ? nil : (releases[latest].index, releases[latest].time)
  }

  private func search(
    from start: Int, after time: Nanoseconds, _ step: (Int) -> Int, _ accepts: (Int) -> Bool
  ) -> Int? {
    var number = start
    while number >= 0 {
      number = step(number)
      guard number >= 0, releases[number].time > time else { return nil }
      if accepts(releases[number].index) { return number }
      number -= 1
    }
    return nil
  }
}
