import OpTraceFormat
import OpTraceModel

/// Whether anything in the process could still let a sleeping thread go on.
extension DoctorContext {
  /// Every thread sleeps without a limit of time until another thread lets it go on, and none is left that could: what
  /// they wait for does not come, but from outside of the threads (a timer, another process by shared memory).
  /// O(threads · depth).
  static func isDeadEnd(_ trace: Trace, _ standings: ThreadStandings) -> Bool {
    guard let look = trace.snapshot, !look.isPartial, look.moved == 0, look.refused == 0, !look.threads.isEmpty,
      standings.all.count == look.threads.count
    else { return false }
    return look.threads.allSatisfy { seen in
      if seen.state == .ended { return true }
      guard seen.isAsleep else { return false }
      if !seen.isTimed, seen.reason.isOfProcess { return true }
      return seen.isIdle(in: trace.stacks)
    }
  }

  /// Besides, no thread of libdispatch waits for timers and events, and no block or task for its time.
  var isClosedWorld: Bool {
    isDeadEnd
      && trace.snapshot?.threads.allSatisfy { $0.reason != .poll && $0.reason != .time && $0.reason != .input } ?? false
      && trace.blocks.allSatisfy { $0.way != .after || $0.began != nil || $0.over != nil }
      && trace.tasks.allSatisfy { $0.suspension?.reason != .sleep }
  }

  /// A thread that uses the processor, and may let others go on; nil: none was seen.
  var computing: SeenThread? { standings.all.first { $0.isBusy && $0.state != .ended } }

  /// Whether the code of an operation was seen to use the processor.
  func computes(_ operation: OperationRecord) -> Bool { standing(of: operation)?.isBusy == true }

  /// A finding that rests on silence: unproven while a thread computes that may end it.
  func silent(_ finding: Finding) -> Finding {
    let finding = proven(finding)
    guard finding.isProven, let thread = computing?.thread else { return finding }
    return unproven(finding, because: "\(name(thread)) computes, and may let it go on")
  }
}

extension SleepReason {
  /// Whether nobody but another thread of the process can let one go on that sleeps for this.
  fileprivate var isOfProcess: Bool { isLock || self == .futex || self == .join || self == .events }
}
