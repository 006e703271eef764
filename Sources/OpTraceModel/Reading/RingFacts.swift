import OpTraceFormat

/// What the chunks of a ring that has turned say of ends that may be missing.
///
/// A ring drops its oldest chunk first. A thread that writes little fills its chunk slowly, so an end that it recorded may be gone while
/// the beginning, in a chunk of another thread, is still there. What lost its end so is not known to be open.
struct RingFacts: Sendable, Equatable {
  /// From here on nothing is missing, in ticks. The ring uses the chunk first that was given back first, and a thread gives one back when it
  /// gets the next: so what is gone was given back before any that is still there. Where no thread has two, the latest beginning of one.
  let completeSince: UInt64
  /// Work of which the ring carried records: it was unfinished when their chunk was recycled. Since 1.8 the ring carries its end as well, for
  /// as long as these records are there.
  private(set) var carried: Set<UInt32> = []

  /// Numbers of queues, threads and spans are others.
  mutating func noteCarried(_ head: RecordHead) {
    switch KindTables.subjects[Int(head.kind)] {
    case .operation, .block, .task: carried.insert(head.subject)
    default: break
    }
  }

  /// Nil: nothing was overwritten. O(chunks).
  init?(_ header: FileHeader, _ chunks: [LoadedChunk]) {
    guard header.overwrittenBytes > 0 else { return nil }
    var byThread: [UInt32: [LoadedChunk]] = [:]
    for chunk in chunks where chunk.kind == .events { byThread[chunk.thread, default: []].append(chunk) }
    var givenBack: UInt64?
    for ofThread in byThread.values where ofThread.count > 1 {
      // The oldest of a thread was given back first.
      let second = ofThread.sorted { $0.sequence < $1.sequence }[1].baseTicks
      givenBack = min(givenBack ?? .max, second)
    }
    completeSince = givenBack ?? byThread.values.lazy.flatMap { $0 }.map(\.baseTicks).max() ?? 0
  }
}
