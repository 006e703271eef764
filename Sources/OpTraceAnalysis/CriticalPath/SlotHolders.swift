package import OpTraceModel

/// Whose end gave each piece of work its slot: of an operation, the one that held its queue's slot last, or stood before it as a
/// barrier; of a block, the one that had the turn of its serial dispatch queue. The rule is that of ``CriticalPath``.
package struct SlotHolders {
  /// By place of the operation; -1: it waited for nobody's slot.
  package private(set) var ofOperations: [Int32]
  /// By place of the block; -1 as above.
  package private(set) var ofBlocks: [Int32]

  /// O(n log n).
  package init(_ trace: Trace) {
    ofOperations = [Int32](repeating: -1, count: trace.operations.count)
    ofBlocks = [Int32](repeating: -1, count: trace.blocks.count)
    let members = QueueMembers(trace)
    for queue in members.queues {
      let places = members[queue]
      let releases = SlotReleases(places, of: trace, queue: trace.queue(queue))
      for place in places {
        guard let enqueued = trace.operations[place].enqueued?.time, let began = trace.operations[place].began?.time,
          let runnable = trace.operations[place].runnable
        else { continue }
        let opening = releases.opening(for: place, in: trace, from: enqueued, runnable: runnable, upTo: began)
        if let opening { ofOperations[place] = Int32(clamping: opening.place) }
      }
    }
    guard !trace.blocks.isEmpty else { return }
    let turns = QueueTurns(trace)
    for place in trace.blocks.indices {
      guard let from = trace.blocks[place].runnable, let to = trace.blocks[place].began?.time else { continue }
      if let holder = turns.opening(for: trace.blocks[place], after: from, upTo: to, in: trace) {
        ofBlocks[place] = Int32(clamping: holder)
      }
    }
  }
}
