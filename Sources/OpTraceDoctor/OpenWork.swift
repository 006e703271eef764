import OpTraceFormat
import OpTraceKernel
package import OpTraceModel

extension Trace {
  /// Whether any work is unfinished whose end the trace would show. O(operations + waits + blocks + tasks).
  package var hasOpenWork: Bool {
    operations.contains { $0.finished == nil && $0.released == nil && $0.isOutcomeKnown && $0.enqueued != nil }
      || waits.contains { $0.ended == nil && !endsByItself($0) }
      || blocks.contains { $0.over == nil && $0.isOutcomeKnown }
      || tasks.contains { $0.over == nil }
      || isOfRunning && snapshot?.threads.contains { isWaiting($0) } ?? false
  }

  /// Whether the program had not ended: what was seen from outside is written at once, and closed.
  package var isOfRunning: Bool { !header.isClosed || origin != nil }

  /// Whether a thread waits in the program's own code for another thread or for its own process, without a time limit; or any
  /// thread for a child that waits for this process.
  private func isWaiting(_ seen: SeenThread) -> Bool {
    guard seen.isAsleep, !seen.isTimed else { return false }
    // Foundation waits for a child on a thread of its own.
    if seen.waitsForStuckChild { return true }
    let isOfOthers = seen.reason == .futex || seen.reason.isLock || seen.reason == .join || seen.isUpToOneself
    return isOfOthers && stacks.ownFrame(seen.at) != nil
  }
}
