public import OpTraceModel

/// How long operations waited for a thread: they were ready and their queue had a free slot, but they did not start,
/// because the machine or the pool had no thread for them.
///
/// A queue has a free slot while it executes fewer operations than its limit and is not suspended. For an operation
/// behind a barrier that counts only after the barrier, and for a barrier only after everything added before it. From
/// its own start on, an operation has its slot.
///
/// Nothing is claimed where that is not known, so that all of the wait counts as one for a slot: where records were lost
/// or overwritten, of queues that the trace does not describe, and of the main queue, whose only thread is its slot.
public struct ThreadWaits: Sendable {
  /// By the operations' indexes; empty: nothing is claimed.
  private var waits: [Nanoseconds] = []
  private var slots: [QueueID: FreeSlots] = [:]

  /// Claims nothing.
  package init() {}

  /// O(n log n) for n operations.
  public init(_ trace: Trace) {
    guard FreeSlots.areKnown(in: trace) else { return }
    let members = QueueMembers(trace)
    let queues = Array(members.queues)
    let found = SideBySide.map(queues.count) {
      FreeSlots(members[queues[$0]], of: trace, queue: trace.queue(queues[$0]))
    }
    for (queue, found) in zip(queues, found) { slots[queue] = found }
    guard !slots.isEmpty else { return }
    waits = [Nanoseconds](repeating: 0, count: trace.operations.count)
    for (queue, slots) in slots {
      var hint = FreeSlots.Hint()
      for index in members[queue] { waits[index] = Self.wait(trace.operations[index], slots, trace.end, &hint) }
    }
  }

  /// Borrowed: a copy of a record counts references, a million times.
  private static func wait(
    _ operation: borrowing OperationRecord, _ slots: FreeSlots, _ traceEnd: Nanoseconds, _ hint: inout FreeSlots.Hint
  ) -> Nanoseconds {
    guard let enqueued = operation.enqueued?.time else { return 0 }
    let times = OperationTimes(of: operation, traceEnd: traceEnd)
    guard times.waitingForSlot > 0 else { return 0 }
    let runnable = enqueued + times.waitingForDependencies
    return slots.freeTime(for: operation, from: runnable, to: runnable + times.waitingForSlot, near: &hint)
  }

  /// How long the operation at this index of `Trace.operations` waited for a thread. O(1).
  public subscript(index: Int) -> Nanoseconds { waits.isEmpty ? 0 : waits[index] }

  /// The times of the operation at this index, with the wait for a thread told from the one for a slot. O(1).
  public func times(ofOperationAt index: Int, in trace: Trace) -> OperationTimes {
    var times = OperationTimes(of: trace.operations[index], traceEnd: trace.end)
    times.tellApart(thread: self[index])
    return times
  }

  /// When the queue had a free slot; nil: nothing is claimed of it.
  package func freeSlots(of queue: QueueID) -> FreeSlots? { slots[queue] }
}

extension OperationTimes {
  /// Moves so much of the wait for a slot to the wait for a thread.
  package mutating func tellApart(thread: Nanoseconds) {
    waitingForThread = min(max(0, thread), waitingForSlot)
    waitingForSlot -= waitingForThread
  }
}
