import OpTraceFormat
package import OpTraceModel

/// What can be held or wanted, and who keeps others out of it.
package struct OrderSide: Hashable, Sendable {
  /// A thing that threads hold: at most one of them, but for readers.
  package enum Thing: Hashable, Sendable {
    case lock(OrderRecord.Resource)
    case queue(DispatchQueueID)
    /// The only slot of an operation queue.
    case slot(QueueID)
  }

  package var thing: Thing
  /// Others may have it at the same time: for reading, or in a queue that runs several blocks at once.
  package var isShared: Bool

  /// Whether who holds one keeps out who wants the other.
  package func excludes(_ other: OrderSide) -> Bool { thing == other.thing && !(isShared && other.isShared) }
}

/// What resources of a trace are.
struct OrderSides {
  private let trace: Trace
  private let queues: [DispatchQueueID: DispatchQueueRecord]
  private let firstAdded: [QueueID: Nanoseconds]

  init(_ trace: Trace) {
    self.trace = trace
    queues = Dictionary(trace.dispatchQueues.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    var firstAdded: [QueueID: Nanoseconds] = [:]
    for operation in trace.operations {
      guard let queue = operation.queue, let time = operation.enqueued?.time else { continue }
      firstAdded[queue] = min(time, firstAdded[queue] ?? .max)
    }
    self.firstAdded = firstAdded
  }

  /// What who has gone this way holds at its end; nil: nothing that keeps others out.
  func held(_ order: OrderRecord) -> OrderSide? {
    guard order.wanted.kind.isHeld else { return nil }
    return side(order)
  }

  /// What one of those who have gone this way could wait for. Of an operation: the slots of its queue, and of the queues of those on which
  /// it depends.
  func wanted(_ order: OrderRecord) -> [OrderSide] {
    switch order.wanted.kind {
    case .mutex, .rwlock, .queue, .slot: [side(order)].compactMap { $0 }
    case .operation: slots(neededBy: OperationID(order.wanted.number))
    case .wholeQueue: slot(QueueID(order.wanted.number)).map { [$0] } ?? []
    // Nobody is known to hold these.
    case .semaphore, .group, .condition: []
    }
  }

  private func side(_ order: OrderRecord) -> OrderSide? {
    switch order.wanted.kind {
    case .mutex, .rwlock: return OrderSide(thing: .lock(order.wanted), isShared: order.isReader)
    case .queue:
      let id = DispatchQueueID(order.wanted.number)
      guard queues[id]?.isGlobal != true else { return nil }
      return OrderSide(thing: .queue(id), isShared: order.isReader)
    case .slot: return slot(QueueID(order.wanted.number))
    case .semaphore, .group, .condition, .operation, .wholeQueue: return nil
    }
  }

  /// Only where there was one slot all the time, since the first operation was added.
  private func slot(_ id: QueueID) -> OrderSide? {
    guard let queue = trace.queue(id), queue.limit == 1 else { return nil }
    let first = firstAdded[id] ?? .max
    var limit = queue.initialLimit
    for change in queue.changes {
      guard case .limit(let value) = change.kind else { continue }
      if change.time > first, limit != 1 { return nil }
      limit = value
    }
    return OrderSide(thing: .slot(id), isShared: false)
  }

  private func slots(neededBy first: OperationID) -> [OrderSide] {
    let most = 1000
    var found: [OrderSide] = []
    var seen: Set<OperationID> = [first]
    var open = [first]
    while let id = open.popLast(), seen.count < most {
      guard let operation = trace.operation(id) else { continue }
      if let slot = operation.queue.flatMap(slot), !found.contains(slot) { found.append(slot) }
      for dependency in operation.dependencies where dependency.removed == nil && seen.insert(dependency.on).inserted {
        open.append(dependency.on)
      }
    }
    return found
  }
}
