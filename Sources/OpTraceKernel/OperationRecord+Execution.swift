package import OpTraceModel

extension OperationRecord {
  package var isStarted: Bool { started != nil || executionBegan != nil }
  /// Whether its `start()` was seen to begin on a thread, and not to return.
  package var holdsThread: Bool { finished == nil && started != nil && startReturned == nil }

  /// Returns when its own code ran, as ``OperationTimes`` counts it. For an operation that was cancelled before, it is
  /// its passage through `start()`, so that the arrows of its dependencies have ends. Nil if it was never started.
  package func execution(traceEnd: Nanoseconds) -> (begin: Nanoseconds, end: Nanoseconds, isOpen: Bool)? {
    guard let began = (executionBegan ?? started)?.time else { return nil }
    let over = leavesThread ? finished : executionEnded ?? finished
    return (began, max(began, over?.time ?? traceEnd), over == nil)
  }

  /// Whether it goes on after `start()` has returned. Such an execution belongs to no thread.
  package var leavesThread: Bool {
    if isAsynchronous { return true }
    guard executionEnded == nil, let startReturned else { return false }
    return finished.map { $0.time > startReturned.time } ?? true
  }
}
