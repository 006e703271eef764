public import OpTraceModel

extension Trace {
  /// Two runs of one program as one trace, so that everything that shows a trace shows both on one clock: the other's operations, queues and threads get
  /// numbers of their own, and its queues a word behind their names. Only operations are taken over. O(n).
  public func beside(_ other: Trace, called word: String) -> Trace {
    var result = self
    let operationShift = (operations.last?.id.rawValue ?? 0) &+ 1
    let queueShift = (queues.last?.id.rawValue ?? 0) &+ 1
    let threadShift = (threads.map(\.id.rawValue).max() ?? 0) &+ 1
    func shifted(_ id: OperationID) -> OperationID { OperationID(id.rawValue &+ operationShift) }
    func shifted(_ stamp: Stamp?) -> Stamp? {
      stamp.map { Stamp($0.time, ThreadID($0.thread.rawValue &+ threadShift)) }
    }
    for var thread in other.threads {
      thread.id = ThreadID(thread.id.rawValue &+ threadShift)
      thread.name += thread.name.isEmpty ? word : " (\(word))"
      thread.isMain = false
      result.threads.append(thread)
    }
    for var queue in other.queues {
      queue.name = "\(queue.title) (\(word))"
      queue.id = QueueID(queue.id.rawValue &+ queueShift)
      result.queues.append(queue)
    }
    for var operation in other.operations {
      operation.id = shifted(operation.id)
      operation.queue = operation.queue.map { QueueID($0.rawValue &+ queueShift) }
      for place in operation.dependencies.indices {
        operation.dependencies[place].on = shifted(operation.dependencies[place].on)
      }
      operation.enqueued = shifted(operation.enqueued)
      operation.ready = shifted(operation.ready)
      operation.started = shifted(operation.started)
      operation.executionBegan = shifted(operation.executionBegan)
      operation.executionEnded = shifted(operation.executionEnded)
      operation.finished = shifted(operation.finished)
      result.operations.append(operation)
    }
    result.end = max(end, other.end)
    result.lastEvent = max(lastEvent, other.lastEvent)
    return result
  }
}
