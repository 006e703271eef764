import OpTraceFormat
import OpTraceModel

/// Whether anything in the process could still let a sleeping thread go on.
extension DoctorContext {
  /// Every thread sleeps without a limit of time until another thread lets it go on, and none is left that could: what
  /// they wait for does not come, but from outside of the threads (a timer, another process by shared memory).
  /// O(threads · depth).
  static func isDeadEnd(_ trace: Trace, _ standings: ThreadStandings) -> Bool {
    guard let look = trace.look, !look.isPartial, look.moved == 0, look.refused == 0, !look.threads.isEmpty,
      standings.all.count == look.threads.count
    else { return false }
    return look.threads.allSatisfy { seen in
      if seen.state == .ended { return true }
      guard seen.isAsleep else { return false }
      if !seen.isTimed, seen.reason == .futex || seen.reason == .join || seen.reason.isLock { return true }
      return isIdle(seen, trace.stacks)
    }
  }

  /// libdispatch's own threads, between two pieces of work: nothing but its code is on their stacks.
  private static func isIdle(_ seen: SeenThread, _ stacks: StackTable) -> Bool {
    let images = stacks.stack(seen.at).compactMap { stacks.image(of: $0)?.name }
    guard images.count == stacks.stack(seen.at).count, images.contains(where: { $0.hasPrefix("libdispatch.") }) else {
      return false
    }
    return images.allSatisfy { name in ["libdispatch.", "libc.", "libc-", "libpthread"].contains(where: name.hasPrefix)
    }
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
