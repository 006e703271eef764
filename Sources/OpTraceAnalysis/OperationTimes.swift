public import OpTraceModel

/// The three times of an operation, in nanoseconds. They do not overlap, and add up to the time from the enqueueing
/// to the finish (or to the trace's end, for one that is not over). All zero where the operation was never enqueued or run,
/// and where what became of it is not in the trace (``OpTraceModel/OperationRecord/isOutcomeKnown``).
public struct OperationTimes: Sendable, Equatable {
  /// From the enqueueing until nothing stood in its way but the queue's limit.
  public var waitingForDependencies: Nanoseconds = 0
  /// From then until its own code began.
  public var waitingForSlot: Nanoseconds = 0
  /// From then until it was finished; for an asynchronous operation also after its `start()` returned.
  public var running: Nanoseconds = 0

  /// All three zero.
  public init() {}

  /// Borrowed: a copy of a record counts references, a million times.
  public init(of operation: borrowing OperationRecord, traceEnd: Nanoseconds) {
    guard operation.isOutcomeKnown else { return }
    let end = max(operation.finished?.time ?? traceEnd, operation.enqueued?.time ?? .min)
    let began = (operation.executionBegan ?? (operation.finished == nil ? operation.started : nil))?.time
    if let enqueued = operation.enqueued?.time {
      let over = min(max(began ?? end, enqueued), end)
      let runnable = min(max(operation.runnable ?? over, enqueued), over)
      waitingForDependencies = runnable - enqueued
      waitingForSlot = over - runnable
    }
    if let began { running = max(0, end - began) }
  }

  /// The sum of the three, in nanoseconds: from the enqueueing to the finish.
  public var total: Nanoseconds { waitingForDependencies + waitingForSlot + running }
}
