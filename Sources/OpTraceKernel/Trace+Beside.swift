public import OpTraceModel

extension Trace {
  /// Two runs as one trace, so that everything that shows a trace can show both on one clock. Operations, their queues
  /// and their waits are taken over from the other trace. Its operations, queues and threads get new numbers, and its
  /// queues a word after their names. Its stacks are not taken over, because their numbers mean nothing here. O(n log
  /// n).
  ///
  /// - Parameter aligned: makes the first events of both happen at the same time; otherwise the times stay as they are.
  public func beside(_ other: Trace, called word: String, aligned: Bool = false) -> Trace {
    let taken = TakenOver(into: self, from: other, aligned: aligned)
    var result = self
    for var thread in other.threads {
      thread.id = taken.thread(thread.id)
      thread.name += thread.name.isEmpty ? word : " (\(word))"
      thread.isMain = false
      thread.lastSign = taken.time(thread.lastSign)
      result.threads.append(thread)
    }
    for queue in other.queues { result.queues.append(taken.queue(queue, called: word)) }
    for object in other.objects {
      result.objects.append(
        ObjectRecord(id: taken.object(object.id), kind: object.kind, address: object.address, name: object.name))
    }
    for operation in other.operations { result.operations.append(taken.operation(operation)) }
    // Sorted by begin, as in every trace.
    result.waits = (waits + other.waits.map(taken.wait)).sorted { $0.began < $1.began }
    result.end = max(end, taken.time(other.end))
    result.lastEvent = max(lastEvent, taken.time(other.lastEvent))
    return result
  }
}

/// The contents of the other trace, with the numbers and times of the trace that takes them over.
private struct TakenOver {
  private let delay: Nanoseconds
  private let operationShift, queueShift, threadShift, objectShift: UInt32

  init(into trace: Trace, from other: Trace, aligned: Bool) {
    operationShift = (trace.operations.last?.id.rawValue ?? 0) &+ 1
    queueShift = (trace.queues.last?.id.rawValue ?? 0) &+ 1
    threadShift = (trace.threads.map(\.id.rawValue).max() ?? 0) &+ 1
    objectShift = (trace.objects.map(\.id.rawValue).max() ?? 0) &+ 1
    // Times of a trace are below 2^55, so the difference cannot overflow.
    if aligned, let own = trace.activity?.lowerBound, let others = other.activity?.lowerBound {
      delay = own - others
    } else {
      delay = 0
    }
  }

  func thread(_ id: ThreadID) -> ThreadID { ThreadID(id.rawValue &+ threadShift) }
  func object(_ id: ObjectID) -> ObjectID { ObjectID(id.rawValue &+ objectShift) }
  func time(_ time: Nanoseconds) -> Nanoseconds { time &+ delay }
  func time(_ time: Nanoseconds?) -> Nanoseconds? { time.map { $0 &+ delay } }
  private func operation(_ id: OperationID) -> OperationID { OperationID(id.rawValue &+ operationShift) }
  private func queue(_ id: QueueID) -> QueueID { QueueID(id.rawValue &+ queueShift) }

  func queue(_ queue: QueueRecord, called word: String) -> QueueRecord {
    var result = queue
    result.name = "\(queue.title) (\(word))"
    result.id = self.queue(queue.id)
    result.created = time(queue.created)
    result.released = time(queue.released)
    result.lastSign = time(queue.lastSign)
    result.madeAt = nil
    result.changes = queue.changes.map {
      QueueRecord.Change(time: time($0.time), thread: thread($0.thread), kind: $0.kind)
    }
    return result
  }

  func operation(_ operation: OperationRecord) -> OperationRecord {
    var result = operation
    result.id = self.operation(operation.id)
    result.queue = operation.queue.map(queue)
    result.moveMoments { Stamp(time($0.time), thread($0.thread)) }
    for index in result.dependencies.indices {
      result.dependencies[index].on = self.operation(result.dependencies[index].on)
    }
    (result.addedAt, result.madeAt) = (nil, nil)
    return result
  }

  func wait(_ wait: WaitRecord) -> WaitRecord {
    var result = wait
    result.target =
      switch wait.target {
      case .operation(let id): .operation(operation(id))
      case .queue(let id): .queue(queue(id))
      case .object(let id): .object(object(id))
      }
    result.thread = thread(wait.thread)
    result.inside = wait.inside.map(operation)
    (result.began, result.ended) = (time(wait.began), time(wait.ended))
    result.lastSignal = signal(wait.lastSignal)
    result.endSignal = signal(wait.endSignal)
    result.at = nil
    return result
  }

  private func signal(_ signal: WaitRecord.Signal?) -> WaitRecord.Signal? {
    signal.map {
      WaitRecord.Signal(time: time($0.time), thread: $0.thread.map(thread), operation: $0.operation.map(operation))
    }
  }
}
