public import OpTraceModel

extension Trace {
  /// From the first enqueueing or start of an operation to the last finish, or to the trace's end while one that was
  /// enqueued or started is unfinished (and not merely seen in part). Without such operations, from the first submission
  /// of a block or a task to the last end. Nil without any. O(operations + blocks + tasks).
  public var activity: ClosedRange<Nanoseconds>? {
    var first = Nanoseconds.max
    var last = Nanoseconds.min
    // By place: a copy of an operation costs more than the look at it.
    for place in operations.indices {
      guard let began = operations[place].begin else { continue }
      first = min(first, began)
      last = max(last, began, operations[place].finished?.time ?? (operations[place].isOutcomeKnown ? end : began))
    }
    func add(_ work: some Work) {
      guard let submitted = work.submitted?.time ?? work.began?.time else { return }
      first = min(first, submitted)
      last = max(last, submitted, work.over ?? end)
    }
    if first > last {
      for block in blocks { add(block) }
      for task in tasks { add(task) }
    }
    return first <= last ? first...last : nil
  }
}

extension OperationRecord {
  /// When it first concerned a queue or a thread.
  var begin: Nanoseconds? {
    var first = enqueued?.time
    if let time = started?.time, time < first ?? .max { first = time }
    if let time = executionBegan?.time, time < first ?? .max { first = time }
    return first
  }
}
