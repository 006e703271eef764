import OpTraceDoctor
import OpTraceKernel
import OpTraceModel

/// Operations whose start Foundation lost.
///
/// While a queue of Foundation on Linux adds an operation, it asks `isReady` and then stores the answer, without a lock
/// (`_addOperations` in `Operation.swift` of swift-corelibs-foundation). If the last dependency finishes on another
/// thread in between, the old answer replaces the new one. The queue corrects that when it looks at its operations next,
/// but starts the operation only when it looks again.
extension DoctorContext {
  /// The longest time from the call that adds an operation to the moment when it asks `isReady`. It takes microseconds,
  /// and longer if the thread loses its processor.
  private static let longestAdding: Nanoseconds = 5_000_000

  /// The finding if every operation that could start became ready while it was being added; nil: another reason is
  /// possible for one of them. O(operations).
  func lostStart(_ suspects: [Suspect]) -> Finding? {
    let operations = suspects.map { trace.operations[$0.index] }
    // Then the pool may have no thread left; and the main queue waits for the main thread.
    if trace.operations.contains(where: { $0.holdsThread }) { return nil }
    if operations.contains(where: { $0.queue.flatMap { queue($0) }?.isMain == true }) { return nil }
    let moments = operations.compactMap { operation -> (added: Stamp, ready: Stamp)? in
      guard let added = operation.enqueued, let ready = operation.ready, added.thread != ready.thread,
        (0...Self.longestAdding).contains(ready.time - added.time)
      else { return nil }
      return (added, ready)
    }
    guard moments.count == operations.count, let first = moments.first else { return nil }
    let isOne = operations.count == 1
    var finding = Finding(
      .threadPoolStarvation, .error, ending: .onlyBy("another change of its queue"),
      title: "\(Self.count(operations.count, "operation")) \(isOne ? "is" : "are") ready, but Foundation lost "
        + (isOne ? "its start" : "their starts"),
      explanation:
        "\(name(operations[0].id)) became ready on \(name(first.ready.thread)) while \(name(first.added.thread)) was "
        + "adding it to its queue. Foundation on Linux can then miss that it is ready, and starts it only after another "
        + "change of the queue. No such change came \(since(first.ready.time)).",
      fix:
        "Add an operation to its queue before the operations that it depends on are added to theirs, so that none of "
        + "them can finish meanwhile. Or make the queue look again after the operation was added: "
        + "queue.maxConcurrentOperationCount = queue.maxConcurrentOperationCount.")
    finding.isFirstCause = true
    finding.operations = operations.map(\.id)
    finding.queues = queues(of: operations)
    for (operation, moment) in zip(operations, moments).prefix(3) {
      finding.evidence.append(.init(at: moment.added, "\(name(operation.id)) is added to its queue"))
      finding.evidence.append(.init(at: moment.ready, "\(name(operation.id)) becomes ready; it has not started"))
    }
    return silent(finding)
  }
}
