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

  /// Whether a thread waits in the program's own code for another thread or for its own process, without a time limit; or any
  /// thread for a child that waits for this process.
  private func isWaiting(_ seen: SeenThread) -> Bool {
    guard seen.isAsleep, !seen.isTimed else { return false }
    // Foundation waits for a child on a thread of its own.
    if seen.isUpToOneself && seen.otherProcess != nil { return true }
    let isOfOthers = seen.reason == .futex || seen.reason.isLock || seen.reason == .join || seen.isUpToOneself
    return isOfOthers && stacks.ownFrame(seen.at) != nil
  }
}

extension OperationRecord {
  package var isStarted: Bool { started != nil || executionBegan != nil }
  /// Whether its `start()` was seen to begin on a thread, and not to return.
  package var holdsThread: Bool { finished == nil && started != nil && startReturned == nil }
}
