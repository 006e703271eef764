import OpTraceFormat

/// What the chunks of a wrapped ring tell about ends that may be missing.
///
/// A ring drops its oldest chunk first. A thread that writes little fills its chunk slowly, so an end that it recorded
/// may be overwritten while the begin, in a chunk of another thread, is still there. Such work is not known to be open.
struct RingFacts: Sendable, Equatable {
  /// The ticks from which on nothing is missing. The header says it since format 1.10. In older traces: a ring first
  /// reuses the chunk that was given back first, and a thread gives a chunk back when it gets the next one, so
  /// overwritten chunks were given back before any that is still there. If no thread has two chunks: the latest begin
  /// of one.
  let completeSince: UInt64
  /// Work whose records the ring has carried on: it was unfinished when their chunk was recycled. Since format 1.8 the
  /// ring also carries its end on, as long as these records are there.
  private(set) var carried: Set<UInt32> = []

  /// Ignores records of queues, threads and spans, whose numbers mean something else.
  mutating func noteCarried(_ head: RecordHead) {
    switch KindTables.subjects[Int(head.kind)] {
    case .operation, .block, .task: carried.insert(head.subject)
    default: break
    }
  }

  /// Nil: nothing was overwritten. O(chunks).
  init?(_ header: FileHeader, _ chunks: [LoadedChunk]) {
    guard header.overwrittenBytes > 0 else { return nil }
    if let known = header.completeSince {
      completeSince = known
      return
    }
    var byThread: [UInt32: [LoadedChunk]] = [:]
    for chunk in chunks where chunk.kind == .events { byThread[chunk.thread, default: []].append(chunk) }
    var givenBack: UInt64?
    for ofThread in byThread.values where ofThread.count > 1 {
      // The oldest chunk of a thread was given back when the second was handed out.
      let second = ofThread.sorted { $0.sequence < $1.sequence }[1].baseTicks
      givenBack = min(givenBack ?? .max, second)
    }
    completeSince = givenBack ?? byThread.values.lazy.flatMap { $0 }.map(\.baseTicks).max() ?? 0
  }
}
