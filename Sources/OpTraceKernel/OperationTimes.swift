public import OpTraceModel

/// The times of an operation or a block, in nanoseconds. They do not overlap, and add up to the time from the enqueueing
/// to the finish (or to the trace's end, for an unfinished one). All zero if it was never enqueued or run,
/// or if its outcome is not in the trace (`OperationRecord.isOutcomeKnown`).
public struct OperationTimes: Sendable, Equatable {
  /// From the enqueueing until it only needed a slot and a thread.
  public var waitingForDependencies: Nanoseconds = 0
  /// From then until its own code began, without ``waitingForThread``.
  public var waitingForSlot: Nanoseconds = 0
  /// The part of that wait in which its queue had a free slot. Only ``ThreadWaits`` tells it apart: one operation alone does not
  /// show it, so that elsewhere this is zero.
  public var waitingForThread: Nanoseconds = 0
  /// From then until it was finished; for an asynchronous operation also after its `start()` returned.
  public var running: Nanoseconds = 0

  /// All zero.
  public init() {}

  /// Borrowed and inlined. Otherwise each call would copy an array element and count references, a million times.
  @inlinable @inline(__always) public init(of work: borrowing some Work, traceEnd: Nanoseconds) {
    guard work.isOutcomeKnown else { return }
    let end = max(work.over ?? traceEnd, work.submitted?.time ?? .min)
    let began = work.began?.time
    if let submitted = work.submitted?.time {
      let over = min(max(began ?? end, submitted), end)
      let runnable = min(max(work.runnable ?? over, submitted), over)
      waitingForDependencies = runnable - submitted
      waitingForSlot = over - runnable
    }
    if let began { running = max(0, end - began) }
  }

  /// The sum of all, in nanoseconds: from the enqueueing to the finish.
  public var total: Nanoseconds { waitingForDependencies + waitingForSlot + waitingForThread + running }
}
