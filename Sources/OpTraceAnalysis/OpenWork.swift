import OpTraceFormat
package import OpTraceModel

extension Trace {
  /// Whether any work is unfinished whose end the trace would show. O(operations + waits + blocks + tasks).
  package var hasOpenWork: Bool {
    operations.contains { $0.finished == nil && $0.released == nil && $0.isOutcomeKnown && $0.enqueued != nil }
      || waits.contains { $0.ended == nil && !endsByItself($0) }
      || blocks.contains { $0.over == nil && $0.isOutcomeKnown }
      || tasks.contains { $0.over == nil }
      || !header.isClosed && snapshot?.threads.contains { isWaiting($0) } ?? false
  }

  /// Whether a thread waits in the program's own code for another thread, and without a time limit.
  private func isWaiting(_ seen: SeenThread) -> Bool {
    seen.isAsleep && !seen.isTimed && (seen.reason == .futex || seen.reason.isLock || seen.reason == .join)
      && stacks.ownFrame(seen.at) != nil
  }
}
