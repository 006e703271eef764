import OpTraceKernel
package import OpTraceModel

/// What is certain in a trace with missing records: a ring reuses its chunks, and work whose end was overwritten seems to continue.
///
/// Up to some moment records may be missing; after it none are (``LiveReader/News/incompleteUntil``). So the state of
/// an operation is certain if
///
/// - something was recorded of it after that moment, because everything later is there, too;
/// - the ring has carried it on after that moment, because it carries on only unfinished work;
/// - it is synchronous, it began on a thread of which nothing is missing since, and that thread has recorded no end;
/// - it has not begun, and one that it depends on is certainly not over.
///
/// All others may be over. They are only counted as uncertain.
package struct LiveCertainty: Sendable {
  /// Nil: nothing is missing.
  package var incompleteUntil: Nanoseconds?
  package var completeSince: [ThreadID: Nanoseconds] = [:]
  package var carried: [WorkID: Nanoseconds] = [:]

  package init() {}

  package mutating func take(_ news: LiveReader.News, lostUntil: Nanoseconds?) {
    incompleteUntil = [news.incompleteUntil, lostUntil].compactMap { $0 }.max()
    completeSince = news.completeSince
    for (work, time) in news.carried { carried[work] = max(carried[work] ?? .min, time) }
  }

  /// Keeps evidence only about these operations; forgotten ones need none.
  mutating func keep(_ operations: [OperationRecord]) {
    guard carried.count > 1024, carried.count > 2 * operations.count else { return }
    let known = Set(operations.lazy.map(\.id))
    carried = carried.filter { known.contains($0.key) }
  }

  /// For each operation, by index, whether it is unfinished and its state is certain. O(operations + dependencies).
  func certain(of trace: Trace) -> [Bool] {
    guard let incompleteUntil else { return trace.operations.map(\.isOutcomeKnown) }
    var isCertain = trace.operations.map { operation in
      operation.isOutcomeKnown && isEvident(operation, behind: incompleteUntil)
    }
    // From prerequisites to dependents. A chain nearly always goes from low numbers to high ones.
    for _ in 0..<8 {
      var hasFound = false
      for index in trace.operations.indices where !isCertain[index] {
        let operation = trace.operations[index]
        guard operation.finished == nil, !operation.isStarted, operation.cancelRequested == nil,
          operation.isOutcomeKnown,
          operation.dependencies.contains(where: { dependency in
            guard dependency.removed == nil, let other = trace.index(of: dependency.on) else { return false }
            return isCertain[other] && trace.operations[other].finished == nil
          })
        else { continue }
        isCertain[index] = true
        hasFound = true
      }
      if !hasFound { break }
    }
    return isCertain
  }

  private func isEvident(_ operation: borrowing OperationRecord, behind time: Nanoseconds) -> Bool {
    if operation.lastMoment > time || carried[operation.id] ?? .min > time { return true }
    guard let started = operation.started ?? operation.executionBegan, !operation.isAsynchronous,
      operation.startReturned == nil
    else { return false }
    guard let since = completeSince[started.thread] else { return false }
    return max(started.time, carried[operation.id] ?? .min) >= since
  }
}

extension OperationRecord {
  /// The time of its last recorded event.
  fileprivate var lastMoment: Nanoseconds {
    var last = max(lastSign ?? .min, enqueued?.time ?? .min)
    for stamp in [ready, started, executionBegan, executionEnded, startReturned] {
      last = max(last, stamp?.time ?? .min)
    }
    return last
  }
}
