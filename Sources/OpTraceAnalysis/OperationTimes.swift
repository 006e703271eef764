public import OpTraceModel

/// The three times of an operation or a block, in nanoseconds. They do not overlap, and add up to the time from the enqueueing
/// to the finish (or to the trace's end, for one that is not over). All zero where it was never enqueued or run,
/// and where what became of it is not in the trace (`OperationRecord.isOutcomeKnown`).
public struct OperationTimes: Sendable, Equatable {
  /// From the enqueueing until nothing stood in its way but the queue's limit.
  public var waitingForDependencies: Nanoseconds = 0
  /// From then until its own code began.
  public var waitingForSlot: Nanoseconds = 0
  /// From then until it was finished; for an asynchronous operation also after its `start()` returned.
  public var running: Nanoseconds = 0

  /// All three zero.
  public init() {}

  /// Borrowed, and part of whoever asks: else an element of an array would be copied for it, which counts references, a million times.
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

  /// The sum of the three, in nanoseconds: from the enqueueing to the finish.
  public var total: Nanoseconds { waitingForDependencies + waitingForSlot + running }
}
