import OpTraceFormat

/// What the chunks of a ring that has turned say of ends that may be missing.
///
/// A ring drops its oldest chunk first. A thread that writes little fills its chunk slowly, so an end that it recorded may be gone while
/// the beginning, in a chunk of another thread, is still there. What lost its end so is not known to be open.
struct RingFacts: Sendable, Equatable {
  /// From here on nothing is missing of any thread whose chunks are there, in ticks: the latest beginning of a thread's oldest chunk.
  let completeSince: UInt64
  /// Work of which the ring carried records: it was unfinished when their chunk was recycled.
  var carried: Set<UInt32> = []

  /// Nil: nothing was overwritten. O(chunks).
  init?(_ header: FileHeader, _ chunks: [LoadedChunk]) {
    guard header.overwrittenBytes > 0 else { return nil }
    var oldest: [UInt32: LoadedChunk] = [:]
    for chunk in chunks where chunk.kind == .events {
      if let known = oldest[chunk.thread], known.sequence < chunk.sequence { continue }
      oldest[chunk.thread] = chunk
    }
    completeSince = oldest.values.lazy.map(\.baseTicks).max() ?? 0
  }
}
